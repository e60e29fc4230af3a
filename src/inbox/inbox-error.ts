/** The inbox cannot be used; `hint` says what to do. */
export class InboxError extends Error {
  override readonly name = 'InboxError'
  readonly code: 'unsafe_file' | 'not_an_inbox' | 'newer_inbox' | 'not_writable'
  readonly hint: string

  constructor(code: InboxError['code'], message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.hint = hint
  }
}
