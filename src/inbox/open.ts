/** Opens the inbox: the deliveries and operations of this machine in one SQLite file, shared by any number of processes. */
import { DatabaseSync } from 'node:sqlite'
import { type Batch, createBatch } from './batch.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { InboxError } from './inbox-error.ts'
import { createOperations, type Operations } from './operations.ts'
import { ensurePrivateDatabaseFile } from './private-database-file.ts'
import { type Keep, keepByDefault, prune } from './retention.ts'
import { migrate } from './schema.ts'

export interface Inbox {
  deliveries: Deliveries
  operations: Operations
  /** Any call of `deliveries` or `operations` may be wrapped in it, to share a commit with others. */
  batch: Batch
  /** Tries a write and rolls it back. Throws InboxError `not_writable`. */
  assertWritable(): void
  close(): void
}

export interface OpenInbox {
  /** The file; `:memory:` stores nothing. */
  path: string
  /** Unix milliseconds. */
  now: () => number
  keep?: Partial<Keep>
}

/** How long to wait for another process; a write takes well under a millisecond. */
const MAX_LOCK_WAIT_MS = 10_000
/** Old deliveries are deleted each time this many were stored. */
const PRUNE_EVERY = 500

/**
 * Opens the inbox, creating it when it is missing, 0600 under any umask, and deletes what is too old. What a method
 * has stored survives a crash of the process. Throws InboxError.
 */
export function openInbox({ path, now, keep = {} }: OpenInbox): Inbox {
  if (path !== ':memory:') ensurePrivateDatabaseFile(path)
  const database = open(path)
  const limits = { ...keepByDefault, ...keep }
  const tidy = () => ignoringBusy(() => prune(database, limits, now()))
  tidy()

  let stored = 0
  const deliveries = createDeliveries(database, () => {
    stored++
    if (stored % PRUNE_EVERY === 0) tidy()
  })
  return {
    deliveries,
    operations: createOperations(database),
    batch: createBatch(database),
    assertWritable: () => assertWritable(database, path),
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

function assertWritable(database: DatabaseSync, path: string): void {
  try {
    database.exec('BEGIN IMMEDIATE; CREATE TABLE written (once); ROLLBACK')
  } catch (error) {
    throw explain(error, path)
  }
}

function open(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: MAX_LOCK_WAIT_MS, enableForeignKeyConstraints: true })
    prepare(database, path)
    return database
  } catch (error) {
    database?.close()
    if (error instanceof InboxError) throw error
    throw explain(error, path)
  }
}

function prepare(database: DatabaseSync, path: string): void {
  // Takes effect only before the first table is made.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  // When two processes switch a new file to WAL together, SQLite reports busy to one of them without waiting.
  retryWhenBusy(() => database.exec('PRAGMA journal_mode = WAL'))
  // NORMAL: a commit survives the death of the process at once, that of the machine after the next checkpoint;
  // neither damages the file. FULL would make every delivery wait for the disk.
  database.exec('PRAGMA synchronous = NORMAL')
  // Pages of 4 KiB in the -wal file (64 MiB) before a checkpoint moves them to the file itself, which waits for the
  // disk: pages that a busy listener writes again and again, such as the index of event ids, are then moved once.
  database.exec('PRAGMA wal_autocheckpoint = 16000')
  retryWhenBusy(() => migrate(database, path))
}

function retryWhenBusy(step: () => void): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; ; waited += 20) {
    try {
      step()
      return
    } catch (error) {
      if (!isBusy(error) || waited >= MAX_LOCK_WAIT_MS) throw error
      Atomics.wait(sleeper, 0, 0, 20)
    }
  }
}

/** Pruning can wait for the next time; it must not make a stored delivery look as if it were not. */
function ignoringBusy(step: () => void): void {
  try {
    step()
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}

/** SQLITE_BUSY and its extended codes. */
function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === 5
}

function explain(error: unknown, path: string): InboxError {
  const { message } = error as Error
  /** SQLITE_CORRUPT, SQLITE_NOTADB. */
  const broken = [11, 26].includes(((error as { errcode?: number }).errcode ?? 0) % 256)
  return broken
    ? new InboxError(
        'not_an_inbox',
        `${path} is not a readable inbox (${message}).`,
        `Move it away: mv '${path}' '${path}.old'`,
        {
          cause: error,
        },
      )
    : new InboxError(
        'not_writable',
        `The inbox ${path} cannot be used (${message}).`,
        'Make room, or choose another place with BANKAPI_DATA_DIR.',
        { cause: error },
      )
}
