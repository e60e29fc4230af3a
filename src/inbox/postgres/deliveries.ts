/**
 * Stores deliveries and their forwards in Postgres, and reads them back. Each call is one statement, which the database
 * commits without waiting for this process: one that dies holds no lock.
 */
import { createHash } from 'node:crypto'
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
  where,
  withoutCredentials,
} from '../delivery-rows.ts'
import { ERASE_CHUNK, namesAny } from '../erase.ts'
import { type ClaimOutcome, type Deliveries, type EventKey, isKnownEvent } from '../inbox.ts'
import { cutToExplain, MAX_DETAIL_CHARACTERS, MAX_NOT_VERIFIED, TRIM_EVERY } from '../not-verified.ts'
import type { Database, Value } from './database.ts'
import { allStored, SCHEMA, storing } from './schema.ts'

const DELIVERIES = `${SCHEMA}.deliveries`
const FORWARDS = `${SCHEMA}.forwards`
const SEEN = `${SCHEMA}.seen_events`
const IDS = `${SCHEMA}.delivery_ids`

/**
 * The number is taken under the lock, and the lock is released by the commit: whoever has it alone knows that no lower number
 * is stored later. Time is that of the database, since the clocks of the listeners differ.
 */
const record = `
  WITH lock AS MATERIALIZED (SELECT ${storing}),
  new AS MATERIALIZED (SELECT nextval('${IDS}') AS id FROM lock),
  event AS (
    INSERT INTO ${SEEN} AS seen (customer, environment, subscription, event_id, first, claimed_by, claimed_until)
    SELECT $1, $2, $3, $9, id, CASE WHEN $19::float8 IS NOT NULL THEN id END, now() + $19 * interval '1 millisecond'
    FROM new WHERE $18::boolean
    ON CONFLICT (event_id, customer, environment, subscription) DO UPDATE
      SET claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
      WHERE excluded.claimed_by IS NOT NULL AND NOT seen.accepted
        AND (seen.claimed_by IS NULL OR seen.claimed_until <= now())
    RETURNING first, claimed_by
  ),
  outcome AS MATERIALIZED (
    SELECT new.id,
      $18 AND NOT EXISTS (SELECT FROM event WHERE first = new.id) AS repeated,
      CASE
        WHEN NOT $18 OR $19 IS NULL THEN NULL
        WHEN EXISTS (SELECT FROM event WHERE claimed_by = new.id) THEN 'claimed'
        WHEN EXISTS (SELECT FROM ${SEEN} WHERE event_id = $9 AND customer = $1 AND environment = $2
          AND subscription = $3 AND accepted) THEN 'accepted'
        ELSE 'running'
      END AS claimed
    FROM new
  )
  INSERT INTO ${DELIVERIES} (id, customer, environment, subscription, received_at, method, path, headers, body, event_id,
    body_bytes, type, livemode, shape, verified, reason, detail, duplicate, replay_of, forward_to)
  SELECT id, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
    repeated AND $17::bigint IS NULL, $17, CASE WHEN claimed IS DISTINCT FROM 'accepted' THEN $20 END
  FROM outcome
  RETURNING id, duplicate, (SELECT claimed FROM outcome) AS claimed`

const claim = `
  WITH taken AS (
    UPDATE ${SEEN} SET claimed_by = $5, claimed_until = now() + $6::float8 * interval '1 millisecond'
    WHERE event_id = $1 AND customer = $2 AND environment = $3 AND subscription = $4 AND NOT accepted
      AND (claimed_by IS NULL OR claimed_until <= now())
    RETURNING 'claimed' AS claimed
  ),
  nowhere AS (
    UPDATE ${DELIVERIES} SET forward_to = NULL FROM ${SEEN} AS seen
    WHERE deliveries.id = $5 AND deliveries.customer = $2 AND accepted AND seen.event_id = $1 AND seen.customer = $2
      AND seen.environment = $3 AND seen.subscription = $4
    RETURNING 'accepted' AS claimed
  )
  SELECT claimed FROM taken UNION ALL SELECT claimed FROM nowhere UNION ALL
  SELECT 'accepted' FROM ${SEEN} WHERE event_id = $1 AND customer = $2 AND environment = $3 AND subscription = $4 AND accepted
  LIMIT 1`

const bodiesAfter = `
  SELECT id, body FROM ${DELIVERIES} WHERE customer = $1 AND environment = $2 AND id > $3 AND length(body) > 0
  ORDER BY id LIMIT ${ERASE_CHUNK}`

