/** Queries of events, their deliveries and the attempts made. */
import type { Database } from './database.ts'

export interface DeliveryRow {
  readonly seq: number
  readonly subscription: number
  readonly tenant: number
  readonly event_id: string
  readonly type: string
  /** The event's, stable across attempts. */
  readonly created_at: string
  readonly body: string
  readonly attempts: number
  readonly state: 'pending' | 'delivered' | 'given_up'
}

export interface AttemptRow {
  readonly tenant: number
  readonly event_id: string
  readonly event_type: string
  readonly subscription_id: string
  readonly attempted_at: string
  readonly latency_ms: number
  readonly succeeded: boolean
  readonly detail: string
}

export function deliveryQueries(db: Database) {
  return {
    addEvent: (row: { tenant: number; id: string; type: string; created_at: string; body: string }) =>
      db.insert('events', row),
    add: (event: number, subscription: number, created_at: string) =>
      db.insert('deliveries', { event, subscription, state: 'pending', created_at }),
    get: (seq: number) =>
      db.get<DeliveryRow>(
        `SELECT d.seq, d.subscription, d.attempts, d.state, e.tenant, e.id AS event_id, e.type, e.created_at, e.body
          FROM deliveries d JOIN events e ON e.seq = d.event WHERE d.seq = ?`,
        seq,
      ),
    change: (seq: number, changes: { attempts: number; state: DeliveryRow['state'] }) =>
      db.update('deliveries', seq, changes),
    addAttempt: (row: AttemptRow) => db.insert('delivery_attempts', { ...row }),
    countByState: (state: DeliveryRow['state']) =>
      db.get<{ n: number }>('SELECT count(*) AS n FROM deliveries WHERE state = ?', state)?.n ?? 0,
    attemptsBetween: (tenant: number, from: string, to: string) =>
      db.get<{ total: number; succeeded: number }>(
        `SELECT count(*) AS total, coalesce(sum(succeeded), 0) AS succeeded FROM delivery_attempts
          WHERE tenant = ? AND attempted_at >= ? AND attempted_at < ?`,
        tenant,
        from,
        to,
      ) ?? { total: 0, succeeded: 0 },
    /** Nearest rank: the latency that `rank` of the window's attempts do not exceed, in milliseconds. */
    latencyAtRank: (tenant: number, from: string, to: string, rank: number) =>
      db.get<{ latency_ms: number }>(
        `SELECT latency_ms FROM delivery_attempts WHERE tenant = ? AND attempted_at >= ? AND attempted_at < ?
          ORDER BY latency_ms LIMIT 1 OFFSET ?`,
        tenant,
        from,
        to,
        rank - 1,
      )?.latency_ms ?? 0,
    failuresByEvent: (tenant: number, from: string, to: string, limit: number) =>
      db.all<{ event_type: string; count: number }>(
        `SELECT event_type, count(*) AS count FROM delivery_attempts
          WHERE tenant = ? AND attempted_at >= ? AND attempted_at < ? AND succeeded = 0
          GROUP BY event_type ORDER BY count DESC, event_type LIMIT ?`,
        tenant,
        from,
        to,
        limit,
      ),
  }
}
