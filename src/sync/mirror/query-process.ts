/** A process that runs one query of the user on a SQLite mirror, which it can only read. It ends with the query. */
import { constants, DatabaseSync } from 'node:sqlite'

export interface QueryTask {
  readonly path: string
  readonly sql: string
}

export type QueryResult =
  | { readonly rows: readonly Record<string, unknown>[] }
  | { readonly problem: string; readonly errcode?: number | undefined }

const readingActions: readonly number[] = [
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]

function run({ path, sql }: QueryTask): QueryResult {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
    // Reading alone is allowed: no ATTACH, which would open other files, and no PRAGMA.
    database.setAuthorizer((action, name) => {
      if (action === constants.SQLITE_FUNCTION && name === 'load_extension') return constants.SQLITE_DENY
      return readingActions.includes(action) ? constants.SQLITE_OK : constants.SQLITE_DENY
    })
    const statement = database.prepare(sql)
    if (statement.columns().length === 0) return { problem: 'it returns no rows' }
    statement.setReadBigInts(true)
    const rows = statement
      .all()
      .map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, plain(v)])))
    return { rows }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { problem: message, errcode }
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
  process.send?.(run(task), () => process.disconnect())
})
