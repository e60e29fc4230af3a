/** Runs a query of the user on Postgres: in a session of its own, which can only read and is cancelled there when it is aborted. */
import { BankapiError } from '../../errors.ts'
import type { Pool, PoolClient } from '../../postgres/pool.ts'
import type { QueryOptions } from './mirror.ts'
import { MirrorError, queryFailed } from './mirror-error.ts'
import { twiceNamed } from './twice-named.ts'

/** How long a cancelled query may take to end before its session is given up. */
const CANCEL_MS = 2000
const BATCH = 1000

export interface ReadOnlyQuery extends Omit<QueryOptions, 'withoutPersonal'> {
  readonly sql: string
  /** Opens the session; ended afterwards. */
  readonly pool: Pool
  /** Cancels what a session runs, from another one. */
  readonly cancel: (processId: number) => Promise<unknown>
  /** What an error of the database means. */
  readonly explain: (error: unknown) => unknown
}

/** Rejects with MirrorError `query_failed` for what the database refuses, writing included, and with the signal's reason. */
export async function queryPostgres(
  { sql, pool, cancel, explain, ...options }: ReadOnlyQuery,
  signal: AbortSignal,
): Promise<readonly Record<string, unknown>[]> {
  signal.throwIfAborted()
  try {
    const client = await pool.connect()
    try {
      return await untilAborted(read(client, sql, options), signal, () => {
        const { processID } = client as PoolClient & { readonly processID: number }
        return cancel(processID)
      })
    } finally {
      client.release(true)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BankapiError) throw error
    const known = explain(error)
    if (known instanceof MirrorError && !isRefusal(error)) throw known
    throw queryFailed(error instanceof Error ? error.message : String(error))
  } finally {
    void pool.end()
  }
}

/** A cursor is for one query that reads: the grammar of Postgres has no place for any other statement there. */
async function read(
  client: PoolClient,
  sql: string,
  { window, onRows }: QueryOptions,
): Promise<readonly Record<string, unknown>[]> {
  await client.query('BEGIN TRANSACTION READ ONLY')
  const declare = { text: `DECLARE answer NO SCROLL CURSOR FOR ${sql}`, queryMode: 'extended' as const }
  await client.query(declare)
  if (window !== undefined) await client.query(`MOVE ${window.skip} FROM answer`)
  const batch = Math.min(BATCH, window?.rows ?? BATCH)
  const all: Record<string, unknown>[] = []
  for (;;) {
    const { rows, fields } = await client.query<Record<string, unknown>>(`FETCH ${batch} FROM answer`)
    const twice = twiceNamed(fields.map(({ name }) => name))
    if (twice !== undefined) throw queryFailed(twice)
    onRows?.(rows)
    for (const row of rows) all.push(row)
    if (rows.length < batch || all.length === window?.rows) break
  }
  await client.query('ROLLBACK')
  return all
}

/** Rejects with the signal's reason, once the work was cancelled or did not end in time. */
async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  cancel: () => Promise<unknown>,
): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => reject(signal.reason), CANCEL_MS)
    cancel().catch(() => reject(signal.reason))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, givenUp])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    work.catch(() => undefined)
  }
}

/** Whether it is the query that is refused, and not the connection that is in trouble. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === '25006' || code === '42501'
}
