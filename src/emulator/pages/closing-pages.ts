/** Last pages of a visit: done, refused, cancelled, link not valid. */
import { hidden, htmlDocument, isolated, named, type PageReply, page } from './document.ts'
import { formActions, formFields, type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'
import { accountRows, type ShownAccount, type WidgetStep } from './widget-pages.ts'

interface Closing {
  readonly bankName: string
  /** It was connected before this visit. */
  readonly again: boolean
  /** Where the caller wants the user to be; without it the visit ends here, on the widget's own page. */
  readonly returnTo?: string
}

export interface Done extends Closing {
  readonly shared: readonly (ShownAccount & { readonly isNew?: boolean })[]
  /** Why the Connection does not work although its accounts are shared. */
  readonly attention?: Pick<Refused, 'outcome' | 'text'> | undefined
  /** The address of this page, where the browser stays. With it, the browser leaves by itself for `returnTo`. */
  readonly stayAt?: string
}

/** Seconds that the page stays before the browser goes on by itself. */
const pause = 5

/** The accounts are shared; what the Connection then reads is what the page says. */
export function doneReply(done: Done): PageReply {
  const destination = webAddress(done.returnTo)
  // In a header, which `Content-Security-Policy` does not cover: `form-action` forbids a redirect of the answer to another origin.
  const leaves = destination !== undefined && done.stayAt !== undefined
  return page(donePage(done), 200, leaves ? { refresh: `${pause}; url=${destination.href}` } : {})
}

export function donePage({ bankName, again, returnTo, shared, attention, stayAt }: Done): string {
  const outcome = attention === undefined ? (again ? 'is reconnected' : 'is connected') : attention.outcome
  const count = shared.length === 1 ? '1 account is shared.' : `${shared.length} accounts are shared.`
  return closingPage({
    mark: attention === undefined ? ['tick', 'good'] : ['warning', 'warn'],
    bankName,
    outcome,
    text: attention === undefined ? count : `${count} ${attention.text}`,
    more: html`${accountRows(shared)}${next(returnTo, 'Continue to', stayAt)}`,
  })
}

/** The user left before anything was shared. */
export function cancelledPage({ bankName, again, returnTo }: Closing): string {
  return closingPage({
    mark: ['cross', 'plain'],
    bankName,
    outcome: `was not ${again ? 'reconnected' : 'connected'}`,
    text: again ? 'Nothing has changed. You can open the link again.' : 'Nothing was shared.',
    more: next(returnTo, 'Go back to'),
  })
}

export interface Refused extends Closing {
  /** What the bank has done, such as "has locked this account". */
  readonly outcome: string
  readonly text: string
  readonly mark: 'lock' | 'warning' | 'cross'
}

/** The bank has refused, and this visit cannot change it. */
export function refusedPage({ bankName, returnTo, outcome, text, mark }: Refused): string {
  return closingPage({ mark: [mark, 'bad'], bankName, outcome, text, more: next(returnTo, 'Go back to') })
}

/** The bank does not answer now, and may later: the user tries again, or leaves. */
export function unavailablePage({ action, token, bank }: WidgetStep): string {
  return closingPage({
    mark: ['warning', 'warn'],
    bankName: bank.name,
    outcome: 'is not available',
    text: 'The bank does not answer right now. Nothing was shared.',
    more: html`<form method="post" action="${action}">
${hidden({ [formFields.token]: token })}<div class="actions">
<button type="submit" name="${formFields.action}" value="${formActions.retry}">Try again</button>
<button class="quiet" type="submit" name="${formFields.action}" value="${formActions.giveUp}">Close</button>
</div>
</form>`,
  })
}

interface ClosingContent {
  readonly mark: readonly [IconName, 'good' | 'warn' | 'bad' | 'plain']
  readonly bankName: string
  /** Follows the name in the heading. */
  readonly outcome: string
  readonly text: string
  readonly more: Html
}

function closingPage({ mark: [name, tone], bankName, outcome, text, more }: ClosingContent): string {
  return htmlDocument({
    title: `${isolated(bankName)} ${outcome}`,
    simulation: true,
    body: html`<div class="closing">
<div class="mark ${tone}">${icon(name)}</div>
<h1>${named(bankName)} ${outcome}</h1>
<p class="muted">${text}</p>
${more}
</div>`,
  })
}

/** Where the browser goes from here. */
function next(returnTo: string | undefined, verb: string, stayAt?: string): Html {
  const destination = webAddress(returnTo)
  if (destination === undefined) return html`<p class="next muted small">You can close this page.</p>`
  const { href, host } = destination
  return html`<div class="next">
${stayAt === undefined ? '' : html`<p class="muted small" role="status">Taking you to ${host} in a few seconds…</p>\n`}<a class="button" href="${href}">${verb} ${host}</a>
${stayAt === undefined ? '' : html`<a class="button quiet" href="${stayAt}">Stay on this page</a>\n`}</div>`
}

function errorPage(mark: IconName, heading: string, text: string): string {
  return htmlDocument({
    title: heading,
    simulation: false,
    body: html`<div class="closing">
<div class="mark plain">${icon(mark)}</div>
<h1>${heading}</h1>
<p class="muted">${text}</p>
</div>`,
  })
}

/**
 * The static page for a link that does not work: tampered, expired, revoked or never made. It says the same in every
 * case, so that it does not tell which links exist.
 */
export const invalidLinkPage: string = errorPage(
  'link',
  'This link does not work',
  'It has expired, was withdrawn, or is not complete. Ask for a new one where you got it.',
)

/** The same as a response. */
export const invalidLink: PageReply = page(invalidLinkPage, 404)

/** The answer to a form that a page of another address sent. */
export const foreignForm: PageReply = page(
  errorPage(
    'warning',
    'This form came from another site',
    'Only the pages of this address can send it, so nothing was done. Open your link again and go on from there.',
  ),
  403,
)

/** Only web addresses: anything else in a link would run or open something. */
function webAddress(address: string | undefined): URL | undefined {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address)
    ? new URL(address)
    : undefined
}
