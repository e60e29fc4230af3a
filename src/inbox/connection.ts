/** The connection to the inbox's database file, which is opened again when the file was deleted or replaced. */
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type DatabaseOwner, ensurePrivateDatabaseFile } from '../machine/private-database-file.ts'
import { InboxError, inboxError, isBusy } from './inbox-error.ts'
import { migrate } from './schema.ts'

export interface DatabaseConnection {
  readonly path: string
  /** Another one after `assertInPlace` has thrown. */
  readonly database: DatabaseSync
  /** Prepared when it is first called, and again for another database. */
  statement(sql: string): () => StatementSync
  /** Runs it in the transaction that is open, else in one of its own. */
  transaction<T>(run: () => T): T
  /** Runs it such that a lock of another process is an error at once: waiting in SQLite would block the event loop. */
  withoutWaiting<T>(run: () => T): T
  /**
   * Throws InboxError `replaced` when the open files are no longer those at the path: a commit to them is lost. The
   * files are then closed, and those at the path are opened, and created when missing, by the next use.
   */
  assertInPlace(): void
  close(): void
}

export interface ConnectionOptions {
  /** `:memory:` stores nothing. */
  path: string
  /** The size the file may not exceed: a write that would is SQLITE_FULL. */
  maxBytes?: number | undefined
}

/** How long a call outside a batch waits for another process; a write takes well under a millisecond. */
const BUSY_TIMEOUT_MS = 10_000
const PAGE_BYTES = 4096

/** Throws InboxError. */
export function connect(options: ConnectionOptions): DatabaseConnection {
  const { path } = options
  let open = openDatabase(options)
  let files = identities(path)
  let closed = false

  function current(): DatabaseSync {
    if (!open.isOpen && !closed) {
      open = openDatabase(options)
      files = identities(path)
    }
    return open
  }

  return {
    path,
    get database() {
      return current()
    },
    statement(sql) {
      let owner: DatabaseSync | undefined
      let prepared: StatementSync
      return () => {
        const database = current()
        if (owner !== database) {
          prepared = database.prepare(sql)
          owner = database
        }
        return prepared
      }
    },
    transaction(run) {
      const database = current()
      if (database.isTransaction) return run()
      database.exec('BEGIN IMMEDIATE')
      try {
        const result = run()
        database.exec('COMMIT')
        return result
      } catch (error) {
        if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    },
    withoutWaiting(run) {
      const database = current()
      database.exec('PRAGMA busy_timeout = 0')
      try {
        return run()
      } finally {
        if (database.isOpen) database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
      }
    },
    assertInPlace() {
      if (identities(path) === files) return
      // Saves what a deleted -wal file held, if the database itself is still there; if it is not, SQLite leaves the
      // files that have its name now alone.
      open.close()
      throw new InboxError(
        'replaced',
        `The files of the inbox ${path} were deleted or replaced while they were in use.`,
        'The inbox goes on in new files. To keep less, set inbox.keep.',
      )
    },
    close() {
      closed = true
      if (open.isOpen) open.close()
    },
  }
}

const owner: DatabaseOwner = {
  name: 'inbox',
  elsewhere: 'choose another place with BANKAPI_DATA_DIR',
  error: (code, sentence, hint, options) => new InboxError(code, sentence, hint, options),
}

/** Throws InboxError. */
function openDatabase({ path, maxBytes }: ConnectionOptions): DatabaseSync {
  if (path !== ':memory:') ensurePrivateDatabaseFile(path, owner)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    prepare(database, path)
    if (maxBytes !== undefined) {
      database.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / PAGE_BYTES)}`)
    }
    return database
  } catch (error) {
    database?.close()
    throw inboxError(error, path)
  }
}

function prepare(database: DatabaseSync, path: string): void {
  // Takes effect only before the first table is made.
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`)
  // When two processes switch a new file to WAL together, SQLite reports busy to one of them without waiting.
  retryWhenBusy(() => database.exec('PRAGMA journal_mode = WAL'))
  // NORMAL: a commit survives the death of the process at once, that of the machine after the next checkpoint;
  // neither damages the file. FULL would make every delivery wait for the disk.
  database.exec('PRAGMA synchronous = NORMAL')
  // Pages of 4 KiB in the -wal file (64 MiB) before a checkpoint moves them to the file itself, which waits for the
  // disk: pages that a busy listener writes again and again, such as the index of event ids, are then moved once.
  database.exec('PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 67108864')
  retryWhenBusy(() => migrate(database, path))
}

function retryWhenBusy(step: () => void): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; ; waited += 20) {
    try {
      step()
      return
    } catch (error) {
      if (!isBusy(error) || waited >= BUSY_TIMEOUT_MS) throw error
      Atomics.wait(sleeper, 0, 0, 20)
    }
  }
}

/** Device and number of the database and its -wal and -shm files: another value means other files. */
function identities(path: string): string {
  if (path === ':memory:') return ''
  return ['', '-wal', '-shm']
    .map((suffix) => {
      const stats = statSync(path + suffix, { throwIfNoEntry: false })
      return stats === undefined ? '-' : `${stats.dev}:${stats.ino}`
    })
    .join(' ')
}