const eraseBodies = `
  WITH erased AS (
    UPDATE ${DELIVERIES} SET body = '', body_bytes = coalesce(body_bytes, length(body)), detail = NULL
    WHERE customer = $1 AND id = ANY ($2::bigint[])
    RETURNING id
  )
  UPDATE ${FORWARDS} SET body = '' WHERE delivery_id IN (SELECT id FROM erased)`

const recordForward = `
  WITH delivery AS MATERIALIZED (SELECT * FROM ${DELIVERIES} WHERE id = $1 AND customer = $2),
  settled AS (
    UPDATE ${SEEN} AS seen SET accepted = accepted OR $9, claimed_by = nullif(claimed_by, $1) FROM delivery
    WHERE delivery.verified AND delivery.shape <> 'no_envelope' AND seen.event_id = delivery.event_id
      AND seen.customer = $2 AND seen.environment = delivery.environment AND seen.subscription = delivery.subscription
  )
  INSERT INTO ${FORWARDS} (delivery_id, url, status, duration_ms, headers, body, error)
  SELECT id, $3, $4, $5, $6, $7, $8 FROM delivery`

const explain = `UPDATE ${DELIVERIES} SET reason = $3, detail = $4 WHERE id = $1 AND customer = $2 AND NOT verified`

const markVerified = `
  WITH mended AS (
    UPDATE ${DELIVERIES} SET verified = true, reason = NULL, detail = NULL,
      duplicate = shape <> 'no_envelope' AND EXISTS (
        SELECT FROM ${SEEN} AS seen WHERE seen.event_id = deliveries.event_id AND seen.customer = $2
          AND seen.environment = deliveries.environment AND seen.subscription = deliveries.subscription)
    WHERE id = $1 AND customer = $2 AND NOT verified AND body_bytes IS NULL
    RETURNING *
  ),
  event AS (
    INSERT INTO ${SEEN} (customer, environment, subscription, event_id, first, seen_at)
    SELECT customer, environment, subscription, event_id, id, stored_at FROM mended
    WHERE shape <> 'no_envelope' AND event_id IS NOT NULL
    ON CONFLICT DO NOTHING
  )
  SELECT id FROM mended`

const dropNotVerified = `
  DELETE FROM ${DELIVERIES} WHERE customer = $1 AND NOT verified AND id <= (
    SELECT id FROM ${DELIVERIES} WHERE customer = $1 AND NOT verified
    ORDER BY id DESC LIMIT 1 OFFSET ${MAX_NOT_VERIFIED - TRIM_EVERY})`

const tables = {
  deliveries: `(SELECT * FROM ${DELIVERIES} WHERE customer = $1)`,
  forwards: FORWARDS,
  seenEvents: `(SELECT * FROM ${SEEN} WHERE customer = $1)`,
  hasEventId: (row: string, eventId: string) => `${row}.event_id = ${eventId}`,
}

