/** Deletes old deliveries, operations and event ids from the inbox, in small steps, and gives their space back. */
import type { DatabaseConnection } from './connection.ts'

export interface Keep {
  /** Of deliveries and operations. */
  ageMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

export const keepByDefault: Keep = { ageMs: 30 * DAY_MS }

/** Of the ids of events, or as long as their deliveries if that is longer. The service sends an event again for a day. */
export const KEEP_EVENT_IDS_MS = 90 * DAY_MS

/** Between two looks for what is too old, and between two steps while there is more of it. */
export const PRUNE_EVERY_MS = 60_000
export const NEXT_STEP_MS = 100

/** What one step deletes at most: a few milliseconds of work. */
const MAX_ROWS = 200
const MAX_BYTES = 4 * 1024 * 1024
/** Pages of 4 KiB that one step gives back to the system. */
const MAX_PAGES = 512
/** Free pages that stay in the file, for the next deliveries. */
const SPARE_PAGES = 1024

/** The clock of pruning gains at most a day in an hour on one that was set forward. */
export const MAX_SPEED = 24
/** What passed between two steps counts as an hour at most: nobody knows whether it was time or a change of the clock. */
export const MAX_PASSED_MS = 60 * 60 * 1000

export interface Pruner {
  /**
   * Deletes some of what is older than `keep`: in the order of arrival, so that nothing is deleted while something that
   * came before it stays. Returns whether there is more to do at once.
   */
  step(now: number): boolean
}

export function createPruner(connection: DatabaseConnection, keep: Keep): Pruner {
  const oldestDeliveries = connection.statement(`
    SELECT id, received_at, length(body) + length(headers) AS bytes FROM deliveries ORDER BY id LIMIT ${MAX_ROWS}`)
  const deleteDeliveries = connection.statement('DELETE FROM deliveries WHERE id <= ?')
  const oldestEvents = connection.statement(
    `SELECT id, seen_at FROM seen_events ORDER BY id LIMIT ${MAX_ROWS}`,
  )
  const deleteEvents = connection.statement('DELETE FROM seen_events WHERE id <= ?')
  const deleteOperations = connection.statement(`
    DELETE FROM operations WHERE (environment, id) IN (
      SELECT environment, id FROM operations WHERE started_at < ? ORDER BY started_at LIMIT ${MAX_ROWS})`)
  const readClock = connection.statement('SELECT clock, at FROM pruning')
  const newest = connection.statement('SELECT received_at FROM deliveries ORDER BY id DESC LIMIT 1')
  const storeClock = connection.statement('INSERT OR REPLACE INTO pruning (id, clock, at) VALUES (1, ?, ?)')
  const freePages = connection.statement('PRAGMA freelist_count')

  /** The time by which age is measured: that of the machine, unless it has jumped ahead. */
  function advanceClock(now: number): number {
    const stored = readClock().get() as { clock: number; at: number } | undefined
    const received = newest().get()?.['received_at']
    const { clock, at } = stored ?? { clock: Number(received ?? now), at: now }
    const passed = Math.min(Math.max(now - at, 0), MAX_PASSED_MS)
    const advanced = Math.min(now, clock + MAX_SPEED * passed)
    storeClock().run(advanced, now)
    return advanced
  }

  function dropDeliveries(before: number): number {
    const rows = oldestDeliveries().all() as unknown as { id: number; received_at: number; bytes: number }[]
    let bytes = 0
    let last: number | undefined
    for (const row of rows) {
      if (row.received_at >= before || bytes > MAX_BYTES) break
      bytes += row.bytes
      last = row.id
    }
    return last === undefined ? 0 : Number(deleteDeliveries().run(last).changes)
  }

  function dropEvents(before: number): number {
    const rows = oldestEvents().all() as unknown as { id: number; seen_at: number }[]
    const young = rows.findIndex((row) => row.seen_at >= before)
    const last = young === -1 ? rows.at(-1) : rows[young - 1]
    return last === undefined ? 0 : Number(deleteEvents().run(last.id).changes)
  }

  /** Returns whether there is more. */
  function shrink(): boolean {
    const excess = Number(freePages().get()?.['freelist_count']) - SPARE_PAGES
    if (excess <= 0) return false
    connection.database.exec(`PRAGMA incremental_vacuum(${Math.min(excess, MAX_PAGES)})`)
    if (excess > MAX_PAGES) return true
    // Only then is the file cut.
    connection.database.exec('PRAGMA wal_checkpoint')
    return false
  }

  return {
    step(now) {
      const deleted = connection.transaction(() => {
        const clock = advanceClock(now)
        return [
          dropDeliveries(clock - keep.ageMs),
          dropEvents(clock - Math.max(keep.ageMs, KEEP_EVENT_IDS_MS)),
          Number(deleteOperations().run(clock - keep.ageMs).changes),
        ]
      })
      const more = shrink()
      return more || deleted.some((rows) => rows > 0)
    },
  }
}
