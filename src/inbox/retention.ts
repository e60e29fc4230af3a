import type { DatabaseSync } from 'node:sqlite'

/** How much the inbox remembers. */
export interface Keep {
  /** Milliseconds. */
  age: number
  /** Bytes of the file. */
  size: number
}

export const keepByDefault: Keep = { age: 30 * 24 * 60 * 60 * 1000, size: 256 * 1024 * 1024 }

/** What a delivery takes, as far as its own bytes tell; pages, indexes and rounding come on top. */
const weight = `
  400 + length(deliveries.body) + length(deliveries.headers) + coalesce((
    SELECT sum(length(forwards.body) + length(forwards.headers)) FROM forwards
    WHERE forwards.delivery_id = deliveries.id), 0)`

/**
 * Forgets what is older than `keep.age` and then, while the file is larger than `keep.size`, the oldest of what is
 * left: nothing goes while something older stays. Returns how many deliveries went.
 */
export function prune(database: DatabaseSync, keep: Keep, now: number): number {
  const oldest = now - keep.age
  database.prepare('DELETE FROM operations WHERE started_at < ?').run(oldest)
  let gone = Number(database.prepare('DELETE FROM deliveries WHERE received_at < ?').run(oldest).changes)
  const used = usedBytes(database)
  if (used > keep.size) gone += dropOldest(database, (used - keep.size) / used)
  if (gone > 0) database.exec('PRAGMA incremental_vacuum')
  return gone
}

/** Never the newest delivery, however large: it was just stored, and somebody is about to read it. */
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
