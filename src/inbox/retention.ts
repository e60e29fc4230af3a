/** Deletes old deliveries and operations from the inbox. */
import type { DatabaseSync } from 'node:sqlite'

/** The limits of the inbox. */
export interface Keep {
  ageMs: number
  /** Size of the file. */
  sizeBytes: number
}

export const keepByDefault: Keep = { ageMs: 30 * 24 * 60 * 60 * 1000, sizeBytes: 256 * 1024 * 1024 }

/** The estimated bytes of a delivery in the file, without pages, indexes and rounding. */
const weight = `
  400 + length(deliveries.body) + length(deliveries.headers) + coalesce((
    SELECT sum(length(forwards.body) + length(forwards.headers)) FROM forwards
    WHERE forwards.delivery_id = deliveries.id), 0)`

/**
 * Deletes what is older than `keep.ageMs` and then, while the file is larger than `keep.sizeBytes`, the oldest of what is
 * left: nothing is deleted while something older stays. Returns the number of deleted deliveries.
 */
export function prune(database: DatabaseSync, keep: Keep, now: number): number {
  const oldest = now - keep.ageMs
  database.prepare('DELETE FROM operations WHERE started_at < ?').run(oldest)
  let deleted = Number(database.prepare('DELETE FROM deliveries WHERE received_at < ?').run(oldest).changes)
  const used = usedBytes(database)
  if (used > keep.sizeBytes) deleted += dropOldest(database, (used - keep.sizeBytes) / used)
  if (deleted > 0) database.exec('PRAGMA incremental_vacuum')
  return deleted
}

/** Never the newest delivery, however large: it was just stored and is about to be read. */
function dropOldest(database: DatabaseSync, share: number): number {
  const result = database
    .prepare(`
      DELETE FROM deliveries WHERE id < (SELECT max(id) FROM deliveries) AND id <= (
        SELECT coalesce(min(id), 0) FROM (
          SELECT id, sum(${weight}) OVER (ORDER BY id) AS upToHere, sum(${weight}) OVER () AS whole FROM deliveries)
        WHERE upToHere >= ? * whole)`)
    .run(share)
  return Number(result.changes)
}

function usedBytes(database: DatabaseSync): number {
  const row = database
    .prepare(
      'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
    )
    .get()
  return Number(row?.['bytes'])
}
