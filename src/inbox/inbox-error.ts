import { BankapiError, type ExitName } from '../errors.ts'

/**
 * The inbox cannot be used; `hint` says what to do (exit 2, or that of the trouble with its database). `busy`, `full`,
 * `replaced` and `unreachable` may pass: what could not be stored may be tried again.
 */
export class InboxError extends BankapiError {
  override readonly name = 'InboxError'
  declare readonly code: InboxErrorCode

  constructor(
    code: InboxErrorCode,
    sentence: string,
    hint: string | undefined,
    options: ErrorOptions & { exit?: ExitName } = {},
  ) {
    super(sentence, { code, exit: options.exit ?? 'usage', hint, cause: options.cause })
  }

  /** Whether another process or a database is the reason, and reading again may help. */
  get mayPass(): boolean {
    return this.code === 'busy' || this.code === 'unreachable'
  }
}

export type InboxErrorCode =
  | 'unsafe_file'
  | 'not_an_inbox'
  | 'newer_inbox'
  | 'not_writable'
  | 'busy'
  | 'unreachable'
  | 'full'
  | 'replaced'

/** SQLITE_BUSY and its extended codes. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

/** What an error of SQLite means for the user of the inbox at this path. */
export function inboxError(error: unknown, path: string): InboxError {
  if (error instanceof InboxError) return error
  const cause = { cause: error }
  const { message } = error as Error
  switch (primaryCode(error)) {
    case 5:
      return new InboxError(
        'busy',
        `The inbox ${path} is locked by another process.`,
        'See which: fuser or lsof tells who has it open.',
        cause,
      )
    // SQLITE_CORRUPT, SQLITE_NOTADB.
    case 11:
    case 26:
      return new InboxError(
        'not_an_inbox',
        `${path} is not a readable inbox (${message}).`,
        `Move it away: mv '${path}' '${path}.old'`,
        cause,
      )
    case 13:
      return new InboxError(
        'full',
        `The inbox ${path} cannot grow: the disk or inbox.max_size is full.`,
        'Make room, raise inbox.max_size, or keep deliveries for a shorter time with inbox.keep.',
        cause,
      )
    default:
      return new InboxError(
        'not_writable',
        `The inbox ${path} cannot be used (${message}).`,
        'Make room, or choose another place with BANKAPI_DATA_DIR.',
        cause,
      )
  }
}

export function isSqliteError(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_SQLITE_ERROR'
}

function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256
}
