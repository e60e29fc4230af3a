/** Runs statements of the inbox in Postgres. Every error becomes an InboxError, and whatever runs is awaited at the end. */
import { type PostgresAddress, shownAddress } from '../../postgres/address.ts'
import type { Pool, PoolClient, QueryResultRow } from '../../postgres/pool.ts'
import { postgresTrouble } from '../../postgres/trouble.ts'
import { InboxError, type InboxErrorCode } from '../inbox-error.ts'

export type Value = string | number | boolean | Uint8Array | null | undefined

export interface Database {
  /** The address, for people. */
  readonly place: string
  /** The rows of one statement, which is committed when this resolves. Rejects with InboxError. */
  query<Row extends QueryResultRow>(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** The rows of several statements without values, sent at once: nothing waits for this process between them. */
  script(sql: string): Promise<QueryResultRow[][]>
  transaction<T>(run: (client: PoolClient) => Promise<T>): Promise<T>
  attempt<T>(run: (pool: Pool) => Promise<T>): Promise<T>
  /** Waits for what was begun, then closes the connections. */
  close(): Promise<void>
}

export function databaseOf(pool: Pool, address: PostgresAddress): Database {
  const place = shownAddress(address)
  const running = new Set<Promise<unknown>>()

  async function attempt<T>(run: (pool: Pool) => Promise<T>): Promise<T> {
    const result = run(pool)
    running.add(result)
    try {
      return await result
    } catch (error) {
      throw inboxErrorOf(error, address)
    } finally {
      running.delete(result)
    }
  }

  return {
    place,
    attempt,
    async query(sql, values = []) {
      const { rows } = await attempt((pool) => pool.query(sql, values.map(sent)))
      return rows
    },
    async script(sql) {
      const results = (await attempt((pool) => pool.query(sql))) as unknown as { rows: QueryResultRow[] }[]
      return results.map(({ rows }) => rows)
    },
    transaction: (run) => attempt((pool) => inTransaction(pool, run)),
    async close() {
      while (running.size > 0) await Promise.allSettled(running)
      if (!pool.ending) await pool.end()
    },
  }
}

async function inTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // A connection that is lost between two statements is told by the next one.
  client.on('error', () => {})
  let broken: unknown
  try {
    await client.query('BEGIN')
    const result = await run(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    broken = await client.query('ROLLBACK').catch((reason: unknown) => reason)
    throw error
  } finally {
    client.removeAllListeners('error')
    client.release(broken instanceof Error)
  }
}

/** Postgres stores no NUL in a text; texts from outside may have it. */
function sent(value: Value): Value {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  // The driver takes only a Buffer for bytes.
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

const codes: Readonly<Record<string, InboxErrorCode>> = {
  postgres_full: 'full',
  postgres_busy: 'busy',
  postgres_unreachable: 'unreachable',
}

function inboxErrorOf(error: unknown, address: PostgresAddress): InboxError {
  if (error instanceof InboxError) return error
  const trouble = postgresTrouble(error, address)
  if (trouble !== undefined) {
    const { code, sentence, hint, exit } = trouble
    return new InboxError(codes[code] ?? 'not_writable', sentence, hint, { cause: error, exit })
  }
  // Not its message: it may repeat what was to be stored.
  const state = String((error as { code?: unknown }).code ?? (error as Error).name)
  return new InboxError(
    'not_writable',
    `The inbox in ${shownAddress(address)} cannot be used (${state}).`,
    'The log of the database says more about it.',
    { cause: error },
  )
}
