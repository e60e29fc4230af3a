/** A process that runs one query of the user on a SQLite mirror, which it can only read. It ends with the query. */
import { constants, DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { QueryWindow } from './mirror.ts'
import { openWithoutPersonal } from './query-personal.ts'
import { twiceNamed } from './twice-named.ts'

export interface QueryTask {
  /** The id of the process that asks. */
  readonly parent: number
  readonly path: string
  readonly sql: string
  readonly window?: QueryWindow | undefined
  /** The columns of each table to leave empty; other tables cannot be read then. */
  readonly personal?: Readonly<Record<string, readonly string[]>> | undefined
}

/** Rows come in batches; the last message is one with `done` or a `problem`. */
export type QueryResult =
  | { readonly rows: readonly Record<string, unknown>[] }
  | { readonly done: true }
  | { readonly problem: string; readonly errcode?: number | undefined }

const readingActions: readonly number[] = [
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]

const BATCH = 1000

/** Of a value of a query that is read in part: a larger one is an error. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024

async function run(task: QueryTask, send: (result: QueryResult) => Promise<void>): Promise<void> {
  const { path, sql, window, personal } = task
  const { skip = 0, rows: wanted = Number.POSITIVE_INFINITY, characters } = window ?? {}
  try {
    const options = {
      readOnly: true,
      timeout: 10_000,
      ...(window === undefined ? {} : { limits: { length: MAX_VALUE_BYTES } }),
    }
    const { database, mayRead } =
      personal === undefined
        ? { database: new DatabaseSync(path, options), mayRead: () => constants.SQLITE_OK }
        : openWithoutPersonal(path, personal, options)
    // Reading alone is allowed: no ATTACH, which would open other files, and no PRAGMA.
    database.setAuthorizer((action, name, column, schema) => {
      if (action === constants.SQLITE_READ) return mayRead(name, column, schema)
      if (action === constants.SQLITE_FUNCTION && column === 'load_extension') return constants.SQLITE_DENY
      return readingActions.includes(action) ? constants.SQLITE_OK : constants.SQLITE_DENY
    })
    const statement = database.prepare(sql)
    // What SQLite took is the first statement.
    const rest = sql
      .slice(statement.sourceSQL.length)
      .replaceAll(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\s;]/g, '')
    if (rest !== '') return await send({ problem: 'it may be one statement alone' })
    const names = statement.columns().map(({ name }) => name)
    if (names.length === 0) return await send({ problem: 'it returns no rows' })
    const twice = twiceNamed(names)
    if (twice !== undefined) return await send({ problem: twice })
    statement.setReadBigInts(true)
    let rows: Record<string, unknown>[] = []
    let met = 0
    for (const row of statement.iterate()) {
      if (met++ < skip) continue
      rows.push(Object.fromEntries(Object.entries(row).map(([k, v]) => [k, plain(v, characters)])))
      if (met - skip === wanted) break
      if (rows.length < BATCH) continue
      await send({ rows })
      rows = []
    }
    await send({ rows })
    await send({ done: true })
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    await send({ problem: message, errcode })
  }
}

/** A value as JSON can show it: a large integer as text, bytes in hex. */
function plain(value: unknown, characters: number | undefined): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : String(value)
  }
  if (typeof value === 'string') return value.slice(0, characters)
  return value instanceof Uint8Array ? Buffer.from(value.subarray(0, characters)).toString('hex') : value
}

/**
 * Kills this process once it has another parent than the one that started it. SQLite keeps the main thread busy, where nobody
 * would hear that the channel closed, and so a worker looks.
 */
function endWithParent(parent: number): void {
  const watch = `setInterval(() => process.ppid === ${parent} || process.kill(process.pid, 'SIGKILL'), 500)`
  new Worker(watch, { eval: true }).unref()
}

process.once('message', (task: QueryTask) => {
  endWithParent(task.parent)
  // A batch is on its way before the next one is read.
  const send = (result: QueryResult) =>
    new Promise<void>((resolve) => process.send?.(result, () => resolve()))
  void run(task, send).then(() => process.disconnect())
})
