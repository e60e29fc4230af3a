/** Opens the inbox: the deliveries and operations of this machine in one SQLite file, shared by any number of processes. */
import { createBatch } from './batch.ts'
import { connect, type DatabaseConnection } from './connection.ts'
import { createDeliveries } from './deliveries.ts'
import type { Deliveries, Immediate, Inbox, Operations } from './inbox.ts'
import { inboxError } from './inbox-error.ts'
import { createOperations } from './operations.ts'
import { createPruner, type Keep, keepByDefault, NEXT_STEP_MS, PRUNE_EVERY_MS } from './retention.ts'

/** The inbox in a file: its methods return at once. */
export interface FileInbox extends Inbox {
  readonly deliveries: Immediate<Deliveries>
  readonly operations: Immediate<Operations>
  assertWritable(): void
  close(): void
}

export interface OpenInbox {
  /** The file; `:memory:` stores nothing. */
  path: string
  /** Unix milliseconds. */
  now: () => number
  keep?: Partial<Keep>
  /** The size the file may not exceed: what does not fit is refused, and nothing is deleted for it. */
  maxBytes?: number | undefined
}

/**
 * Opens the inbox, creating it when it is missing, 0600 under any umask. While it is open, what is too old is deleted in
 * small steps. What a method has stored survives a crash of the process. Throws InboxError.
 */
export function openInbox({ path, now, keep = {}, maxBytes }: OpenInbox): FileInbox {
  const connection = connect({ path, maxBytes })
  const stopPruning = prune(connection, { ...keepByDefault, ...keep }, now)
  return {
    place: path,
    deliveries: createDeliveries(connection),
    operations: createOperations(connection),
    batch: createBatch(connection),
    assertWritable: () => assertWritable(connection),
    close() {
      stopPruning()
      connection.close()
    },
  }
}

/** A step at once, then further ones, which keep no process alive. Returns a function that ends them. */
function prune(connection: DatabaseConnection, keep: Keep, now: () => number): () => void {
  const pruner = createPruner(connection, keep)
  let timer: NodeJS.Timeout
  function step(): void {
    timer = setTimeout(step, tryStep() ? NEXT_STEP_MS : PRUNE_EVERY_MS).unref()
  }
  /** Pruning can wait: a lock, a full disk or deleted files are the business of those who store. */
  function tryStep(): boolean {
    try {
      return connection.withoutWaiting(() => pruner.step(now()))
    } catch {
      return false
    }
  }
  step()
  return () => clearTimeout(timer)
}

function assertWritable({ database, path }: DatabaseConnection): void {
  try {
    database.exec('BEGIN IMMEDIATE; CREATE TABLE written (once); ROLLBACK')
  } catch (error) {
    throw inboxError(error, path)
  }
}
