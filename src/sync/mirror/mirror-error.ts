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
  | 'query_failed'
  | 'personal_columns'
  | 'no_mirror'
  | 'no_such_row'
  | 'still_held'
  | 'unknown_client'
  | 'client_forgotten'
  /** What src/postgres/trouble.ts names. */
  | `postgres_${string}`

/** The database refuses a query of the user. */
export function queryFailed(problem: string): MirrorError {
  const refused = /not authorized|prohibited|cannot modify|readonly|read-only/i.test(problem)
  return new MirrorError(
    'query_failed',
    `The query cannot be run: ${refused ? 'it may only read the mirror' : problem}`,
    'See the tables and views: bankapi sync schema',
  )
}

/** Names would have to be hidden from a query where they cannot be. */
export function personalOnPostgres(): MirrorError {
  return new MirrorError(
    'personal_columns',
    'On Postgres a query can read names, e-mail addresses and account masks, which are not to be shown.',
    'Allow them with --pii, or keep the mirror in a SQLite file: there these columns can be left empty',
  )
}