export function createDeliveries(database: Database, customer: string): Deliveries {
  let notVerified = 0

  async function select(rest: string, values: readonly Value[]): Promise<Delivery[]> {
    const rows = await database.query<DeliveryRow>(`SELECT * FROM ${DELIVERIES} ${rest}`, values)
    const forwards = await database.query<ForwardRow & { delivery_id: string }>(
      `SELECT * FROM ${FORWARDS} WHERE delivery_id = ANY ($1::bigint[]) ORDER BY id`,
      [`{${rows.map(({ id }) => id).join(',')}}`],
    )
    const byDelivery = Map.groupBy(forwards, ({ delivery_id }) => delivery_id)
    for (const forward of forwards) forward.body = plainBytes(forward.body)
    return rows.map((row) => readDelivery(numbered(row), byDelivery.get(String(row.id)) ?? []))
  }

  /** The number up to which everything is stored. */
  async function settledId(): Promise<number> {
    const results = await database.script(
      `BEGIN; SELECT ${allStored}; SELECT last_value, is_called FROM ${IDS}; COMMIT`,
    )
    const last = results[2]?.[0]
    return last?.['is_called'] === true ? Number(last['last_value']) : 0
  }

  return {
    async record(delivery, wanted) {
      const kept = delivery.verified ? delivery : cutToExplain(delivery)
      const { headers, body, livemode } = kept
      const rows = await database.query<{ id: string; duplicate: boolean; claimed: ClaimOutcome | null }>(
        record,
        [
          customer,
          kept.environment,
          kept.subscription ?? '',
          kept.receivedAt,
          kept.method,
          kept.path,
          JSON.stringify(withoutCredentials(headers)),
          body,
          kept.eventId === undefined ? null : indexable(kept.eventId),
          body.byteLength < delivery.body.byteLength ? delivery.body.byteLength : null,
          kept.type,
          livemode,
          kept.shape,
          kept.verified,
          kept.reason,
          kept.detail,
          kept.replayOf,
          isKnownEvent(kept),
          wanted?.forMs,
          kept.forwardTo,
        ],
      )
      const { id, duplicate, claimed } = rows[0] as (typeof rows)[number]
      if (!kept.verified && notVerified++ % TRIM_EVERY === 0) {
        // What cannot be deleted now is deleted with the next ones.
        void database.query(dropNotVerified, [customer]).catch(() => undefined)
      }
      return { id: Number(id), duplicate, claimed: claimed ?? undefined }
    },
    async claim({ eventId, environment, subscription = '' }: EventKey, deliveryId, { forMs }) {
      const values = [indexable(eventId), customer, environment, subscription, deliveryId, forMs]
      const [row] = await database.query<{ claimed: ClaimOutcome }>(claim, values)
      return row?.claimed ?? 'running'
    },
    async explain(id, reason, detail) {
      await database.query(explain, [id, customer, reason, detail.slice(0, MAX_DETAIL_CHARACTERS)])
    },
    async markVerified(id) {
      return (await database.query(markVerified, [id, customer])).length === 1
    },
    async recordForward(deliveryId, result) {
      await database.query(recordForward, [
        deliveryId,
        customer,
        result.url,
        result.status,
        result.durationMs,
        JSON.stringify(withoutCredentials(result.headers ?? [])),
        keptAnswer(result),
        result.error,
        isAccepted(result),
      ])
    },
    async erase(environment, ids) {
      let erased = 0
      for (let last = 0; ; ) {
        const rows = await database.query<{ id: string; body: Uint8Array }>(bodiesAfter, [
          customer,
          environment,
          last,
        ])
        const found = rows.filter(({ body }) => namesAny(body, ids)).map(({ id }) => id)
        await database.query(eraseBodies, [customer, `{${found.join(',')}}`])
        erased += found.length
        if (rows.length < ERASE_CHUNK) return erased
        last = Number(rows.at(-1)?.id)
      }
    },
    async list(filter = {}) {
      const values: Value[] = [customer]
      const condition = where(filter, tables, (_, value) => `$${values.push(value)}`)
      const limit = filter.limit === undefined ? '' : `LIMIT $${values.push(filter.limit)}`
      const found = await select(`WHERE customer = $1 AND ${condition} ORDER BY id DESC ${limit}`, values)
      return found.reverse()
    },
    async outcomes(filter = {}) {
      const values: Value[] = [customer]
      const condition = where(filter, tables, (_, value) => `$${values.push(value)}`)
      const rows = await database.query<OutcomeRow>(
        `SELECT ${outcomeColumns(tables.forwards)} FROM ${DELIVERIES} WHERE customer = $1 AND replay_of IS NULL AND ${condition}
         ORDER BY id`,
        values,
      )
      return rows.map(readOutcome)
    },
    get: (eventId) =>
      select('WHERE event_id = $1 AND customer = $2 ORDER BY id', [indexable(eventId), customer]),
    async after(id, limit = 100) {
      const newest = `SELECT FROM ${DELIVERIES} WHERE customer = $1 AND id > $2 LIMIT 1`
      if ((await database.query(newest, [customer, id])).length === 0) return []
      const rest = 'WHERE customer = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4'
      return select(rest, [customer, id, await settledId(), limit])
    },
    lastId: settledId,
  }
}

/** Postgres indexes texts of up to some 2700 bytes. The body has the id as it is. */
const MAX_INDEXED_CHARACTERS = 500

function indexable(eventId: string): string {
  if (eventId.length <= MAX_INDEXED_CHARACTERS) return eventId
  return `${eventId.slice(0, 100)}… sha256:${createHash('sha256').update(eventId).digest('hex')}`
}

/** As SQLite returns them: the driver returns numbers of 64 bits as texts. */
function numbered(row: DeliveryRow): DeliveryRow {
  return {
    ...row,
    id: Number(row.id),
    received_at: Number(row.received_at),
    body: plainBytes(row.body),
    replay_of: row.replay_of === null ? null : Number(row.replay_of),
    verified: Number(row.verified),
    duplicate: Number(row.duplicate),
    livemode: row.livemode === null ? null : Number(row.livemode),
  }
}

/** The driver returns a Buffer. */
function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
