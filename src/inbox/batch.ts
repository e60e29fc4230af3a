/** Commits the writes of a few turns of the event loop together, and waits for a lock without blocking it. */
import type { DatabaseConnection } from './connection.ts'
import type { Batch } from './inbox.ts'
import { InboxError, inboxError, isBusy, isSqliteError } from './inbox-error.ts'

interface Waiting {
  write: () => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
  since: number
}

/** Turns of the event loop that share a commit: microseconds for a delivery alone, and fuller commits under load. */
const TURNS_PER_COMMIT = 4
/** How long a write waits for another process that holds the lock. */
const MAX_LOCK_WAIT_MS = 2000
const RETRY_EVERY_MS = 25

function inTurns(left: number, flush: () => void): void {
  if (left <= 1) flush()
  else setImmediate(inTurns, left - 1, flush)
}

/**
 * Runs all writes of a few turns of the event loop in one transaction: a commit costs more than a row, and under load
 * many deliveries arrive at once. A write that throws does not affect the others; promises settle in the order of the calls.
 */
export function createBatch(connection: DatabaseConnection): Batch {
  let waiting: Waiting[] = []

  function flush(): void {
    const batch = waiting
    waiting = []
    try {
      for (const settle of commit(connection, batch)) settle()
    } catch (error) {
      if (isBusy(error)) waitForLock(batch, error)
      else if (batch.length === 1 || error instanceof InboxError) rejectAll(batch, error)
      // One of them may be the reason: each on its own.
      else for (const one of batch) commitAlone(one)
    }
  }

  function waitForLock(batch: Waiting[], error: unknown): void {
    const now = performance.now()
    const patient = (one: Waiting) => now - one.since < MAX_LOCK_WAIT_MS
    rejectAll(
      batch.filter((one) => !patient(one)),
      error,
    )
    waiting = batch.filter(patient)
    if (waiting.length > 0) setTimeout(flush, RETRY_EVERY_MS)
  }

  function commitAlone(one: Waiting): void {
    try {
      for (const settle of commit(connection, [one])) settle()
    } catch (error) {
      rejectAll([one], error)
    }
  }

  function rejectAll(batch: Waiting[], error: unknown): void {
    for (const { reject } of batch) reject(inboxError(error, connection.path))
  }

  return (write) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(inTurns, TURNS_PER_COMMIT, flush)
      waiting.push({ write, resolve, reject, since: performance.now() })
    })
}

/** Returns a function per caller that settles its promise; to be called only after the commit. */
function commit(connection: DatabaseConnection, batch: Waiting[]): (() => void)[] {
  const settles = connection.withoutWaiting(() =>
    connection.transaction(() => {
      return batch.map(({ write, resolve, reject }) => {
        try {
          const result = write() as never
          return () => resolve(result)
        } catch (error) {
          // SQLite may have ended the transaction, or one of several statements of this write is done.
          if (isSqliteError(error)) throw error
          return () => reject(error)
        }
      })
    }),
  )
  // A commit to files that were deleted before it is lost.
  connection.assertInPlace()
  return settles
}
