/** The mirror as a SQLite file of one machine, which only its owner may read. */
import { chmodSync, rmSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, sql as raw, SqliteDialect, type SqliteStatement } from 'kysely'
import { ensurePrivateDatabaseFile } from '../../machine/private-database-file.ts'
import { migrateSqlite, refuseForeignSqlite } from './migrate.ts'
import type { Mirror } from './mirror.ts'
import { MirrorError } from './mirror-error.ts'
import { columnsOf, upsert } from './sql.ts'
import { type MirrorTables, personalColumns } from './tables.ts'

/** How long a statement waits for another process, whose transactions take milliseconds. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens the file, and makes and migrates it unless `readOnly`.
 * @throws MirrorError
 */
export function openSqliteMirror(
  path: string,
  { readOnly = false, queryProgram }: { readOnly?: boolean; queryProgram?: URL | undefined } = {},
): Mirror {
  const { database, made } = openDatabase(path, readOnly)
  const prepare = cachedStatements(database)
  const db = new Kysely<MirrorTables>({
    dialect: new SqliteDialect({ database: { prepare, close: () => database.close() } }),
  })
  let last: Promise<unknown> = Promise.resolve()
  const translated = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      throw sqliteTrouble(error, path)
    }
  }
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= last.then(async () => {
      await db.destroy()
      if (database.isOpen) database.close()
    })
    return closed
  }
  return {
    kind: 'sqlite',
    shown: path,
    db,
    transaction(change) {
      // There is one connection: a second transaction on it would be part of the first.
      const result = last.then(() => translated(() => db.transaction().execute(change)))
      last = result.catch(() => undefined)
      return result
    },
    // A statement per row is the quickest way here; the connection is that of the open transaction.
    put: async (_db, table, rows) => {
      if (rows.length === 0) return
      const columns = columnsOf(table, rows).map(([name]) => name)
      const statement = prepare(upsert(table, columns, `VALUES (${columns.map(() => '?').join(', ')})`))
      for (const row of rows) {
        const values = row as Readonly<Record<string, unknown>>
        statement.run(columns.map((column) => values[column]))
      }
    },
    oneOf: (values) => raw`(SELECT value FROM json_each(${JSON.stringify(values)}))`,
    query: async (sql, signal, { withoutPersonal, window, onRows } = {}) => {
      const { queryInProcess } = await import('./query-sqlite.ts')
      const personal = withoutPersonal ? personalColumns : undefined
      return queryInProcess({ path, sql, window, personal }, signal, queryProgram, onRows)
    },
    async claim() {
      // The system takes the lock of no process that lives.
      return { lost: new AbortController().signal, release: lockBeside(path) }
    },
    async discard() {
      try {
        const client = made ? await db.selectFrom('clients').select('id').limit(1).executeTakeFirst() : {}
        const isUnused = client === undefined && isAlone(database)
        await close()
        if (isUnused) removeFiles(path)
      } catch {
        // The failure that led here is the one to tell.
      }
    },
    close,
  }
}

/** Whether no other process has the file open: only then SQLite leaves WAL mode. */
function isAlone(database: DatabaseSync): boolean {
  try {
    database.exec('PRAGMA busy_timeout = 0')
    return database.prepare('PRAGMA journal_mode = DELETE').get()?.['journal_mode'] === 'delete'
  } catch {
    return false
  }
}

function removeFiles(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(`${path}${suffix}`, { force: true })
}

interface OpenDatabase {
  readonly database: DatabaseSync
  /** Whether there was no file before. */
  readonly made: boolean
}

