/**
 * The mirror as a Postgres database, which many machines may write. Its tables and views are in the schema `bankapi`:
 * `select * from bankapi.ledger`.
 */
import {
  CompiledQuery,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  sql as raw,
  replaceWithNoncontingentExpression,
} from 'kysely'
import { type PostgresAddress, postgresAddress, shownAddress } from '../../postgres/address.ts'
import { openPool, type Pool, type PoolClient } from '../../postgres/pool.ts'
import { postgresTrouble } from '../../postgres/trouble.ts'
import { locks, migratePostgres, SCHEMA } from './migrate-postgres.ts'
import type { Mirror } from './mirror.ts'
import { MirrorError, personalOnPostgres } from './mirror-error.ts'
import { readTypes } from './postgres-types.ts'
import { queryPostgres } from './query-postgres.ts'
import { columnsOf, postgresDialect, upsert } from './sql.ts'
import { type MirrorTables, type Table, type TableName, tables } from './tables.ts'

export interface OpenPostgresMirror {
  readonly readOnly: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** Connections at most. */
  readonly connections: number
}

/** @throws MirrorError, PostgresAddressError */
export async function openPostgresMirror(url: string, options: OpenPostgresMirror): Promise<Mirror> {
  const address = postgresAddress(url)
  const shown = shownAddress(address)
  const pool = openMirrorPool(address, options)
  const explain = (error: unknown) => explained(error, address)
  try {
    await migratePostgres(pool, { shown, readOnly: options.readOnly })
  } catch (error) {
    await pool.end()
    throw explain(error)
  }
  const db = new Kysely<MirrorTables>({
    dialect: new PostgresDialect({ pool: poolForKysely(pool, explain) }),
    // SQLite takes `in ()`, Postgres does not.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  })
  const claims = new Set<Session>()
  return {
    kind: 'postgres',
    shown,
    db,
    transaction: (change) => db.transaction().execute(change),
    async put(on, table, rows) {
      if (rows.length > 0) await on.executeQuery(putQuery(table, rows))
    },
    oneOf: (values) => raw`(SELECT unnest(${arrayOf(values)}::text[]))`,
    async claim() {
      const session = await takeClaim(openMirrorPool(address, { ...options, connections: 1 }), shown).catch(
        (error: unknown) => {
          throw explain(error)
        },
      )
      claims.add(session)
      return {
        lost: session.lost,
        release() {
          claims.delete(session)
          void session.end()
        },
      }
    },
    query: async (sql, signal, { withoutPersonal, window, onRows } = {}) => {
      // A role may read what it was granted, under any name: nothing on this side of the connection hides a column from it.
      if (withoutPersonal) throw personalOnPostgres()
      return queryPostgres(
        {
          sql,
          pool: openMirrorPool(address, { ...options, readOnly: true, connections: 1 }),
          cancel: (processId) => pool.query('SELECT pg_cancel_backend($1)', [processId]),
          explain,
          ...{ window, onRows },
        },
        signal,
      )
    },
    // Its database is the user's.
    discard: async () => undefined,
    async close() {
      await Promise.all([...claims].map(({ end }) => end()))
      await pool.end()
    },
  }
}

/** A pool whose sessions see the mirror's tables, and read values as tables.ts says. */
function openMirrorPool(address: PostgresAddress, { env, connections, readOnly }: OpenPostgresMirror): Pool {
  return openPool(address, {
    applicationName: 'bankapi sync',
    max: connections,
    env,
    // A writer waits for one of its connections; a reader rather says that there is none.
    connectTimeoutMs: readOnly ? undefined : 30_000,
    types: readTypes,
    settings: {
      search_path: SCHEMA,
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      default_transaction_read_only: readOnly ? 'on' : 'off',
      // A cursor gives all its rows.
      cursor_tuple_fraction: '1',
      // A program that is stopped keeps no row locked that another waits for, and one whose machine is gone no session.
      idle_in_transaction_session_timeout: '10s',
      tcp_keepalives_idle: '30',
      tcp_keepalives_interval: '10',
      tcp_keepalives_count: '3',
    },
  })
}

interface Session {
  readonly lost: AbortSignal
  readonly end: () => Promise<void>
}

/** Takes the lock of runs for as long as the one connection of this pool is open. @throws MirrorError `busy` */
async function takeClaim(pool: Pool, shown: string): Promise<Session> {
  const lost = new AbortController()
  let session: PoolClient | undefined
  const end = async () => {
    session?.release(true)
    session = undefined
    await pool.end()
  }
  try {
    session = await pool.connect()
    session.on('error', (cause) => lost.abort(claimLost(shown, cause)))
    const { rows } = await session.query('SELECT pg_try_advisory_lock($1, $2) AS taken', [
      locks.mirror,
      locks.run,
    ])
    if (rows[0].taken) return { lost: lost.signal, end }
  } catch (error) {
    await end()
    throw error
  }
  await end()
  throw new MirrorError(
    'busy',
    `Another bankapi sync writes to ${shown}.`,
    'Let it end, or stop it: it can be resumed. For several at once: bankapi sync worker',
    { exit: 'conflict' },
  )
}

function claimLost(shown: string, cause: Error): MirrorError {
  return new MirrorError(
    'postgres_unreachable',
    `The connection to ${shown} that kept other runs out was lost.`,
    'What was read is committed; run the same command again to go on',
    { exit: 'unreachable', cause },
  )
}

/**
 * One statement for all rows. A column comes as an array, which Postgres reads a third faster than JSON, or as one value when
 * all rows have the same, as most columns of a page do. Rows are written in the order of their keys, so that two writers
 * cannot deadlock.
 */
function putQuery(table: TableName, rows: readonly object[]): CompiledQuery {
  const { key }: Table = tables[table]
  const columns = columnsOf(table, rows)
  const arrays: string[] = []
  const parameters: (string | null)[] = []
  const selected = columns.map(([name, { type: declared }]) => {
    const type = postgresDialect.types[declared]
    const values = rows.map((row) => textOf((row as Readonly<Record<string, unknown>>)[name]))
    const [first = null] = values
    if (values.every((value) => value === first)) return `$${parameters.push(first)}::${type} AS "${name}"`
    arrays.push(
      declared === 'json'
        ? `nullif(jsonb_array_elements($${parameters.push(jsonArrayOf(values))}), 'null') AS "${name}"`
        : `unnest($${parameters.push(arrayOf(values))}::${type}[]) AS "${name}"`,
    )
    return `"${name}"`
  })
  const from = arrays.length === 0 ? '' : `FROM (SELECT ${arrays.join(', ')}) AS r`
  const order = key.map((name) => `"${name}"`).join(', ')
  const source = `SELECT ${selected.join(', ')} ${from} ORDER BY ${order}`
  const names = columns.map(([name]) => name)
  return CompiledQuery.raw(upsert(table, names, source), parameters)
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

/** An array as Postgres reads it. */
function arrayOf(values: readonly (string | null)[]): string {
  const items = values.map((value) => {
    if (value === null) return 'NULL'
    return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
  })
  return `{${items.join(',')}}`
}

/** An array of JSON texts: they are full of characters that would have to be escaped in one of Postgres. */
function jsonArrayOf(values: readonly (string | null)[]): string {
  return `[${values.map((value) => value ?? 'null').join(',')}]`
}

/** What Kysely asks of a pool. Errors are explained, and texts are such as Postgres can store. */
function poolForKysely(pool: Pool, explain: (error: unknown) => unknown): PostgresPool {
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      throw explain(error)
    }
  }
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: () =>
      guarded(async () => {
        const client = await pool.connect()
        const query = (sql: string, parameters: readonly unknown[]) =>
          guarded(() => client.query(sql, parameters.map(storable)))
        return {
          query: query as never,
          release: (destroy?: boolean) => client.release(destroy),
        }
      }),
  }
}

/** Without NUL and halves of surrogate pairs. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value
}

/** What an error of Postgres means for the user of the mirror at this address; any other error as it is. */
export function explained(error: unknown, address: PostgresAddress): unknown {
  if (error instanceof MirrorError) return error
  const trouble = postgresTrouble(error, address)
  if (trouble === undefined) return error
  const { code, exit, sentence, hint = '' } = trouble
  return new MirrorError(code as `postgres_${string}`, sentence, hint, { exit, cause: error })
}
