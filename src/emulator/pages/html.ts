/** HTML templates that escape their values, and the names of the form fields. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** `text` safe between tags and inside a quoted attribute. Not for scripts, styles or unquoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Markup that is already safe: made by `html`, or written in this folder. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[]

/** A template whose values are escaped, unless they are markup made by another `html`. */
export function html(literals: TemplateStringsArray, ...values: readonly Part[]): Html {
  const parts = literals.map((literal, index) => literal + markupOf(values[index] ?? ''))
  return { markup: parts.join('') }
}

function markupOf(value: Part): string {
  if (typeof value === 'object') {
    return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
  }
  return escapeHtml(String(value))
}

/** Names of the fields that the hosted pages send, for the handlers that read them. */
export const formFields = {
  /** The connect session's or the link's token, in every form. */
  token: 'token',
  /** The text to search banks by. */
  query: 'q',
  /** The bank chosen. */
  institution: 'institution_id',
  /** The button pressed: one of `formActions`. */
  action: 'action',
  username: 'username',
  password: 'password',
  /** The answer to the bank's security question. */
  answer: 'answer',
  /** An account to share; sent once per account ticked. */
  account: 'account_id',
  /** The step that a form belongs to, where its other fields do not tell. */
  step: 'step',
} as const

/** Values of `formFields.action`. */
export const formActions = {
  /** Goes on to the next step. */
  continue: 'continue',
  /** Leaves without linking. */
  cancel: 'cancel',
  /** Shows the accounts again, all of them ticked or none. */
  all: 'all',
  none: 'none',
  /** At a bank that does not answer: signs in once more, or ends the link. */
  retry: 'retry',
  giveUp: 'give_up',
} as const
