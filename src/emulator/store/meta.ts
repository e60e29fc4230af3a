/** Facts about the whole file, and the counters that ids are made from. */
import type { Database } from './database.ts'

export function metaQueries(db: Database) {
  return {
    get: (name: string) => db.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value,
    set(name: string, value: string): void {
      db.run(
        'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        value,
      )
    },
    /** The next number of a series, from 1. A number is never given twice, restarts included. */
    count(name: string): number {
      const row = db.get<{ value: number }>(
        'INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value',
        name,
      )
      return row?.value ?? 1
    },
  }
}
