/** Queries of the latest attempts to deliver, with what was sent and what came back. */
import type { Database } from './database.ts'

export interface SentRow {
  readonly seq: number
  readonly delivery: number
  /** From 1. */
  readonly attempt: number
  /** ISO, by the wall clock. */
  readonly at: string
  readonly ms: number
  /** The status of the response, or the reason why there was none. */
  readonly detail: string
  /** JSON; null when nothing was sent. */
  readonly headers: string | null
  /** The beginning of the response's body. */
  readonly answer: string | null
}

export function sentQueries(db: Database) {
  return {
    /** Adds one, and keeps so many of the latest. */
    add(row: Omit<SentRow, 'seq'>, kept: number): void {
      const seq = db.insert('sent', { ...row })
      db.run('DELETE FROM sent WHERE seq <= ?', seq - kept)
    },
    /** The latest first. */
    of: (delivery: number) =>
      db.all<SentRow>('SELECT * FROM sent WHERE delivery = ? ORDER BY seq DESC LIMIT 100', delivery),
  }
}
