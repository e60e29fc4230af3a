/** Brings a Postgres database to the newest schema under a lock, and refuses one that belongs to a later version. */
import type { Pool, PoolClient } from '../../postgres/pool.ts'
import { migration, refuseNewer } from './migrate.ts'
import { MirrorError } from './mirror-error.ts'
import { postgresDialect } from './sql.ts'
import { schemaVersion } from './tables.ts'

/** The schema of the tables and views, apart from those of the user. */
export const SCHEMA = 'bankapi'

/** The first key of the mirror's advisory locks, 'bkMi', and the second: what is locked. */
export const locks = { mirror: 0x626b_4d69, migration: 1, run: 2 } as const

/** Several programs may do it at once: one migrates, the others wait. @throws MirrorError */
export async function migratePostgres(
  pool: Pool,
  { shown, readOnly }: { readonly shown: string; readonly readOnly: boolean },
): Promise<void> {
  const client = await pool.connect()
  try {
    const found = await versionOf(client)
    refuseNewer(found ?? 0, shown)
    if (found === schemaVersion) return
    if (readOnly) {
      throw new MirrorError(
        'no_mirror',
        `There is no mirror of this version in ${shown}.`,
        'Make it: bankapi sync',
        {
          exit: 'notFound',
        },
      )
    }
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [locks.mirror, locks.migration])
    const version = await versionOf(client)
    refuseNewer(version ?? 0, shown)
    if (version === undefined) await createSchema(client, shown)
    if (version !== schemaVersion) {
      for (const statement of migration(postgresDialect, version ?? 0)) await client.query(statement)
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}

/** Undefined where there is no mirror. Asks the catalog's tables: a name that was looked up before may be cached as absent. */
async function versionOf(client: PoolClient): Promise<number | undefined> {
  const { rows } = await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
    SCHEMA,
    'mirror',
  ])
  if (rows.length === 0) return undefined
  const { rows: found } = await client.query(
    `SELECT value FROM ${SCHEMA}.mirror WHERE name = 'schema_version'`,
  )
  return Number(found[0]?.value ?? 0)
}

/** The owner of the database may have made the schema, for a user who cannot. */
async function createSchema(client: PoolClient, shown: string): Promise<void> {
  const { rows } = await client.query('SELECT oid FROM pg_namespace WHERE nspname = $1', [SCHEMA])
  if (rows.length === 0) {
    await client.query(`CREATE SCHEMA ${SCHEMA}`)
    return
  }
  const used = await client.query('SELECT 1 FROM pg_class WHERE relnamespace = $1 LIMIT 1', [rows[0].oid])
  if (used.rows.length > 0) {
    throw new MirrorError(
      'not_a_mirror',
      `The schema ${SCHEMA} of ${shown} is of another program.`,
      'Choose another database with --to',
    )
  }
}
