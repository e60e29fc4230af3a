/** Stores deliveries and their forwards, and reads them back. */
import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseConnection } from './connection.ts'
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
import { createEraser } from './erase.ts'
import { createNotVerified, cutToExplain, MAX_DETAIL_CHARACTERS } from './not-verified.ts'
import { createSeenEvents, type SeenEvents } from './seen-events.ts'

/** Of a target's response; the rest is not kept. */
const MAX_RESPONSE_BYTES = 16 * 1024

export interface Deliveries {
  /**
   * Stores a delivery; when this returns, it survives a crash of this process. One that did not verify is cut to what
   * explains it, and the oldest of too many such is deleted. `duplicate` says that the same
   * environment and subscription had a verified delivery of the same event before, also when another process
   * stored it: of several at once, exactly one is not a duplicate.
   */
  record(delivery: NewDelivery): { id: number; duplicate: boolean }
  /** Takes the event of a delivery just recorded for forwarding it: of several at once, in any process, one gets it. */
  claim: SeenEvents['claim']
  /** Replaces the reason and the detail of a delivery that was refused. */
  explain(id: number, reason: string | undefined, detail: string): void
  /** Stores the outcome of a forward or a replay of a delivery. */
  recordForward(deliveryId: number, result: ForwardResult): void
  /** Erases the bodies of an environment's deliveries that name one of these ids; returns how many. The deliveries stay. */
  erase(environment: string, ids: ReadonlySet<string>): number
  /** The newest deliveries that fit, oldest of them first. */
  list(filter?: DeliveryFilter): Delivery[]
  /** Every delivery of an event, oldest first. */
  get(eventId: string): Delivery[]
  /** Deliveries stored after the one with this id, in order; ids grow in the order of storing, across processes. */
  after(id: number, limit?: number): Delivery[]
  /** The id of the newest delivery, 0 when there is none. */
  lastId(): number
}

export function createDeliveries(connection: DatabaseConnection): Deliveries {
  const seen = createSeenEvents(connection)
  const notVerified = createNotVerified(connection)
  const insert = connection.statement(`
    INSERT INTO deliveries (received_at, environment, subscription, method, path, headers, body, body_bytes, event_id,
                            type, livemode, shape, verified, reason, detail, forward_to, replay_of, duplicate)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertForward = connection.statement(`
    INSERT INTO forwards (delivery_id, url, status, duration_ms, headers, body, error)
    SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM deliveries WHERE id = ?1`)
  const explain = connection.statement('UPDATE deliveries SET reason = ?2, detail = ?3 WHERE id = ?1')
  const forwardNowhere = connection.statement('UPDATE deliveries SET forward_to = NULL WHERE id = ?')
  const forwardsOf = connection.statement('SELECT * FROM forwards WHERE delivery_id = ? ORDER BY id')

  const read = (row: DeliveryRow): Delivery =>
    readDelivery(row, forwardsOf().all(row.id) as unknown as ForwardRow[])
  const select = (rest: string, parameters: Record<string, string | number>): Delivery[] =>
    (
      connection.database
        .prepare(`SELECT * FROM deliveries ${rest}`)
        .all(parameters) as unknown as DeliveryRow[]
    ).map(read)

  return {
    record: (delivery) =>
      connection.transaction(() => {
        const kept = delivery.verified ? delivery : cutToExplain(delivery)
        const { eventId, environment, subscription, receivedAt, livemode, verified, shape } = kept
        const isEvent = verified && shape !== 'no_envelope' && eventId !== undefined
        const repeated = isEvent && !seen.note({ eventId, environment, subscription }, receivedAt)
        const duplicate = repeated && kept.replayOf === undefined
        // By position: named parameters would be looked up for each row, and no statement runs more often.
        const { lastInsertRowid } = insert().run(
          receivedAt,
          environment,
          subscription ?? '',
          kept.method,
          kept.path,
          JSON.stringify(withoutCredentials(kept.headers)),
          kept.body,
          kept.body.byteLength < delivery.body.byteLength ? delivery.body.byteLength : null,
          eventId ?? null,
          kept.type ?? null,
          livemode === undefined ? null : Number(livemode),
          shape,
          Number(verified),
          kept.reason ?? null,
          kept.detail ?? null,
          kept.forwardTo ?? null,
          kept.replayOf ?? null,
          Number(duplicate),
        )
        if (!verified) notVerified.trim()
        return { id: Number(lastInsertRowid), duplicate }
      }),
    explain(id, reason, detail) {
      explain().run(id, reason ?? null, detail.slice(0, MAX_DETAIL_CHARACTERS))
    },
    recordForward(deliveryId, result) {
      const { status } = result
      connection.transaction(() => {
        insertForward().run(
          deliveryId,
          result.url,
          status ?? null,
          result.durationMs,
          JSON.stringify(withoutCredentials(result.headers ?? [])),
          (result.body ?? new Uint8Array()).subarray(0, MAX_RESPONSE_BYTES),
          result.error ?? null,
        )
        seen.settle(deliveryId, status !== undefined && status >= 200 && status < 300)
      })
    },
    claim(event, deliveryId, span) {
      const outcome = seen.claim(event, deliveryId, span)
      if (outcome === 'accepted') forwardNowhere().run(deliveryId)
      return outcome
    },
    erase: createEraser(connection),
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
      const row = connection.database.prepare('SELECT coalesce(max(id), 0) AS id FROM deliveries').get()
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
