/** The HTML document of every hosted page, with its headers: one style, no script, nothing loaded from elsewhere. */
import { createHash } from 'node:crypto'
import { type Html, html } from './html.ts'

const style = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { max-width: 30rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
.note { margin: 0; padding: .5rem 1rem; text-align: center; background: #fff3bf; color: #3d2f00; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1.5rem 0 .5rem; }
label, legend { font-weight: 600; }
.field { margin: 1rem 0; }
input[type=text], input[type=search], input[type=password] {
  display: block; width: 100%; margin-top: .25rem; padding: .625rem; font: inherit;
  color: inherit; background: Canvas; border: 1px solid #767676; border-radius: .375rem;
}
fieldset { margin: 1rem 0; padding: .5rem 1rem; border: 1px solid #767676; border-radius: .375rem; }
.choice { display: flex; gap: .625rem; align-items: baseline; padding: .5rem 0; font-weight: 400; }
.hint { margin: .25rem 0; }
.error { margin: 1rem 0; padding: .5rem 1rem; border-left: .25rem solid #c92a2a; }
button, .button {
  display: block; width: 100%; margin: .5rem 0; padding: .75rem 1rem; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; color: #fff; background: #1c4fb4; border: 1px solid #1c4fb4; border-radius: .375rem; cursor: pointer;
}
button.quiet { color: inherit; background: transparent; border-color: #767676; }
ul.banks { list-style: none; margin: 1rem 0; padding: 0; }
ul.banks button { text-align: left; color: inherit; background: transparent; border-color: #767676; }
:focus-visible { outline: 3px solid #4c8dff; outline-offset: 2px; }
`

/**
 * Of every hosted page. `form-action 'self'` also holds for redirects of the answer,
 * so a form cannot lead to another origin by a 3xx; the done page does so instead.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

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
  /** Of the window; the page's heading unless said. */
  readonly heading: string
  readonly body: Html
  /** Says that no bank is behind it: on every page but the errors. */
  readonly simulation: boolean
  /** An address the browser goes to by itself. */
  readonly goesTo?: string
}

/** The whole document as text. */
export function htmlDocument({ heading, body, simulation, goesTo }: DocumentContent): string {
  const refresh =
    goesTo === undefined ? '' : html`<meta http-equiv="refresh" content="${`0; url=${goesTo}`}">\n`
  const note = simulation
    ? html`<p class="note" role="note">Simulation. No bank is behind this page: never enter real bank credentials.</p>\n`
    : ''
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
${refresh}<style>${{ markup: style }}</style>
</head>
<body>
${note}<main>
<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`.markup
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

export function page(bytes: string, status = 200): PageReply {
  const { 'content-type': contentType, ...headers } = pageHeaders
  return { status, contentType, headers, bytes }
}

/** A redirect to another hosted page, in answer to a form. */
export function goTo(address: string): PageReply {
  const { headers, contentType } = page('')
  return { status: 303, contentType, headers: { ...headers, location: address }, bytes: '' }
}
