/** What happened on this machine, durable: one SQLite file, which any number of processes may use at once. */
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
  /** For many writers at once: each call of `deliveries` or `operations` may be wrapped in it. */
  batch: Batch
  /** Proves that a write would be stored, and takes it back. Throws InboxError `not_writable`. */
  assertWritable(): void
  close(): void
}

export interface OpenInbox {
  /** The file; `:memory:` keeps nothing. */
  path: string
  /** Unix milliseconds. */
  now: () => number
  keep?: Partial<Keep>
}

/** Milliseconds to wait for another process; a write takes well under one. */
const PATIENCE = 10_000
/** Deliveries stored between two looks at what may be forgotten. */
const PRUNE_EVERY = 500

/**
 * Opens the inbox, creating it when it is missing, 0600 under any umask, and forgets what is due. What a method of
 * it has stored survives the death of the process. Throws InboxError.
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
    database = new DatabaseSync(path, { timeout: PATIENCE, enableForeignKeyConstraints: true })
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
  // Two processes that switch a new file to WAL at once: SQLite tells one of them at once that it is busy.
  retryWhenBusy(() => database.exec('PRAGMA journal_mode = WAL'))
  // NORMAL: a commit survives the death of the process at once, that of the machine after the next checkpoint;
  // neither harms the file. FULL would make every delivery wait for the disk.
  database.exec('PRAGMA synchronous = NORMAL')
  // Pages of 4 KiB in the -wal file (64 MiB) before they are moved to the file itself, which waits for the disk: what
  // a busy listener writes again and again, as the index of event ids, is then moved once.
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
      if (!isBusy(error) || waited >= PATIENCE) throw error
      Atomics.wait(sleeper, 0, 0, 20)
    }
  }
}

/** Forgetting can wait for the next time; a delivery that is stored must not look as if it were not. */
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