function openDatabase(path: string, readOnly: boolean): OpenDatabase {
  const owner = {
    name: 'mirror',
    elsewhere: 'choose another place with --to',
    error: (code: 'unsafe_file' | 'not_writable', sentence: string, hint: string, options: object) =>
      new MirrorError(code, sentence, hint, options),
  }
  const made = !readOnly && ensurePrivateDatabaseFile(path, owner)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly })
    refuseForeignSqlite(database, path)
    // NORMAL: what is committed survives the death of the process; that of the machine may cost the last commits, which
    // the next run reads again, as their cursor is gone with them.
    // secure_delete: what is erased with `sync forget` must not stay in free pages.
    if (!readOnly) {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
    }
    // A first run rewrites the same pages of the indexes again and again: 64 MB of them are written to the file once.
    database.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = FILE; PRAGMA wal_autocheckpoint = 16000')
    migrateSqlite(database, path, readOnly)
    return { database, made }
  } catch (error) {
    const isUnused = made && database !== undefined && isAlone(database)
    database?.close()
    if (isUnused) removeFiles(path)
    throw sqliteTrouble(error, path)
  }
}

/**
 * Keeps other processes from syncing into the mirror. The lock is an exclusive transaction on an empty file beside it: the
 * operating system drops it with the process, however it ends. @throws MirrorError `busy`
 */
function lockBeside(path: string): () => void {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    chmodSync(`${path}.lock`, 0o600)
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== 5) throw sqliteTrouble(error, path)
    throw new MirrorError(
      'busy',
      `Another bankapi sync writes to ${path}.`,
      'Let it end, or stop it: it can be resumed',
      {
        exit: 'conflict',
      },
    )
  }
  return () => lock.close()
}

/** Kysely prepares every query anew; a walk repeats few of them often. */
function cachedStatements(database: DatabaseSync): (sql: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>()
  const rollback: SqliteStatement = {
    ...statementOf(database.prepare('ROLLBACK')),
    // On a full disk SQLite has rolled back by itself, and refuses to do it again.
    run: () => {
      if (database.isTransaction) database.exec('ROLLBACK')
      return { changes: 0, lastInsertRowid: 0 }
    },
  }
  return (text) => {
    if (text === 'rollback') return rollback
    // Immediate: a transaction that begins by reading could not write once another process has written.
    const sql = text === 'begin' ? 'BEGIN IMMEDIATE' : text
    let found = statements.get(sql)
    if (found === undefined) {
      found = statementOf(database.prepare(sql))
      if (statements.size >= 200) statements.clear()
      statements.set(sql, found)
    }
    return found
  }
}

/** SQLite has no booleans. */
function stored(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  return value ?? null
}

/** What Kysely asks of a statement of better-sqlite3. */
function statementOf(statement: StatementSync): SqliteStatement {
  type Values = Parameters<StatementSync['all']>
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values.map(stored) as Values)),
    run: (values) => statement.run(...(values.map(stored) as Values)),
    iterate: (values) => statement.iterate(...(values.map(stored) as Values)) as IterableIterator<unknown>,
  }
}

/** What an error of SQLite means for the user of the mirror at this path; any other error as it is. */
function sqliteTrouble(error: unknown, path: string): unknown {
  if (error instanceof MirrorError || (error as { code?: string }).code !== 'ERR_SQLITE_ERROR') return error
  const { message, errcode = 0 } = error as Error & { errcode?: number }
  const options = { cause: error }
  // SQLITE_IOERR_WRITE: the system lets the file grow no further, by a quota or a limit of the process.
  switch (errcode === 778 ? 13 : errcode % 256) {
    case 5:
      return new MirrorError(
        'busy',
        `The mirror ${path} is locked by another process.`,
        'Wait until the other program that writes to it is done, then run the same command again',
        options,
      )
    case 8:
      return new MirrorError(
        'not_writable',
        `The mirror ${path} is read-only.`,
        'Make the file and its folder writable, or choose another place with --to',
        options,
      )
    // SQLITE_CORRUPT, SQLITE_NOTADB.
    case 11:
    case 26:
      return new MirrorError(
        'not_a_mirror',
        `${path} is not a readable mirror (${message}).`,
        `Move it away: mv '${path}' '${path}.old'; the next sync makes another`,
        options,
      )
    case 13:
      return new MirrorError(
        'full',
        `The mirror ${path} cannot grow: the disk is full.`,
        'Make room and run the same command again: it goes on where it was',
        options,
      )
    default:
      return new MirrorError(
        'not_writable',
        `The mirror ${path} cannot be used (${message}).`,
        'Make the file and its folder usable, or choose another place with --to',
        options,
      )
  }
}
