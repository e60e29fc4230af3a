/** Queries of requests with an Idempotency-Key. */
import { type Database, isDiskFull } from './database.ts'

export interface IdempotentRequestRow {
  readonly fingerprint: string
  /** Milliseconds on the emulator's clock. */
  readonly created_at: number
  /** Null while the first request is still running. */
  readonly status: number | null
  readonly body: string | null
  readonly trace_id: string | null
  /** JSON of the headers that only this answer has. */
  readonly headers: string
}

/** An answer to keep. */
export type KeptAnswer = {
  readonly [K in 'status' | 'body' | 'trace_id' | 'headers']: NonNullable<IdempotentRequestRow[K]>
}

export function idempotentRequestQueries(db: Database) {
  /** Requests that ended while the disk was full: their rows still say that they are running. */
  const forgotten = new Set<string>()
  const nameOf = (apiKey: number, key: string) => `${apiKey} ${key}`

  function end(apiKey: number, key: string, write: () => unknown): void {
    try {
      write()
    } catch (error) {
      if (!isDiskFull(error)) throw error
      forgotten.add(nameOf(apiKey, key))
    }
  }

  return {
    get(apiKey: number, key: string): IdempotentRequestRow | undefined {
      if (forgotten.has(nameOf(apiKey, key))) return undefined
      return db.get<IdempotentRequestRow>(
        'SELECT fingerprint, created_at, status, body, trace_id, headers FROM idempotent_requests WHERE api_key = ? AND key = ?',
        apiKey,
        key,
      )
    },
    begin(apiKey: number, key: string, fingerprint: string, now: number): void {
      db.run(
        'INSERT OR REPLACE INTO idempotent_requests (api_key, key, fingerprint, created_at) VALUES (?, ?, ?, ?)',
        apiKey,
        key,
        fingerprint,
        now,
      )
      forgotten.delete(nameOf(apiKey, key))
    },
    /** On a full disk the answer is not kept, and a repeat counts as a new request. */
    finish: (apiKey: number, key: string, { status, body, trace_id, headers }: KeptAnswer) =>
      end(apiKey, key, () =>
        db.run(
          'UPDATE idempotent_requests SET status = ?, body = ?, trace_id = ?, headers = ? WHERE api_key = ? AND key = ?',
          status,
          body,
          trace_id,
          headers,
          apiKey,
          key,
        ),
      ),
    abandon: (apiKey: number, key: string) =>
      end(apiKey, key, () =>
        db.run(
          'DELETE FROM idempotent_requests WHERE api_key = ? AND key = ? AND status IS NULL',
          apiKey,
          key,
        ),
      ),
    /** Forgets the requests that were running when the last run ended. */
    abandonAll: () => db.run('DELETE FROM idempotent_requests WHERE status IS NULL'),
  }
}
