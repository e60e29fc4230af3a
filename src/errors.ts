/** The base class of every error that the user sees, and the documented exit codes. */

/** Every exit code with its meaning: scripts rely on this table, and help and docs/exit-codes.md show it. */
export const exitCodes = {
  done: { code: 0, meaning: 'done' },
  unexpected: { code: 1, meaning: 'unexpected: a bug here, or an answer nobody can classify' },
  usage: {
    code: 2,
    meaning: 'usage: bad flag, argument or input, refused before a request; confirmation missing',
  },
  notAuthenticated: { code: 3, meaning: 'not authenticated: no key, unknown_api_key, 401' },
  notAllowed: { code: 4, meaning: 'not allowed: insufficient_scope, 403' },
  notFound: { code: 5, meaning: 'not found: 404' },
  conflict: { code: 6, meaning: 'conflict: 409, idempotency_conflict' },
  rejected: { code: 7, meaning: 'rejected: 400/422, validation_failed, invalid_request' },
  rateLimited: { code: 8, meaning: 'rate limited: 429, after the allowed retries' },
  operationFailed: { code: 9, meaning: 'the operation failed (status: failed)' },
  stillRunning: {
    code: 10,
    meaning: 'still running when --timeout ran out; the hint names bankapi operations wait op_…',
  },
  unreachable: {
    code: 11,
    meaning: 'the service cannot be reached, or answers 5xx, after the allowed retries',
  },
  notVerified: { code: 12, meaning: 'a signature did not verify; an expected event did not come' },
  interrupted: { code: 130, meaning: 'interrupted' },
} as const

export type ExitName = keyof typeof exitCodes

export interface ErrorDetails {
  /** Stable: scripts branch on it. */
  readonly code: string
  readonly exit: ExitName
  /** What to do or to run next. */
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/**
 * An error with a stable `code`, a sentence that says what happened and why, a `hint` and an exit code. Subclasses exist
 * where one kind has to be told from another, or where an error carries more. None holds a secret.
 */
export class BankapiError extends Error {
  override readonly name: string = 'BankapiError'
  /** The message as it was given: oclif's parser rewrites `message` of what a flag's `parse` throws. */
  readonly sentence: string
  readonly code: string
  readonly exit: ExitName
  hint: string | undefined

  constructor(sentence: string, { code, exit, hint, cause }: ErrorDetails) {
    super(sentence, cause === undefined ? {} : { cause })
    this.sentence = sentence
    this.code = code
    this.exit = exit
    this.hint = hint
  }
}
