/** A process that runs one query of the user on a SQLite mirror, which it can only read. It ends with the query. */
import { constants, DatabaseSync } from 'node:sqlite'
import { twiceNamed } from './twice-named.ts'

export interface QueryTask {
  readonly path: string
  readonly sql: string
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

async function run({ path, sql }: QueryTask, send: (result: QueryResult) => Promise<void>): Promise<void> {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
    // Reading alone is allowed: no ATTACH, which would open other files, and no PRAGMA.
    database.setAuthorizer((action, name) => {
      if (action === constants.SQLITE_FUNCTION && name === 'load_extension') return constants.SQLITE_DENY
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
    for (const row of statement.iterate()) {
      rows.push(Object.fromEntries(Object.entries(row).map(([k, v]) => [k, plain(v)])))
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
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : String(value)
  }
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

process.once('message', (task: QueryTask) => {
  // A batch is on its way before the next one is read.
  const send = (result: QueryResult) =>
    new Promise<void>((resolve) => process.send?.(result, () => resolve()))
  void run(task, send).then(() => process.disconnect())
})
