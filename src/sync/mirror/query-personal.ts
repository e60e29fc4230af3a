/**
 * Opens a mirror for queries that must not read personal columns. A query sees views in place of the tables, with these columns
 * empty; the file is attached under a random name, which a query that was written before cannot contain. An authorizer alone
 * would not do: SQLite does not ask it about the columns of USING and NATURAL JOIN, and a mask is found by joining with every
 * number.
 */
import { randomBytes } from 'node:crypto'
import { constants, DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'

const { SQLITE_OK, SQLITE_DENY, SQLITE_IGNORE } = constants

/** What the query may read beside the mirror: JSON that it is given. */
const functions = ['json_each', 'json_tree']

export interface PersonalDatabase {
  readonly database: DatabaseSync
  /** The answer of an authorizer to SQLITE_READ. */
  readonly mayRead: (table: string | null, column: string | null, schema: string | null) => number
}

/** `personal` has every table that may be read, with its columns that are left empty. */
export function openWithoutPersonal(
  path: string,
  personal: Readonly<Record<string, readonly string[]>>,
  options: DatabaseSyncOptions,
): PersonalDatabase {
  const database = new DatabaseSync(':memory:', options)
  const file = `mirror_${randomBytes(16).toString('hex')}`
  database.prepare(`ATTACH ? AS ${file}`).run(path)
  for (const [table, hidden] of Object.entries(personal)) {
    const columns = database.prepare(`PRAGMA ${file}.table_info("${table}")`).all()
    const shown = columns.map(({ name }) => `${hidden.includes(String(name)) ? 'NULL AS ' : ''}"${name}"`)
    if (shown.length > 0)
      database.exec(`CREATE TEMP VIEW "${table}" AS SELECT ${shown.join(', ')} FROM ${file}."${table}"`)
  }
  // The views of the mirror again, over the views above.
  const views = database.prepare(`SELECT sql FROM ${file}.sqlite_schema WHERE type = 'view'`).all()
  for (const { sql } of views) database.exec(String(sql).replace(/^CREATE VIEW/, 'CREATE TEMP VIEW'))
  return {
    database,
    mayRead(table, column, schema) {
      if (table === null || table.startsWith('sqlite_')) return SQLITE_DENY
      if (schema === 'temp') return SQLITE_OK
      if (schema !== file) return functions.includes(table) ? SQLITE_OK : SQLITE_DENY
      const hidden = Object.hasOwn(personal, table) ? personal[table] : undefined
      if (hidden === undefined) return SQLITE_DENY
      return column !== null && hidden.includes(column) ? SQLITE_IGNORE : SQLITE_OK
    },
  }
}
