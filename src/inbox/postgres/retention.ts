/** Deletes old deliveries, operations and event ids of a customer from Postgres, in small steps, by the rules for SQLite. */
import { KEEP_EVENT_IDS_MS, type Keep, MAX_PASSED_MS, MAX_SPEED } from '../retention.ts'
import type { Database } from './database.ts'
import { mayPrune, SCHEMA } from './schema.ts'

/** What one step deletes at most. */
const MAX_ROWS = 1000

/** The time by which age is measured: that of the database, unless it has jumped ahead. */
const advanceClock = `
  INSERT INTO ${SCHEMA}.pruning AS known (customer, clock, at)
  VALUES ($1, least(now(), (
    SELECT stored_at FROM ${SCHEMA}.deliveries WHERE customer = $1 ORDER BY id DESC LIMIT 1)), now())
  ON CONFLICT (customer) DO UPDATE SET at = now(), clock = least(now(), known.clock + ${MAX_SPEED} *
    least(greatest(now() - known.at, interval '0'), interval '${MAX_PASSED_MS} milliseconds'))
  RETURNING clock`

/** In the order of arrival, so that nothing is deleted while something that came before it stays. */
const dropOldest = (table: string, order: string, time: string) => `
  WITH oldest AS (
    SELECT ${order} AS place, bool_or(${time} >= $2::timestamptz - $3::float8 * interval '1 millisecond')
      OVER (ORDER BY ${order}) AS stays
    FROM (SELECT ${order}, ${time} FROM ${table} WHERE customer = $1 ORDER BY ${order} LIMIT ${MAX_ROWS}) AS rows
  )
  DELETE FROM ${table} WHERE customer = $1 AND ${order} IN (SELECT place FROM oldest WHERE NOT stays)`

const dropDeliveries = dropOldest(`${SCHEMA}.deliveries`, 'id', 'stored_at')
const dropEvents = dropOldest(`${SCHEMA}.seen_events`, 'first', 'seen_at')
const dropOperations = `
  DELETE FROM ${SCHEMA}.operations WHERE customer = $1 AND (environment, id) IN (
    SELECT environment, id FROM ${SCHEMA}.operations
    WHERE customer = $1 AND started_at < extract(epoch FROM $2::timestamptz) * 1000 - $3::float8
    ORDER BY started_at LIMIT ${MAX_ROWS})`

/**
 * Deletes some of what is older than `keep`; of several processes one does it. Resolves to whether there is more to do at
 * once.
 */
export function pruneStep(database: Database, customer: string, { ageMs }: Keep): Promise<boolean> {
  return database.transaction(async (client) => {
    const { rows } = await client.query(`SELECT ${mayPrune} AS granted`, [customer])
    if (rows[0]?.granted !== true) return false
    const advanced = await client.query(advanceClock, [customer])
    const clock: unknown = advanced.rows[0]?.clock
    const deleted = [
      await client.query(dropDeliveries, [customer, clock, ageMs]),
      await client.query(dropEvents, [customer, clock, Math.max(ageMs, KEEP_EVENT_IDS_MS)]),
      await client.query(dropOperations, [customer, clock, ageMs]),
    ]
    return deleted.some(({ rowCount }) => (rowCount ?? 0) > 0)
  })
}
