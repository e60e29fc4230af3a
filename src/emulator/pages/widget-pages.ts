/** Pages of the widget, one with one form for each step: sign in, answer, choose accounts. */
import type { ConnectionSource } from '../../contract/shapes.ts'
import { hidden, htmlDocument } from './document.ts'
import { formActions, formFields, type Html, html } from './html.ts'

/** The input common to every step. */
export interface WidgetStep {
  /** Where the form goes (POST). */
  readonly action: string
  readonly token: string
  readonly institutionName: string
  readonly source: ConnectionSource
  /** Tells why the step is shown again. */
  readonly message?: string
}

/** The name and the promise that the widget of each source shows. */
const widgets: Readonly<Record<ConnectionSource, { readonly name: string; readonly promise: string }>> = {
  AGGREGATOR_A: { name: 'Aggregator A', promise: 'Aggregator A signs in at the bank for you.' },
  AGGREGATOR_B: { name: 'Aggregator B', promise: 'Aggregator B keeps the bank connected as a member.' },
  FDE: { name: 'Document extraction', promise: 'Statements and checks are fetched from the bank and read.' },
}

/** Filled into the sign-in form, so that nobody has to type anything. The emulator reads neither. */
const demoCredentials = { username: 'demo', password: 'demo' } as const

export function signInPage(step: WidgetStep & { readonly requiresDesktopApp?: boolean }): string {
  const desktop = step.requiresDesktopApp
    ? html`<p>This bank needs the desktop app to be open when data is refreshed.</p>\n`
    : ''
  return widgetPage(step, `Sign in to ${step.institutionName}`, [
    html`${desktop}<p class="hint" id="made-up">The fields hold made-up values. Any others do as well.</p>
<div class="field">
<label for="username">User name</label>
<input type="text" id="username" name="${formFields.username}" value="${demoCredentials.username}" aria-describedby="made-up" autocomplete="off" autocapitalize="none" spellcheck="false" required>
</div>
<div class="field">
<label for="password">Password</label>
<input type="password" id="password" name="${formFields.password}" value="${demoCredentials.password}" aria-describedby="made-up" autocomplete="off" required>
</div>
`,
    buttons('Sign in'),
  ])
}

export function questionPage(step: WidgetStep & { readonly question: string }): string {
  return widgetPage(step, `${step.institutionName} asks a security question`, [
    html`<div class="field">
<label for="answer">${step.question}</label>
<p class="hint" id="any-answer">Any answer is right.</p>
<input type="text" id="answer" name="${formFields.answer}" aria-describedby="any-answer" autocomplete="off" required>
</div>
`,
    buttons('Answer'),
  ])
}

export interface OfferedAccount {
  readonly id: string
  readonly name: string
  /** At most the last 4 digits. */
  readonly mask: string | null
  readonly chosen: boolean
}

export function accountsPage(step: WidgetStep & { readonly accounts: readonly OfferedAccount[] }): string {
  const choices = step.accounts.map(
    ({ id, name, mask, chosen }) =>
      html`<label class="choice"><input type="checkbox" name="${formFields.account}" value="${id}"${chosen ? html` checked` : ''}> ${name}${mask === null ? '' : ` ending ${mask}`}</label>
`,
  )
  return widgetPage(step, 'Choose the accounts to share', [
    html`<fieldset>
<legend>Accounts at ${step.institutionName}</legend>
${choices}</fieldset>
`,
    buttons('Share these accounts'),
  ])
}

/** The bank refused, and the user can do nothing here but leave or try again. */
export function refusedPage(
  step: WidgetStep & { readonly reason: string; readonly canRetry: boolean },
): string {
  return widgetPage(step, `${step.institutionName} could not be connected`, [
    html`<p class="error" role="alert">${step.reason}</p>
`,
    step.canRetry ? buttons('Try again') : button(formActions.cancel, 'Close', ''),
  ])
}

function widgetPage(step: WidgetStep, heading: string, fields: readonly Html[]): string {
  const { name, promise } = widgets[step.source]
  return htmlDocument({
    heading,
    simulation: true,
    body: html`<p>${name} widget. ${promise}</p>
${step.message === undefined ? '' : html`<p class="error" role="alert">${step.message}</p>`}
<form method="post" action="${step.action}">
${hidden({ [formFields.token]: step.token })}${fields}</form>`,
  })
}

function buttons(label: string): Html {
  return html`${button(formActions.continue, label, '')}${button(formActions.cancel, 'Cancel', html` class="quiet" formnovalidate`)}`
}

function button(action: string, label: string, attributes: Html | ''): Html {
  return html`<button type="submit" name="${formFields.action}" value="${action}"${attributes}>${label}</button>
`
}
