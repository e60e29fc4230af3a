/** Opens the inbox: the deliveries and operations of this machine in one SQLite file, shared by any number of processes. */
import { type Batch, createBatch } from './batch.ts'
import { type Connection, connect } from './connection.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { inboxError, isBusy } from './inbox-error.ts'
import { createOperations, type Operations } from './operations.ts'
import { type Keep, keepByDefault, prune } from './retention.ts'

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

/** Old deliveries are deleted each time this many were stored. */
const PRUNE_EVERY = 500

/**
 * Opens the inbox, creating it when it is missing, 0600 under any umask, and deletes what is too old. What a method
 * has stored survives a crash of the process. Throws InboxError.
 */
export function openInbox({ path, now, keep = {} }: OpenInbox): Inbox {
  const connection = connect({ path })
  const limits = { ...keepByDefault, ...keep }
  const tidy = () => ignoringBusy(() => prune(connection.database, limits, now()))
  tidy()

  let stored = 0
  const deliveries = createDeliveries(connection, () => {
    stored++
    if (stored % PRUNE_EVERY === 0) tidy()
  })
  return {
    deliveries,
    operations: createOperations(connection),
    batch: createBatch(connection),
    assertWritable: () => assertWritable(connection),
    close: () => connection.close(),
  }
}

function assertWritable({ database, path }: Connection): void {
  try {
    database.exec('BEGIN IMMEDIATE; CREATE TABLE written (once); ROLLBACK')
  } catch (error) {
    throw inboxError(error, path)
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
