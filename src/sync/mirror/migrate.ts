/** Brings a database to the newest schema under a lock, and refuses one that is no mirror or belongs to a later version. */
import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { MirrorError } from './mirror-error.ts'
import { type Dialect, schemaChanges, sqliteDialect } from './sql.ts'
import { schemaVersion } from './tables.ts'

/** 'bkMi': identifies a mirror among SQLite files. */
const APPLICATION_ID = 0x626b_4d69

/** The views in the order of their creation: a later one may use an earlier one. */
export const views = [
  'ledger',
  'pending',
  'broken_connections',
  'balances_daily',
  'cashflow_monthly',
] as const

/** The SQL of a view, as one SELECT. The built program has the files beside it, too. */
export function viewSource(name: (typeof views)[number], { kind }: Dialect): string {
  const text = readFileSync(new URL(`./views/${name}.sql`, import.meta.url), 'utf8')
  // A line that ends with `-- sqlite` or `-- postgres` is for that database alone.
  const other = kind === 'sqlite' ? 'postgres' : 'sqlite'
  return text
    .split('\n')
    .filter((line) => !line.trimEnd().endsWith(`-- ${other}`))
    .join('\n')
    .trim()
    .replace(/;$/, '')
}

/** The statements that bring a database of this version to the newest, views included. */
export function migration(dialect: Dialect, from: number): readonly string[] {
  const statements = [...schemaChanges(dialect, from)]
  // Postgres can replace a view that others were built on, as long as its columns stay; SQLite binds views by name.
  const create = dialect.kind === 'postgres' ? 'CREATE OR REPLACE VIEW' : 'CREATE VIEW'
  if (dialect.kind === 'sqlite') {
    for (const name of views.toReversed()) statements.push(`DROP VIEW IF EXISTS "${name}"`)
  }
  for (const name of views) statements.push(`${create} "${name}" AS\n${viewSource(name, dialect)}`)
  statements.push(
    `INSERT INTO mirror (name, value) VALUES ('schema_version', '${schemaVersion}')
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
  return statements
}

export function refuseNewer(version: number, shown: string): void {
  if (version <= schemaVersion) return
  throw new MirrorError(
    'newer_mirror',
    `The mirror ${shown} was made by a later version of bankapi (schema ${version}; this one knows ${schemaVersion}).`,
    'Update bankapi: npm install -g bankapi@latest',
  )
}

const numberOf = (database: DatabaseSync, pragma: string) =>
  Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] as number
const isOurs = (database: DatabaseSync) => numberOf(database, 'application_id') === APPLICATION_ID

/** @throws MirrorError for what may not be written: a mirror of a later version, a database of another program. */
export function refuseForeignSqlite(database: DatabaseSync, path: string): void {
  if (isOurs(database)) {
    refuseNewer(numberOf(database, 'user_version'), path)
    return
  }
  if (database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return
  throw new MirrorError(
    'not_a_mirror',
    `${path} is a database of another program.`,
    'Choose another file with --to',
  )
}

/** Several processes may do it at once: one migrates, the others wait. @throws MirrorError */
export function migrateSqlite(database: DatabaseSync, path: string, readOnly: boolean): void {
  refuseForeignSqlite(database, path)
  const isCurrent = () => isOurs(database) && numberOf(database, 'user_version') === schemaVersion
  if (isCurrent()) return
  if (readOnly) {
    throw new MirrorError('not_a_mirror', `${path} is not a mirror of this version.`, 'Make it: bankapi sync')
  }
  database.exec('BEGIN IMMEDIATE')
  try {
    refuseForeignSqlite(database, path)
    const from = isOurs(database) ? numberOf(database, 'user_version') : 0
    for (const statement of isCurrent() ? [] : migration(sqliteDialect, from)) database.exec(statement)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${schemaVersion}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
