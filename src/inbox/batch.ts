import type { DatabaseSync } from 'node:sqlite'

/** Runs a write together with the others of the same moment; resolves to what it returns once all are stored. */
export type Batch = <T>(write: () => T) => Promise<T>

interface Waiting {
  write: () => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/** Turns of the event loop that share a commit: microseconds for a delivery alone, and fuller commits under load. */
const TURNS = 4

function inTurns(left: number, flush: () => void): void {
  if (left <= 1) flush()
  else setImmediate(inTurns, left - 1, flush)
}

/**
 * One transaction for all writes of a moment, a few turns of the event loop: a commit costs more than a row, and under
 * load many deliveries come at once. A write that throws takes only itself away; promises settle in the order of the calls.
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
      if (waiting.length === 0) setImmediate(inTurns, TURNS, flush)
      waiting.push({ write, resolve, reject })
    })
}

/** Returns what is to be told to each caller, which is true only after the commit. */
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
