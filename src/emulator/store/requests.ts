/** Queries of the requests that were answered. */
import type { Database } from './database.ts'

export interface RequestRow {
  readonly seq: number
  /** ISO, by the wall clock. */
  readonly at: string
  readonly environment: string
  readonly method: string
  readonly path: string
  /** Null when the connection was closed without an answer. */
  readonly status: number | null
  /** 0 when the answer was not sent to its end. */
  readonly complete: number
  readonly ms: number
  readonly key_prefix: string | null
  readonly error_code: string | null
  readonly trace_id: string
  readonly request_body: string | null
  readonly response_body: string | null
}

export interface WantedRequests {
  /** The row after which to begin; without it, the latest rows. */
  readonly after?: number | undefined
  readonly limit: number
  /** Only those that failed. */
  readonly failed: boolean
}

const failed = '(status IS NULL OR status >= 400 OR complete = 0)'

export function requestQueries(db: Database) {
  return {
    add: (row: Omit<RequestRow, 'seq'>) => db.insert('requests', { ...row }),
    /** Oldest first. */
    list({ after, limit, failed: onlyFailed }: WantedRequests): RequestRow[] {
      const where = `seq > ? ${onlyFailed ? `AND ${failed}` : ''}`
      if (after !== undefined) {
        return db.all<RequestRow>(`SELECT * FROM requests WHERE ${where} ORDER BY seq LIMIT ?`, after, limit)
      }
      return db
        .all<RequestRow>(`SELECT * FROM requests WHERE ${where} ORDER BY seq DESC LIMIT ?`, 0, limit)
        .reverse()
    },
    get: (seq: number) => db.get<RequestRow>('SELECT * FROM requests WHERE seq = ?', seq),
    /** Keeps so many of the latest. */
    trim: (kept: number) =>
      db.run('DELETE FROM requests WHERE seq <= (SELECT max(seq) FROM requests) - ?', kept),
  }
}
