/** The tables of an inbox in Postgres, and their migration to the newest version. */
import type { PoolClient } from '../../postgres/pool.ts'
import { InboxError } from '../inbox-error.ts'
import type { Database } from './database.ts'

/** Apart from the tables of other programs, and of the mirror, in the same database. */
export const SCHEMA = 'bankapi_inbox'

/** 'bkIn' and a number: one for each purpose that has to wait for others. */
const LOCKS = 0x626b_496e
/** Held by whoever migrates. */
const MIGRATION = `pg_advisory_xact_lock(${LOCKS}, 1)`
/** Shared by those that store a delivery; had alone, everything with a number so far is stored or given up. */
export const storing = `pg_advisory_xact_lock_shared(${LOCKS}, 2)`
export const allStored = `pg_advisory_xact_lock(${LOCKS}, 2)`
/** Whether this one may delete what is too old of the customer $1. */
export const mayPrune = `pg_try_advisory_xact_lock(${LOCKS + 1}, hashtext($1))`

/** Applied in order, each once. A released migration is never changed; a new one is added. */
const migrations = [
  `
  CREATE SEQUENCE delivery_ids;
  CREATE TABLE deliveries (
    id            bigint PRIMARY KEY,
    customer      text NOT NULL,
    environment   text NOT NULL,
    subscription  text NOT NULL,
    -- By the clock of the listener, in milliseconds since 1970; stored_at is by that of the database.
    received_at   bigint NOT NULL,
    stored_at     timestamptz NOT NULL DEFAULT now(),
    method        text NOT NULL,
    path          text NOT NULL,
    headers       text NOT NULL,
    body          bytea NOT NULL,
    -- The size of a body of which only the beginning is kept; NULL for a whole one.
    body_bytes    integer,
    event_id      text,
    type          text,
    livemode      boolean,
    shape         text NOT NULL,
    verified      boolean NOT NULL,
    reason        text,
    detail        text,
    duplicate     boolean NOT NULL,
    forward_to    text,
    replay_of     bigint
  );
  CREATE INDEX deliveries_in_order ON deliveries (customer, id);
  CREATE INDEX deliveries_by_time ON deliveries (customer, received_at);
  CREATE INDEX deliveries_by_event ON deliveries (event_id, customer);
  CREATE INDEX deliveries_not_verified ON deliveries (customer, id) WHERE NOT verified;

  CREATE TABLE forwards (
    id            bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    delivery_id   bigint NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    url           text NOT NULL,
    status        integer,
    duration_ms   double precision NOT NULL,
    headers       text NOT NULL,
    body          bytea NOT NULL,
    error         text
  );
  CREATE INDEX forwards_by_delivery ON forwards (delivery_id);

  -- Events with a verified delivery, in the order of their first. They outlive their deliveries.
  CREATE TABLE seen_events (
    customer      text NOT NULL,
    environment   text NOT NULL,
    subscription  text NOT NULL,
    event_id      text NOT NULL,
    first         bigint NOT NULL,
    seen_at       timestamptz NOT NULL DEFAULT now(),
    accepted      boolean NOT NULL DEFAULT false,
    -- The delivery that is being forwarded by a listener that lets no other forward the event meanwhile.
    claimed_by    bigint,
    claimed_until timestamptz,
    PRIMARY KEY (event_id, customer, environment, subscription)
  );
  CREATE INDEX seen_events_in_order ON seen_events (customer, first);

  CREATE TABLE operations (
    customer          text NOT NULL,
    environment       text NOT NULL,
    id                text NOT NULL,
    type              text,
    subject           text,
    status            text NOT NULL,
    started_at        bigint NOT NULL,
    estimated_seconds double precision,
    seen_at           bigint NOT NULL,
    completed_at      bigint,
    PRIMARY KEY (customer, environment, id)
  );
  CREATE INDEX operations_by_time ON operations (customer, started_at);

  -- How far pruning has followed the clock of the database, and when.
  CREATE TABLE pruning (
    customer      text PRIMARY KEY,
    clock         timestamptz NOT NULL,
    at            timestamptz NOT NULL
  );
  `,
  'CREATE INDEX deliveries_by_original ON deliveries (replay_of) WHERE replay_of IS NOT NULL',
]

/**
 * Brings the tables to the newest version, creating them in an empty database. Of several processes one migrates, the others
 * wait. Throws InboxError `newer_inbox` for tables of a later version.
 */
export async function migrate(database: Database): Promise<void> {
  if (isNewest(await database.attempt(versionOf), database.place)) return
  await database.transaction(async (client) => {
    await client.query(`SELECT ${MIGRATION}`)
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
    await client.query(`CREATE TABLE IF NOT EXISTS ${SCHEMA}.schema_version (version integer NOT NULL)`)
    const version = await versionOf(client)
    if (isNewest(version, database.place)) return
    const { rows } = await client.query('SHOW server_encoding')
    if (rows[0]?.server_encoding !== 'UTF8') {
      throw new InboxError(
        'not_an_inbox',
        `The database ${database.place} has another encoding than UTF8.`,
        'Create one that has it: createdb --encoding UTF8 --template template0.',
      )
    }
    await client.query(`SET LOCAL search_path TO ${SCHEMA}`)
    for (const migration of migrations.slice(version)) await client.query(migration)
    await client.query('DELETE FROM schema_version')
    await client.query('INSERT INTO schema_version VALUES ($1)', [migrations.length])
  })
}

/** 0 when there are no tables. */
async function versionOf(client: Pick<PoolClient, 'query'>): Promise<number> {
  const { rows: tables } = await client.query(
    `SELECT to_regclass('${SCHEMA}.schema_version') IS NOT NULL AS there`,
  )
  if (tables[0]?.there !== true) return 0
  const { rows } = await client.query(`SELECT max(version) AS version FROM ${SCHEMA}.schema_version`)
  return Number(rows[0]?.version ?? 0)
}

function isNewest(version: number, place: string): boolean {
  if (version > migrations.length) {
    throw new InboxError(
      'newer_inbox',
      `The inbox in ${place} was made by a newer bankapi.`,
      'Install that version here, too, or use another database.',
    )
  }
  return version === migrations.length
}
