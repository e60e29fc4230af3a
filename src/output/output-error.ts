/** A request about output that cannot be met: an unknown column, a jq program with a mistake in it. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
  /** Usage: the user can correct the command line. */
  readonly exitCode = 2
  readonly code: 'usage' | 'jq_failed'
  /** What to do about it, for a reader. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string, code: 'usage' | 'jq_failed' = 'usage') {
    super(message)
    this.hint = hint
    this.code = code
  }
}
