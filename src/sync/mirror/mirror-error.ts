import { BankapiError, type ExitName } from '../../errors.ts'

/** The mirror cannot be used; nothing of the change that failed was written. */
export class MirrorError extends BankapiError {
  override readonly name = 'MirrorError'
  declare readonly code: MirrorErrorCode

  constructor(
    code: MirrorErrorCode,
    sentence: string,
    hint: string,
    { cause, exit = 'usage' }: { cause?: unknown; exit?: ExitName } = {},
  ) {
    super(sentence, { code, exit, hint, cause })
  }
}

export type MirrorErrorCode =
  | 'bad_destination'
  | 'unsafe_file'
  | 'not_a_mirror'
  | 'newer_mirror'
  | 'other_environment'
  | 'other_customer'
  | 'not_writable'
  | 'busy'
  | 'full'
  | 'lost'
  | 'query_failed'
  | 'no_mirror'
  | 'no_such_row'
