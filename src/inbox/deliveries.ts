/** Stores deliveries and their forwards, and reads them back. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryRow,
  type ForwardResult,
  type ForwardRow,
  type NewDelivery,
  readDelivery,
  where,
  withoutCredentials,
} from './delivery-rows.ts'

/** Of a target's response; the rest is not kept. */
const MAX_RESPONSE_BYTES = 16 * 1024

export interface Deliveries {
  /**
   * Stores a delivery; when this returns, it survives a crash of this process. `duplicate` says that the same
   * environment and subscription had a verified delivery of the same event before, also when another process
   * stored it: of several at once, exactly one is not a duplicate.
   */
  record(delivery: NewDelivery): { id: number; duplicate: boolean }
  /** Replaces the reason and the detail of a delivery that was refused. */
  explain(id: number, reason: string | undefined, detail: string): void
  /** Stores the outcome of a forward or a replay of a delivery. */
  recordForward(deliveryId: number, result: ForwardResult): void
  /** Whether a target has answered 2xx to any delivery of this event. */
  wasAccepted(event: { eventId: string; environment: string; subscription?: string | undefined }): boolean
  /** The newest deliveries that fit, oldest of them first. */
  list(filter?: DeliveryFilter): Delivery[]
  /** Every delivery of an event, oldest first. */
  get(eventId: string): Delivery[]
  /** Deliveries stored after the one with this id, in order; ids grow in the order of storing, across processes. */
  after(id: number, limit?: number): Delivery[]
  /** The id of the newest delivery, 0 when there is none. */
  lastId(): number
}

export function createDeliveries(database: DatabaseSync, afterRecord: () => void): Deliveries {
  // One statement, so that looking for an earlier delivery and storing this one cannot be separated.
  const insert = database.prepare(`
    INSERT INTO deliveries (received_at, environment, subscription, method, path, headers, body, event_id, type,
                            livemode, shape, verified, reason, detail, forward_to, replay_of, duplicate)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
            ?16 IS NULL AND ?12 AND ?11 <> 'no_envelope' AND EXISTS (
              SELECT 1 FROM deliveries AS earlier
              WHERE earlier.event_id = ?8 AND earlier.environment = ?2 AND earlier.subscription = ?3
                AND earlier.verified AND earlier.shape <> 'no_envelope'))
    RETURNING id, duplicate`)
  const insertForward = database.prepare(`
    INSERT INTO forwards (delivery_id, url, status, duration_ms, headers, body, error)
    SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM deliveries WHERE id = ?1`)
  const explain = database.prepare('UPDATE deliveries SET reason = ?2, detail = ?3 WHERE id = ?1')
  const accepted = database.prepare(`
    SELECT 1 FROM deliveries JOIN forwards ON forwards.delivery_id = deliveries.id
    WHERE event_id = :eventId AND environment = :environment AND subscription = :subscription
      AND verified AND shape <> 'no_envelope' AND status BETWEEN 200 AND 299 LIMIT 1`)
  const forwardsOf = database.prepare('SELECT * FROM forwards WHERE delivery_id = ? ORDER BY id')

  const read = (row: DeliveryRow): Delivery =>
    readDelivery(row, forwardsOf.all(row.id) as unknown as ForwardRow[])
  const select = (rest: string, parameters: Record<string, string | number>): Delivery[] =>
    (database.prepare(`SELECT * FROM deliveries ${rest}`).all(parameters) as unknown as DeliveryRow[]).map(
      read,
    )

  return {
    record(delivery) {
      const { body, headers, livemode, verified } = delivery
      // By position: named parameters would be looked up for each row, and no statement runs more often.
      const row = insert.get(
        delivery.receivedAt,
        delivery.environment,
        delivery.subscription ?? '',
        delivery.method,
        delivery.path,
        JSON.stringify(withoutCredentials(headers)),
        body,
        delivery.eventId ?? null,
        delivery.type ?? null,
        livemode === undefined ? null : Number(livemode),
        delivery.shape,
        Number(verified),
        delivery.reason ?? null,
        delivery.detail ?? null,
        delivery.forwardTo ?? null,
        delivery.replayOf ?? null,
      ) as { id: number; duplicate: number }
      afterRecord()
      return { id: row.id, duplicate: row.duplicate === 1 }
    },
    explain(id, reason, detail) {
      explain.run(id, reason ?? null, detail)
    },
    recordForward(deliveryId, result) {
      insertForward.run(
        deliveryId,
        result.url,
        result.status ?? null,
        result.durationMs,
        JSON.stringify(withoutCredentials(result.headers ?? [])),
        (result.body ?? new Uint8Array()).subarray(0, MAX_RESPONSE_BYTES),
        result.error ?? null,
      )
    },
    wasAccepted({ eventId, environment, subscription = '' }) {
      return accepted.get({ eventId, environment, subscription }) !== undefined
    },
    list(filter = {}) {
      const { condition, parameters } = where(filter)
      const rest = `WHERE ${condition} ORDER BY id DESC LIMIT :limit`
      return select(rest, { ...parameters, limit: filter.limit ?? -1 }).reverse()
    },
    get(eventId) {
      return select('WHERE event_id = :eventId ORDER BY id', { eventId })
    },
    after(id, limit = 100) {
      return select('WHERE id > :id ORDER BY id LIMIT :limit', { id, limit })
    },
    lastId() {
      const row = database.prepare('SELECT coalesce(max(id), 0) AS id FROM deliveries').get()
      return Number(row?.['id'])
    },
  }
}

/**
 * Yields every delivery stored from now on, by any process, in order; ends when the signal is aborted. `after` starts
 * after that id instead. Reads every `intervalMs` milliseconds.
 */
export async function* watchDeliveries(
  deliveries: Pick<Deliveries, 'after' | 'lastId'>,
  options: { signal: AbortSignal; after?: number; intervalMs?: number },
): AsyncGenerator<Delivery, void, undefined> {
  const { signal, intervalMs = 200 } = options
  let last = options.after ?? deliveries.lastId()
  while (!signal.aborted) {
    const found = deliveries.after(last)
    for (const delivery of found) {
      last = delivery.id
      yield delivery
      if (signal.aborted) return
    }
    if (found.length === 0) await delay(intervalMs, undefined, { signal }).catch(() => undefined)
  }
}
