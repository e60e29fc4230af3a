import type { DatabaseSync } from 'node:sqlite'

/** Runs a write together with the others of the same moment; resolves to what it returns once all are stored. */
export type Batch = <T>(write: () => T) => Promise<T>

interface Waiting {
  write: () => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/**
 * One transaction for all writes of a moment, two turns of the event loop: a commit costs more than a row, and under load many
 * deliveries come at once. A write that throws takes only itself away; promises settle in the order of the calls.
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
      // A turn later than the next: under load more writes share the commit; alone it costs microseconds.
      if (waiting.length === 0) setImmediate(() => setImmediate(flush))
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
