import type { ExitName } from './exit-codes.ts'

/** The command did its work and the outcome is not the hoped-for one, with the exit code that says which. */
export class OutcomeError extends Error {
  override readonly name = 'OutcomeError'
  readonly code: string
  readonly exit: ExitName
  readonly hint: string | undefined

  constructor(
    message: string,
    options: { readonly code: string; readonly exit: ExitName; readonly hint?: string },
  ) {
    super(message)
    this.code = options.code
    this.exit = options.exit
    this.hint = options.hint
  }
}
