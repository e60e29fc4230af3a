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

/** An event and where it went, for the console. */
export interface SentEvent {
  readonly event: number
  readonly event_id: string
  readonly type: string
  readonly body: string
  readonly environment: string
  /** When it was to go out, on the emulator's clock. */
  readonly created_at: string
  /** Null when nobody had asked for it; so are the others then. */
  readonly delivery: number | null
  readonly state: DeliveryRow['state'] | null
  readonly attempts: number | null
  readonly url: string | null
  readonly subscription_id: string | null
  /** Of the latest attempt, while it is kept. */
  readonly at: string | null
  readonly ms: number | null
  readonly detail: string | null
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

/** Events looked at for those that nobody had asked for. */
const MAX_UNHEARD = 200

const sentEvent = `SELECT e.seq AS event, e.id AS event_id, e.type, e.body, t.environment,
  coalesce(d.created_at, e.created_at) AS created_at, d.seq AS delivery, d.state, d.attempts,
  s.url, s.id AS subscription_id, a.at, a.ms, a.detail`
const withReceiver = `JOIN tenants t ON t.seq = e.tenant
  LEFT JOIN subscriptions s ON s.seq = d.subscription
  LEFT JOIN sent a ON a.seq = (SELECT max(seq) FROM sent WHERE delivery = d.seq)`

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
    /** The latest deliveries, the newest first: all, or those whose every attempt so far has failed. */
    latest: (limit: number, failedOnly: boolean) =>
      db.all<SentEvent>(
        `${sentEvent} FROM (SELECT * FROM deliveries ${failedOnly ? "WHERE state <> 'delivered' AND attempts > 0" : ''}
          ORDER BY seq DESC LIMIT ?) d JOIN events e ON e.seq = d.event ${withReceiver} ORDER BY d.seq DESC`,
        limit,
      ),
    /** The latest events that were delivered to nobody, the newest first. */
    latestUnheard: (limit: number) =>
      db.all<SentEvent>(
        `${sentEvent} FROM (SELECT * FROM events ORDER BY seq DESC LIMIT ?) e
          LEFT JOIN deliveries d ON d.event = e.seq ${withReceiver} WHERE d.seq IS NULL ORDER BY e.seq DESC LIMIT ?`,
        MAX_UNHEARD,
        limit,
      ),
    found: (seq: number) =>
      db.get<SentEvent>(
        `${sentEvent} FROM deliveries d JOIN events e ON e.seq = d.event ${withReceiver} WHERE d.seq = ?`,
        seq,
      ),
    foundEvent: (seq: number) =>
      db.get<SentEvent>(
        `${sentEvent} FROM events e LEFT JOIN deliveries d ON d.event = e.seq ${withReceiver} WHERE e.seq = ?`,
        seq,
      ),
    /** The same event to the same subscription once more. Returns the new delivery; undefined when there is none. */
    repeat: (seq: number, created_at: string) =>
      db.get<{ seq: number }>(
        `INSERT INTO deliveries (event, subscription, state, created_at)
          SELECT event, subscription, 'pending', ? FROM deliveries WHERE seq = ? RETURNING seq`,
        created_at,
        seq,
      )?.seq,
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
