import { BankapiError } from '../errors.ts'

/** The inbox cannot be used; `hint` says what to do (exit 2). */
export class InboxError extends BankapiError {
  override readonly name = 'InboxError'

  constructor(
    code: 'unsafe_file' | 'not_an_inbox' | 'newer_inbox' | 'not_writable',
    sentence: string,
    hint: string,
    options?: ErrorOptions,
  ) {
    super(sentence, { code, exit: 'usage', hint, cause: options?.cause })
  }
}
