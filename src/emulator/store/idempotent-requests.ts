/** Queries of requests with an Idempotency-Key. */
import type { Database } from './database.ts'

export interface IdempotentRequestRow {
  readonly fingerprint: string
  /** Milliseconds on the emulator's clock. */
  readonly created_at: number
  /** Null while the first request is still running. */
  readonly status: number | null
  readonly body: string | null
  readonly trace_id: string | null
}

export function idempotentRequestQueries(db: Database) {
  return {
    get: (apiKey: number, key: string) =>
      db.get<IdempotentRequestRow>(
        'SELECT fingerprint, created_at, status, body, trace_id FROM idempotent_requests WHERE api_key = ? AND key = ?',
        apiKey,
        key,
      ),
    begin: (apiKey: number, key: string, fingerprint: string, now: number) =>
      db.run(
        'INSERT OR REPLACE INTO idempotent_requests (api_key, key, fingerprint, created_at) VALUES (?, ?, ?, ?)',
        apiKey,
        key,
        fingerprint,
        now,
      ),
    finish: (apiKey: number, key: string, status: number, body: string, traceId: string) =>
      db.run(
        'UPDATE idempotent_requests SET status = ?, body = ?, trace_id = ? WHERE api_key = ? AND key = ?',
        status,
        body,
        traceId,
        apiKey,
        key,
      ),
    abandon: (apiKey: number, key: string) =>
      db.run('DELETE FROM idempotent_requests WHERE api_key = ? AND key = ? AND status IS NULL', apiKey, key),
    /** Forgets the requests that were running when the last run ended. */
    abandonAll: () => db.run('DELETE FROM idempotent_requests WHERE status IS NULL'),
  }
}
