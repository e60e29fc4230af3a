/** The HTML document of every hosted page, with its headers: one style, no script, nothing loaded from elsewhere. */
import { createHash } from 'node:crypto'
import { hostedStyle, placeStyle } from './hosted-style.ts'
import { type Html, html } from './html.ts'
import { frameStyle } from './style.ts'

/** The rules of the hosted pages beside those of every page. */
const style = `${frameStyle}${hostedStyle}${placeStyle}`

/**
 * Nothing but `styles`, each as its whole text, and forms to the page's own address; `more` adds directives. `form-action
 * 'self'` also holds for redirects of the answer, so a form cannot lead to another origin by a 3xx; the done page does so
 * instead.
 */
function policyFor(styles: readonly string[], more: readonly string[] = []): string {
  const hashes = styles.map((one) => `'sha256-${createHash('sha256').update(one).digest('base64')}'`)
  return [
    "default-src 'none'",
    `style-src ${hashes.join(' ')}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join('; ')
}

export const contentSecurityPolicy = policyFor([style])

/**
 * Headers of every hosted page. Its address carries a credential: it must not be stored, or sent to other sites. (Under
 * `no-referrer` the browser would send its forms with `Origin: null`, as if they came from elsewhere.)
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const

export interface DocumentContent {
  /** Of the window: the page's only words on its tab. */
  readonly title: string
  /** All that stands in the card, with the page's one `<h1>`. */
  readonly body: Html
  /** Says that no bank is behind it: on every page but the errors. */
  readonly simulation: boolean
}

/** The whole document as text: a card on a quiet ground. */
export function htmlDocument({ title, body, simulation }: DocumentContent): string {
  const strip = simulation
    ? html`<header class="strip">Simulation: never enter real bank credentials.</header>\n`
    : ''
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
${strip}<main class="card">
${body}
</main>
</body>
</html>
`.markup
}

/** A name as it is, whatever its direction and length, beside text of ours. */
export function named(name: string): Html {
  return html`<bdi>${name}</bdi>`
}

/** The same where there is no markup, as in a title: between U+2068 and U+2069. */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`
}

/** Hidden fields of a form, by name. */
export function hidden(fields: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  )
}

/** A hosted page as it is sent. */
export interface PageReply {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: string
}

export function page(bytes: string, status = 200, more: Readonly<Record<string, string>> = {}): PageReply {
  const { 'content-type': contentType, ...headers } = pageHeaders
  return { status, contentType, headers: { ...headers, ...more }, bytes }
}

/** A redirect to another hosted page. */
export function goTo(address: string): PageReply {
  const { headers, contentType } = page('')
  return { status: 303, contentType, headers: { ...headers, location: address }, bytes: '' }
}
