/** Stores deliveries and their forwards in SQLite, and reads them back. */
import type { DatabaseConnection } from './connection.ts'
import {
  type Delivery,
  type DeliveryRow,
  type ForwardRow,
  isAccepted,
  keptAnswer,
  type OutcomeRow,
  outcomeColumns,
  readDelivery,
  readOutcome,
  type Tables,
  where,
  withoutCredentials,
} from './delivery-rows.ts'
import { createEraser } from './erase.ts'
import { type Deliveries, type Immediate, isKnownEvent } from './inbox.ts'
import { createNotVerified, cutToExplain, MAX_DETAIL_CHARACTERS } from './not-verified.ts'
import { createSeenEvents } from './seen-events.ts'

const tables: Tables = {
  deliveries: 'deliveries',
  forwards: 'forwards',
  seenEvents: 'seen_events',
  // As the indexes have it: the first delivery of an event has its id, the others have an index of their own.
  hasEventId: (row, eventId) => `(${row}.id IN (SELECT id FROM seen_events WHERE event_id = ${eventId})
    OR ${row}.event_id = ${eventId} AND (
      ${row}.duplicate OR NOT ${row}.verified OR ${row}.shape = 'no_envelope' OR ${row}.replay_of IS NOT NULL))`,
}

export function createDeliveries(connection: DatabaseConnection): Immediate<Deliveries> {
  const seen = createSeenEvents(connection)
  const notVerified = createNotVerified(connection)
  const insert = connection.statement(`
    INSERT INTO deliveries (received_at, environment, subscription, method, path, headers, body, body_bytes, event_id,
                            type, livemode, shape, verified, reason, detail, forward_to, replay_of, duplicate)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`)
  const insertForward = connection.statement(`
    INSERT INTO forwards (delivery_id, url, status, duration_ms, headers, body, error)
    SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM deliveries WHERE id = ?1`)
  const explain = connection.statement(
    'UPDATE deliveries SET reason = ?2, detail = ?3 WHERE id = ?1 AND NOT verified',
  )
  const markVerified = connection.statement(`
    UPDATE deliveries SET verified = 1, reason = NULL, detail = NULL WHERE id = ? AND NOT verified AND body_bytes IS NULL
    RETURNING *`)
  const markRepeat = connection.statement('UPDATE deliveries SET duplicate = 1 WHERE id = ?')
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

  const take: Immediate<Deliveries>['claim'] = (event, deliveryId, claim) => {
    const outcome = seen.claim(event, deliveryId, claim)
    if (outcome === 'accepted') forwardNowhere().run(deliveryId)
    return outcome
  }

  return {
    record: (delivery, claim) =>
      connection.transaction(() => {
        const kept = delivery.verified ? delivery : cutToExplain(delivery)
        const { eventId, environment, subscription, receivedAt, livemode, verified, shape } = kept
        const event = isKnownEvent(kept) ? { eventId: kept.eventId, environment, subscription } : undefined
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
        )
        const id = Number(lastInsertRowid)
        if (!verified) notVerified.trim()
        const duplicate =
          event !== undefined && !seen.note(event, id, receivedAt) && kept.replayOf === undefined
        if (duplicate) markRepeat().run(id)
        return { id, duplicate, claimed: event && claim && take(event, id, claim) }
      }),
    explain(id, reason, detail) {
      explain().run(id, reason ?? null, detail.slice(0, MAX_DETAIL_CHARACTERS))
    },
    markVerified: (id) =>
      connection.transaction(() => {
        const row = markVerified().get(id) as unknown as DeliveryRow | undefined
        if (row === undefined) return false
        const delivery = readDelivery(row, [])
        if (isKnownEvent(delivery) && !seen.note(delivery, id, delivery.receivedAt)) markRepeat().run(id)
        return true
      }),
    recordForward(deliveryId, result) {
      connection.transaction(() => {
        insertForward().run(
          deliveryId,
          result.url,
          result.status ?? null,
          result.durationMs,
          JSON.stringify(withoutCredentials(result.headers ?? [])),
          keptAnswer(result),
          result.error ?? null,
        )
        seen.settle(deliveryId, isAccepted(result))
      })
    },
    claim: take,
    erase: createEraser(connection),
    list(filter = {}) {
      const parameters: Record<string, string | number> = {}
      const condition = where(filter, tables, (name, value) => {
        parameters[name] = value
        return `:${name}`
      })
      const rest = `WHERE ${condition} ORDER BY id DESC LIMIT :limit`
      return select(rest, { ...parameters, limit: filter.limit ?? -1 }).reverse()
    },
    outcomes(filter = {}) {
      const parameters: Record<string, string | number> = {}
      const condition = where(filter, tables, (name, value) => {
        parameters[name] = value
        return `:${name}`
      })
      const rows = connection.database
        .prepare(
          `SELECT ${outcomeColumns(tables.forwards)} FROM deliveries WHERE replay_of IS NULL AND ${condition} ORDER BY id`,
        )
        .all(parameters)
      return (rows as unknown as OutcomeRow[]).map(readOutcome)
    },
    get(eventId) {
      return select(`WHERE ${tables.hasEventId('deliveries', ':eventId')} ORDER BY id`, { eventId })
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
