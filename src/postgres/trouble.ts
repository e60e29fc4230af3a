/** Explains errors of Postgres and of the connection to it: one sentence, a hint and an exit code. */
import { BankapiError, type ExitName } from '../errors.ts'
import { type PostgresAddress, shownAddress } from './address.ts'

interface Trouble {
  readonly code: string
  readonly exit: ExitName
  /** The sentence, `@` standing for the database. */
  readonly says: string
  readonly hint: string
}

const unreachable: Trouble = {
  code: 'postgres_unreachable',
  exit: 'unreachable',
  says: '@ cannot be reached, or the connection to it was lost',
  hint: 'See whether it runs and accepts connections: psql with the same address.',
}
const notAuthenticated: Trouble = {
  code: 'postgres_not_authenticated',
  exit: 'notAuthenticated',
  says: '@ refuses the user or the password',
  hint: 'Put the password into PGPASSWORD, a file named by PGPASSFILE, or ~/.pgpass.',
}
const tls: Trouble = {
  code: 'postgres_tls',
  exit: 'unreachable',
  says: '@ offers no TLS with a certificate that can be verified',
  hint: 'Name the file of a private certificate authority in PGSSLROOTCERT. Without TLS only this machine is reached.',
}
const noDatabase: Trouble = {
  code: 'postgres_no_database',
  exit: 'usage',
  says: '@ does not exist',
  hint: 'Create it: createdb with the same host, user and name.',
}
const notAllowed: Trouble = {
  code: 'postgres_not_allowed',
  exit: 'notAllowed',
  says: '@ does not allow this to its user',
  hint: 'Let the owner of the database or of its tables be the user of the address.',
}
const readOnly: Trouble = {
  code: 'postgres_read_only',
  exit: 'usage',
  says: '@ is read-only',
  hint: 'Use the address of the primary server: a standby only answers queries.',
}
const full: Trouble = {
  code: 'postgres_full',
  exit: 'usage',
  says: '@ cannot grow: the disk of its server is full',
  hint: 'Make room on the server.',
}
const busy: Trouble = {
  code: 'postgres_busy',
  exit: 'unreachable',
  says: '@ has no connection or lock left, or took too long',
  hint: 'Try again; raise max_connections if many programs use the server.',
}

/** By SQLSTATE, whole or its class, and by the code of Node's error. */
const bySqlState: Readonly<Record<string, Trouble>> = {
  '08': unreachable,
  '57P01': unreachable,
  '57P02': unreachable,
  '57P03': unreachable,
  '57P05': unreachable,
  '58': unreachable,
  '28': notAuthenticated,
  '3D': noDatabase,
  '42501': notAllowed,
  '25006': readOnly,
  '53100': full,
  '53': busy,
  '55P03': busy,
  '57014': busy,
  '40': busy,
}

const networkErrors =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN|ACCES|NOENT)$/
const tlsErrors = /^ERR_(TLS|SSL)_|CERT|SIGNATURE|^EPROTO$/

/** The driver's own errors have no code. */
const byMessage: readonly (readonly [RegExp, Trouble])[] = [
  [/^Connection terminated|^Client has encountered a connection error|^timeout expired/, unreachable],
  [/^Query read timeout|^timeout exceeded when trying to connect/, unreachable],
  [/does not support SSL|^There was an error establishing an SSL connection/, tls],
  [/^SASL:|password must be a string/, notAuthenticated],
]

/** Undefined for an error of anything else, and for one of our own SQL. `address` is named in the sentence. */
export function postgresTrouble(error: unknown, address?: PostgresAddress): BankapiError | undefined {
  if (error instanceof BankapiError) return error
  const trouble = error instanceof Error ? troubleOf(error) : undefined
  if (trouble === undefined) return undefined
  const { code, exit, says, hint } = trouble
  const database = address === undefined ? 'The Postgres database' : `The database ${shownAddress(address)}`
  return new BankapiError(`${says.replace('@', () => database)}.`, { code, exit, hint, cause: error })
}

function troubleOf({ code, message }: Error & { code?: unknown }): Trouble | undefined {
  if (typeof code === 'string') {
    if (/^[0-9A-Z]{5}$/.test(code)) {
      const known = bySqlState[code] ?? bySqlState[code.slice(0, 2)]
      if (known !== undefined) return known
    }
    if (networkErrors.test(code)) return unreachable
    if (tlsErrors.test(code)) return tls
  }
  return byMessage.find(([pattern]) => pattern.test(message))?.[1]
}
