/** Parses the address of a Postgres database, postgres://user@host:port/database. It never holds a password. */
import { BankapiError } from '../errors.ts'

export interface PostgresAddress {
  /** A host name, an IP address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  /** Undefined: PGUSER, else the user of this machine. */
  readonly user: string | undefined
  /** Whether to use TLS on loopback as well; beyond it TLS is always used. */
  readonly tls: boolean
}

/** The address cannot be used (exit 2). The message never repeats it: it may hold a password. */
export class PostgresAddressError extends BankapiError {
  override readonly name = 'PostgresAddressError'

  readonly fault: string

  constructor(fault: string, hint = 'It looks like postgres://user@db.example.com:5432/database.') {
    super(`The Postgres address ${fault}.`, { code: 'postgres_address_invalid', exit: 'usage', hint })
    this.fault = fault
  }
}

const passwordFault = 'has a password in it'
const passwordHint = 'Put the password into PGPASSWORD, a file named by PGPASSFILE, or ~/.pgpass.'
const withTls: readonly (string | null)[] = ['require', 'verify-ca', 'verify-full']
const withoutTls: readonly (string | null)[] = [null, 'disable', 'allow', 'prefer']

/** Whether a text is meant as the address of a Postgres database. */
function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:/i.test(text.trim())
}

/**
 * Query parameters: `sslmode` as libpq spells it, and `host` for the folder of a Unix socket.
 * Throws PostgresAddressError.
 */
export function postgresAddress(text: string): PostgresAddress {
  const url = isPostgresAddress(text) ? URL.parse(text.trim()) : null
  if (url === null) throw new PostgresAddressError('is not a postgres:// URL')
  const { searchParams: query } = url
  if (url.password !== '' || query.has('password')) {
    throw new PostgresAddressError(passwordFault, passwordHint)
  }
  const unknown = [...query.keys()].find((name) => name !== 'sslmode' && name !== 'host')
  if (unknown !== undefined || url.hash !== '') {
    throw new PostgresAddressError('has parameters other than sslmode and host')
  }
  const host = query.get('host') ?? decoded(url.hostname).replace(/^\[(.*)\]$/, '$1')
  if (host === '') {
    const hint = 'Name a host, or the folder of its socket: postgres:///database?host=/var/run/postgresql.'
    throw new PostgresAddressError('names no host', hint)
  }
  const database = decoded(url.pathname.slice(1))
  if (database === '' || database.includes('/')) throw new PostgresAddressError('names no database')
  const mode = query.get('sslmode')
  const tls = withTls.includes(mode)
  if (!tls && !withoutTls.includes(mode)) throw new PostgresAddressError('has an unknown sslmode')
  const address = {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database,
    user: url.username === '' ? undefined : decoded(url.username),
    tls,
  }
  if (mode === 'disable' && !staysOnMachine(address)) {
    throw new PostgresAddressError(
      'turns TLS off, and its host is not this machine',
      'Leave sslmode out: beyond this machine TLS with a verified certificate is always used.',
    )
  }
  return address
}

/** What is wrong with an address, as the end of a sentence; undefined when nothing is. */
export function postgresFault(text: string): string | undefined {
  try {
    postgresAddress(text)
    return undefined
  } catch (error) {
    if (!(error instanceof PostgresAddressError)) throw error
    return error.fault === passwordFault
      ? `${passwordFault}: ${passwordHint}`.replace(/\.$/, '')
      : error.fault
  }
}

/** The address for people. It holds no secret. */
export function shownAddress({ user, host, port, database }: PostgresAddress): string {
  const name = user === undefined ? '' : `${encodeURIComponent(user)}@`
  const shownHost = host.includes(':') ? `[${host}]` : encodeURIComponent(host)
  return `postgres://${name}${shownHost}${port === 5432 ? '' : `:${port}`}/${encodeURIComponent(database)}`
}

/** Whether a connection to it never leaves this machine: loopback or a Unix socket. */
export function staysOnMachine({ host }: Pick<PostgresAddress, 'host'>): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new PostgresAddressError('is not spelled as a URL')
  }
}
