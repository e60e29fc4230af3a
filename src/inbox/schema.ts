/** The tables of the inbox, and their migration to the newest version. */
import type { DatabaseSync } from 'node:sqlite'
import { InboxError } from './inbox-error.ts'

/** 'bkIn': identifies an inbox among SQLite files. */
const APPLICATION_ID = 0x626b_496e

/** Applied in order, each once; `user_version` counts them. A released migration is never changed; a new one is added. */
export const migrations = [
  `
  CREATE TABLE deliveries (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at   INTEGER NOT NULL,
    environment   TEXT NOT NULL,
    subscription  TEXT NOT NULL,
    method        TEXT NOT NULL,
    path          TEXT NOT NULL,
    headers       TEXT NOT NULL,
    body          BLOB NOT NULL,
    event_id      TEXT,
    type          TEXT,
    livemode      INTEGER,
    shape         TEXT NOT NULL,
    verified      INTEGER NOT NULL,
    reason        TEXT,
    detail        TEXT,
    duplicate     INTEGER NOT NULL,
    forward_to    TEXT,
    replay_of     INTEGER
  ) STRICT;
  CREATE INDEX deliveries_by_event ON deliveries (event_id, environment, subscription);
  CREATE INDEX deliveries_by_time ON deliveries (received_at);

  CREATE TABLE forwards (
    id            INTEGER PRIMARY KEY,
    delivery_id   INTEGER NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    url           TEXT NOT NULL,
    status        INTEGER,
    duration_ms   REAL NOT NULL,
    headers       TEXT NOT NULL,
    body          BLOB NOT NULL,
    error         TEXT
  ) STRICT;
  CREATE INDEX forwards_by_delivery ON forwards (delivery_id);

  CREATE TABLE operations (
    environment       TEXT NOT NULL,
    id                TEXT NOT NULL,
    type              TEXT,
    subject           TEXT,
    status            TEXT NOT NULL,
    started_at        INTEGER NOT NULL,
    estimated_seconds REAL,
    seen_at           INTEGER NOT NULL,
    completed_at      INTEGER,
    PRIMARY KEY (environment, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX operations_by_time ON operations (started_at);
  `,
  `
  -- The size of a body of which only the beginning is kept; NULL for a whole one.
  ALTER TABLE deliveries ADD COLUMN body_bytes INTEGER;
  CREATE INDEX deliveries_not_verified ON deliveries (id) WHERE verified = 0;
  DELETE FROM deliveries WHERE verified = 0 AND id NOT IN (
    SELECT id FROM deliveries WHERE verified = 0 ORDER BY id DESC LIMIT 1000);
  UPDATE deliveries SET body_bytes = length(body), body = substr(body, 1, 8192)
    WHERE verified = 0 AND length(body) > 8192;

  -- Events with a verified delivery, in the order of their first. They outlive their deliveries.
  CREATE TABLE seen_events (
    id            INTEGER PRIMARY KEY,
    environment   TEXT NOT NULL,
    subscription  TEXT NOT NULL,
    event_id      TEXT NOT NULL,
    seen_at       INTEGER NOT NULL,
    accepted      INTEGER NOT NULL DEFAULT 0,
    -- The delivery that is being forwarded by a listener that lets no other forward the event meanwhile.
    claimed_by    INTEGER,
    claimed_at    INTEGER,
    claimed_until INTEGER,
    UNIQUE (event_id, environment, subscription)
  ) STRICT;
  INSERT INTO seen_events (environment, subscription, event_id, seen_at, accepted)
    SELECT environment, subscription, event_id, min(received_at), max(EXISTS (
      SELECT 1 FROM forwards WHERE forwards.delivery_id = deliveries.id AND status BETWEEN 200 AND 299))
    FROM deliveries WHERE verified AND shape <> 'no_envelope' AND event_id IS NOT NULL
    GROUP BY event_id, environment, subscription ORDER BY min(id);

  -- One row: how far pruning has followed the clock of the machine, and when.
  CREATE TABLE pruning (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    clock         INTEGER NOT NULL,
    at            INTEGER NOT NULL
  ) STRICT;
  `,
  'CREATE INDEX deliveries_by_original ON deliveries (replay_of) WHERE replay_of IS NOT NULL',
  `
  -- An event has the id of its first delivery from now on, so that one index by event id finds both: event ids are random,
  -- and each more index costs a page per delivery. Without its delivery it has a negative one, in the same order.
  CREATE TABLE events (
    id            INTEGER PRIMARY KEY,
    environment   TEXT NOT NULL,
    subscription  TEXT NOT NULL,
    event_id      TEXT NOT NULL,
    seen_at       INTEGER NOT NULL,
    accepted      INTEGER NOT NULL DEFAULT 0,
    claimed_by    INTEGER,
    claimed_at    INTEGER,
    claimed_until INTEGER,
    UNIQUE (event_id, environment, subscription)
  ) STRICT;
  INSERT INTO events
    SELECT coalesce(
        (SELECT min(id) FROM deliveries WHERE deliveries.event_id = seen.event_id AND deliveries.environment = seen.environment
          AND deliveries.subscription = seen.subscription AND verified AND shape <> 'no_envelope'),
        id - 1 - (SELECT max(id) FROM seen_events)),
      environment, subscription, event_id, seen_at, accepted, claimed_by, claimed_at, claimed_until
    FROM seen_events AS seen;
  DROP TABLE seen_events;
  ALTER TABLE events RENAME TO seen_events;
  DROP INDEX deliveries_by_event;
  -- A replay may be the first that verified: it is in both.
  CREATE INDEX deliveries_not_first ON deliveries (event_id, environment, subscription)
    WHERE duplicate OR NOT verified OR shape = 'no_envelope' OR replay_of IS NOT NULL;
  `,
]

/**
 * Brings the file to the newest schema. Several processes may do it at once: one migrates, the others wait.
 * Throws InboxError `not_an_inbox` for another program's database, `newer_inbox` for one of a later version.
 */
export function migrate(database: DatabaseSync, path: string): void {
  if (version(database) === migrations.length && number(database, 'application_id') === APPLICATION_ID) return
  database.exec('BEGIN IMMEDIATE')
  try {
    refuseOtherDatabase(database, path)
    for (const migration of migrations.slice(version(database))) database.exec(migration)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function refuseOtherDatabase(database: DatabaseSync, path: string): void {
  const tables = number(database, 'schema_version')
  if (tables !== 0 && number(database, 'application_id') !== APPLICATION_ID) {
    throw new InboxError(
      'not_an_inbox',
      `${path} is a database of another program.`,
      `Move it away: mv '${path}' '${path}.old'`,
    )
  }
  if (version(database) > migrations.length) {
    throw new InboxError(
      'newer_inbox',
      `${path} was written by a newer bankapi.`,
      'Install that version again, or choose another place with BANKAPI_DATA_DIR.',
    )
  }
}

function version(database: DatabaseSync): number {
  return number(database, 'user_version')
}

function number(database: DatabaseSync, pragma: string): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get()
  return Number(Object.values(row ?? {})[0])
}
