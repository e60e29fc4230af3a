/** Names of the fields that the hosted pages send, for the handlers that read them. */
export const formFields = {
  /** The connect session's or the link's token, in every form. */
  token: 'token',
  /** What the user searches a bank by. */
  query: 'q',
  /** The bank chosen. */
  institution: 'institution_id',
  /** What the user does with a step: one of `formActions`. */
  action: 'action',
  username: 'username',
  password: 'password',
  /** The answer to the bank's security question. */
  answer: 'answer',
  /** An account to share; sent once per account ticked. */
  account: 'account_id',
} as const

/** Values of `formFields.action`. */
export const formActions = {
  /** Goes on to the next step. */
  continue: 'continue',
  /** Leaves without linking. */
  cancel: 'cancel',
} as const
