/** Commits the writes of a few turns of the event loop together. */
import type { DatabaseSync } from 'node:sqlite'

/** Runs a write in one transaction with others; resolves to its result once all are stored. */
export type Batch = <T>(write: () => T) => Promise<T>

interface Waiting {
  write: () => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/** Turns of the event loop that share a commit: microseconds for a delivery alone, and fuller commits under load. */
const TURNS_PER_COMMIT = 4

function inTurns(left: number, flush: () => void): void {
  if (left <= 1) flush()
  else setImmediate(inTurns, left - 1, flush)
}

/**
 * Runs all writes of a few turns of the event loop in one transaction: a commit costs more than a row, and under load
 * many deliveries arrive at once. A write that throws does not affect the others; promises settle in the order of the calls.
 */
export function createBatch(database: DatabaseSync): Batch {
  let waiting: Waiting[] = []

  function flush(): void {
    const batch = waiting
    waiting = []
    try {
      for (const settle of commit(database, batch)) settle()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (write) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(inTurns, TURNS_PER_COMMIT, flush)
      waiting.push({ write, resolve, reject })
    })
}

/** Returns a function per caller that settles its promise; to be called only after the commit. */
function commit(database: DatabaseSync, batch: Waiting[]): (() => void)[] {
  database.exec('BEGIN IMMEDIATE')
  try {
    const settles = batch.map(({ write, resolve, reject }) => {
      try {
        const result = write() as never
        return () => resolve(result)
      } catch (error) {
        return () => reject(error)
      }
    })
    database.exec('COMMIT')
    return settles
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
