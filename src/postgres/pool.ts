/** Opens connections to Postgres: verified TLS beyond this machine, nothing logged, and a lost connection crashes nothing. */
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { Pool, type PoolConfig } from 'pg'

export type { Pool, PoolClient, QueryResultRow } from 'pg'

import { type PostgresAddress, PostgresAddressError, staysOnMachine } from './address.ts'
import { passwordInFile } from './password-file.ts'

export interface PoolOptions {
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** Connections at most. */
  max: number
  /** For PGUSER, PGPASSWORD, PGPASSFILE and PGSSLROOTCERT. */
  env: Readonly<Record<string, string | undefined>>
  /** How long one query may take; default: as long as it needs. */
  queryTimeoutMs?: number | undefined
  /** Settings of the server for each session, such as search_path. Their values have no spaces. */
  settings?: Readonly<Record<string, string>> | undefined
  /** How values are read, by type; default: as `pg` does. */
  types?: PoolConfig['types']
  /** How long a connection may take to be made, or to become free; default 5 s. */
  connectTimeoutMs?: number | undefined
}

/** Also for a free connection of the pool. */
const CONNECT_TIMEOUT_MS = 5000
const IDLE_TIMEOUT_MS = 30_000

/**
 * A pool that connects when it is first used. Without PGPASSWORD the password comes from PGPASSFILE or ~/.pgpass.
 * Throws PostgresAddressError when PGSSLROOTCERT cannot be read.
 */
export function openPool(address: PostgresAddress, options: PoolOptions): Pool {
  const { applicationName, max, env, queryTimeoutMs, settings = {}, types, connectTimeoutMs } = options
  const { host, port, database } = address
  const user = address.user ?? env['PGUSER'] ?? userInfo().username
  const pool = new Pool({
    host,
    port,
    database,
    user,
    password: env['PGPASSWORD'] || (async () => passwordInFile(address, user, env) ?? ''),
    // Given explicitly: else PGSSLMODE could turn the check of the certificate off.
    ssl:
      address.tls || !staysOnMachine(address) ? { rejectUnauthorized: true, ...rootCertificate(env) } : false,
    application_name: applicationName,
    max,
    connectionTimeoutMillis: connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types,
    ...(queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs }),
  })
  // A connection lost while idle is replaced by the next use; one lost between two statements fails the second.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The authority named by PGSSLROOTCERT; without it those that Node trusts. */
function rootCertificate(env: PoolOptions['env']): { ca?: string } {
  const path = env['PGSSLROOTCERT']
  if (path === undefined || path === '' || path === 'system') return {}
  try {
    return { ca: readFileSync(path, 'utf8') }
  } catch {
    throw new PostgresAddressError(
      'needs the certificate authority in PGSSLROOTCERT, and that file cannot be read',
      'Name a file in PEM format.',
    )
  }
}
