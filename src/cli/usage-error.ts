/** Bad flag, argument or input, refused before a request (exit 2). */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: string
  readonly hint: string | undefined

  constructor(message: string, options: { readonly code?: string; readonly hint?: string } = {}) {
    super(message)
    this.code = options.code ?? 'usage'
    this.hint = options.hint
  }
}
