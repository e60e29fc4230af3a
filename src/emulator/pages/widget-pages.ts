/** Pages of the widget, one with one form for each step: sign in, answer, choose accounts. */
import { hidden, htmlDocument, isolated, named } from './document.ts'
import { MAX_COUNTED } from './hosted-style.ts'
import { formActions, formFields, type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { monogram } from './monogram.ts'

export interface Bank {
  readonly id: string
  readonly name: string
}

/** The input common to every step. */
export interface WidgetStep {
  /** Where the form goes (POST). */
  readonly action: string
  readonly token: string
  readonly bank: Bank
  /** The bank is connected already: the user repairs it, or shares more accounts. */
  readonly again: boolean
  /** How many steps there are; one more where the bank asks a question. */
  readonly steps: number
  /** Tells why the step is shown again. */
  readonly message?: string
}

export interface SignIn extends WidgetStep {
  /** The user name that the bank did not accept, to be corrected. */
  readonly refusedName?: string
  /** Stands below the heading. */
  readonly note?: string
  /** The bank accepts no values at all. */
  readonly denies?: boolean
}

/** Filled into the sign-in form, so that nobody has to type anything. */
const demoCredentials = { username: 'demo', password: 'demo' } as const

/** The user name that no bank accepts. */
export const wrongUserName = 'wrong'

export function signInPage(step: SignIn): string {
  const { refusedName, again, bank, denies } = step
  const refused = refusedName !== undefined
  const invalid = refused ? html` aria-invalid="true" autofocus` : ''
  const { username, password } = demoCredentials
  return widgetPage(
    step,
    1,
    again ? 'Reconnect' : 'Sign in',
    `${again ? 'Reconnect' : 'Sign in to'} ${isolated(bank.name)}`,
    {
      intro: html`${step.note === undefined ? '' : html`<p class="muted">${step.note}</p>\n`}`,
      fields: html`<div class="field">
<label for="username">User name</label>
<input type="text" id="username" name="${formFields.username}" value="${refusedName ?? username}" aria-describedby="${refused ? 'message made-up' : 'made-up'}"${invalid} maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false" required>
</div>
<div class="field">
<label for="password">Password</label>
<input type="password" id="password" name="${formFields.password}" value="${refused ? '' : password}" autocomplete="off" required>
<p class="muted small" id="made-up">${denies === true ? 'This test bank denies every sign-in.' : `Any made-up values work, except “${wrongUserName}” as the user name.`}</p>
</div>
`,
      buttons: buttons(html`Sign in`),
    },
  )
}

export function questionPage(step: WidgetStep & { readonly question: string }): string {
  return widgetPage(step, 2, 'Security question', `Security question of ${isolated(step.bank.name)}`, {
    intro: html`<p class="muted">The bank wants to be sure that it is you.</p>\n`,
    fields: html`<div class="field">
<label for="answer">${step.question}</label>
<input type="text" id="answer" name="${formFields.answer}" aria-describedby="any-answer" maxlength="200" autocomplete="off" required>
<p class="muted small" id="any-answer">Any answer is right.</p>
</div>
`,
    buttons: buttons(html`Answer`),
  })
}

/** An account as a user sees it. */
export interface ShownAccount {
  readonly id: string
  readonly name: string
  /** Such as "Credit card". */
  readonly kind: string
  /** At most the last 4 digits. */
  readonly mask: string | null
  /** With its currency; null when the bank gave none. */
  readonly balance: string | null
}

export interface OfferedAccount extends ShownAccount {
  readonly chosen: boolean
}

export interface Offer extends WidgetStep {
  readonly offered: readonly OfferedAccount[]
  /** Shared already: nothing to choose. */
  readonly shared?: readonly ShownAccount[]
}

export function accountsPage(step: Offer): string {
  const { offered, shared = [], again, bank } = step
  const none = again && offered.length === 0
  const heading = none ? 'Your accounts' : 'Choose accounts'
  return widgetPage(step, step.steps, heading, `${heading} at ${isolated(bank.name)}`, {
    intro: html`<p class="muted">${introOf(again, offered.length)}</p>\n`,
    selects: offered.length > 1,
    fields: html`${hidden({ [formFields.step]: accountsStep })}${offered.length === 0 ? '' : offer(again ? 'Not shared yet' : 'Accounts', offered, again)}${shared.length === 0 ? '' : sharedAlready(shared)}`,
    buttons: buttons(countingLabel(again, offered.length), again ? '' : 'needs'),
  })
}

/** They are sent, too: what the form shares is what stands on the page. */
function sharedAlready(accounts: readonly ShownAccount[]): Html {
  const fields = accounts.flatMap(({ id }) => hidden({ [formFields.account]: id }))
  return html`${fields}<p class="legend">Shared already</p>\n${accountRows(accounts)}`
}

/** The text for each number of ticked boxes; the style shows one. */
function countingLabel(again: boolean, offered: number): Html {
  if (offered > MAX_COUNTED)
    return again ? html`Reconnect and add what is ticked` : html`Share what is ticked`
  const texts = Array.from({ length: offered + 1 }, (_, count) => {
    const accounts = count === 1 ? '1 account' : `${count} accounts`
    if (!again) return `Share ${accounts}`
    return count === 0 ? 'Reconnect' : `Reconnect and add ${accounts}`
  })
  return html`${texts.map((text, count) => html`<span class="n${count}">${text}</span>`)}`
}

/** The value of `formFields.step` that the accounts form sends, also with nothing ticked. */
const accountsStep = 'accounts'

function introOf(again: boolean, offered: number): string {
  if (!again) return 'Only what you tick is shared.'
  if (offered === 0) return 'These stay shared. The bank has no account that is not.'
  return 'What is shared stays so. The bank has more: only what you tick is added.'
}

/** Buttons of a form of their own, which stands last: Enter in the other one shares, and does not select. */
const selectButtons = html`<div class="select">
<button class="quiet" form="select" type="submit" name="${formFields.action}" value="${formActions.all}">Select all</button>
<button class="quiet" form="select" type="submit" name="${formFields.action}" value="${formActions.none}">Select none</button>
</div>
`

function offer(legend: string, accounts: readonly OfferedAccount[], isNew: boolean): Html {
  const choices = accounts.map(
    (account, index) =>
      html`<input type="checkbox" id="account-${index}" name="${formFields.account}" value="${account.id}"${account.chosen ? html` checked` : ''}><label class="row choice" for="account-${index}">${described(account, isNew)}</label>
`,
  )
  return html`<fieldset>
<legend>${legend}</legend>
<div class="rows">
${choices}</div>
</fieldset>
`
}

/** Accounts with nothing to choose, each with a tick. */
export function accountRows(accounts: readonly (ShownAccount & { readonly isNew?: boolean })[]): Html {
  return html`<ul class="rows" role="list">
${accounts.map((account) => html`<li class="row">${icon('tick')}${described(account, account.isNew === true)}</li>\n`)}</ul>
`
}

function described({ name, kind, mask, balance }: ShownAccount, isNew: boolean): Html {
  const digits =
    mask === null
      ? ''
      : html` <span class="mask" aria-hidden="true">•••• ${mask}</span><span class="hidden">ending in ${mask}</span>`
  return html`<span class="what">${named(name)}${isNew ? html` <span class="chip good">New</span>` : ''} <span class="muted small">${kind}${digits}</span></span>${balance === null ? '' : html` <span class="balance">${balance}</span>`}`
}

interface Parts {
  readonly intro: Html
  /** The step chooses accounts: whether there are enough of them to select all at once. */
  readonly selects?: boolean
  readonly fields: Html
  readonly buttons: Html
}

function widgetPage(step: WidgetStep, number: number, heading: string, title: string, parts: Parts): string {
  const { bank, steps, message, action, token } = step
  const alert =
    message === undefined
      ? ''
      : html`<p class="alert" role="alert" id="message">${icon('warning')}<span>${message}</span></p>\n`
  const inputs = hidden({ [formFields.token]: token })
  const chooses = parts.selects !== undefined
  const form = html`<form${chooses ? html` class="accounts"` : ''} method="post" action="${action}">
${inputs}${parts.fields}${parts.buttons}</form>`
  const select = html`\n<form id="select" method="post" action="${action}">\n${inputs}</form>`
  return htmlDocument({
    title: message === undefined ? title : `Error: ${title}`,
    simulation: true,
    body: html`<div class="bank">${monogram(bank.id, bank.name)}<div><p>${named(bank.name)}</p><p class="muted small">Step ${number} of ${steps}</p></div></div>
<h1>${heading}</h1>
${parts.intro}${alert}${chooses ? html`<div class="sharable">\n${parts.selects ? selectButtons : ''}${form}${parts.selects ? select : ''}\n</div>` : form}`,
  })
}

function buttons(label: Html, look = ''): Html {
  return html`<div class="actions">
<button${look === '' ? '' : html` class="${look}"`} type="submit" name="${formFields.action}" value="${formActions.continue}">${label}</button>
<button class="quiet" type="submit" name="${formFields.action}" value="${formActions.cancel}" formnovalidate>Cancel</button>
</div>
`
}
