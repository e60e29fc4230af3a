import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleDelivery } from '../../test/support/sample-delivery.ts'
import { connect } from './connection.ts'
import { createDeliveries } from './deliveries.ts'
import type { NewDelivery } from './delivery-rows.ts'
import { MAX_BODY_BYTES, MAX_NOT_VERIFIED } from './not-verified.ts'
import { type FileInbox, type OpenInbox, openInbox } from './open.ts'
import { createPruner } from './retention.ts'
import { migrations } from './schema.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const keep = { ageMs: 30 * day }

let folder: string
let path: string
let now: number
let opened: { close(): void }[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bankapi-inbox-'))
  path = join(folder, 'inbox.sqlite')
  now = Date.UTC(2026, 8, 21)
  opened = []
})

afterEach(() => {
  for (const one of opened) one.close()
  rmSync(folder, { recursive: true })
})

function open(over: Partial<OpenInbox> = {}): FileInbox {
  const inbox = openInbox({ path, now: () => now, ...over })
  opened.push(inbox)
  return inbox
}

/** The inbox without the timer of its pruning: `step` is one of its steps. */
function openSteps() {
  const connection = connect({ path })
  opened.push(connection)
  const pruner = createPruner(connection, keep)
  const step = () => pruner.step(now)
  step()
  return { connection, deliveries: createDeliveries(connection), step }
}

const delivery = (eventId: string, changes: Partial<NewDelivery> = {}) =>
  sampleDelivery(eventId, { receivedAt: now, ...changes })
const ids = (found: { eventId?: string | undefined }[]) => found.map(({ eventId }) => eventId)

const wasAccepted = ({ claim }: FileInbox['deliveries'], eventId: string) =>
  claim({ eventId, environment: 'sandbox' }, 0, { at: now, forMs: 0 }) === 'accepted'

describe('verified deliveries', () => {
  test('are kept as long as inbox.keep says, and so are operations', () => {
    const before = open()
    for (const age of [40, 31, 29, 0])
      before.deliveries.record(delivery(`evt_${age}`, { receivedAt: now - age * day }))
    before.operations.record({ environment: 'local', id: 'op_old', seenAt: now - 31 * day })
    before.operations.record({ environment: 'local', id: 'op_new', seenAt: now })
    before.close()
    const after = open()
    expect(ids(after.deliveries.list())).toEqual(['evt_29', 'evt_0'])
    expect(after.operations.list().map(({ id }) => id)).toEqual(['op_new'])
  })

  test('are not pushed out by any number of deliveries that did not verify', () => {
    const { deliveries } = open()
    for (let at = 0; at < 20; at++) deliveries.record(delivery(`evt_${at}`))
    const body = Buffer.alloc(1024 * 1024, 'x')
    const headers = Array.from({ length: 100 }, (_, at) => [`X-${at}`, 'x'.repeat(150)] as const)
    for (let at = 0; at < MAX_NOT_VERIFIED + 200; at++) {
      deliveries.record(
        delivery(`${at}${'x'.repeat(9000)}`, {
          verified: false,
          body,
          headers,
          path: `/${'x'.repeat(9000)}`,
        }),
      )
    }
    expect(ids(deliveries.list({ verified: true }))).toEqual(
      Array.from({ length: 20 }, (_, at) => `evt_${at}`),
    )
    const forged = deliveries.list({ verified: false })
    expect(forged.length).toBeLessThanOrEqual(MAX_NOT_VERIFIED)
    expect(forged.length).toBeGreaterThan(MAX_NOT_VERIFIED - 50)
    expect(forged.at(-1)?.eventId).toMatch(`${MAX_NOT_VERIFIED + 199}`)
    expect(forged[0]).toMatchObject({ bodyBytes: body.byteLength, detail: expect.stringContaining('8192') })
    expect(forged[0]?.body).toHaveLength(MAX_BODY_BYTES)
    expect(JSON.stringify({ ...forged[0], body: '' }).length).toBeLessThan(9 * 1024)
  })

  test('are refused, not exchanged for older ones, when the file may not grow', async () => {
    const { batch, deliveries } = open({ maxBytes: 512 * 1024 })
    const body = Buffer.alloc(20_000)
    const kept: string[] = []
    const failures: unknown[] = []
    for (let at = 0; at < 40; at++) {
      const storing = batch(() => deliveries.record(delivery(`evt_${at}`, { body })))
      await storing.then(
        () => kept.push(`evt_${at}`),
        (error: unknown) => failures.push(error),
      )
    }
    expect(kept.length).toBeGreaterThan(15)
    expect(failures.length).toBeGreaterThan(10)
    for (const failure of failures) expect(failure).toMatchObject({ name: 'InboxError', code: 'full' })
    expect(ids(deliveries.list())).toEqual(kept)
    expect(deliveries.record(delivery('evt_39', { body: Buffer.from('') })).duplicate).toBe(false)
  })

  test('of which one does not fit do not fail with it', async () => {
    const { batch, deliveries } = open({ maxBytes: 512 * 1024 })
    const sizes = [1000, 600_000, 2000]
    const outcomes = await Promise.allSettled(
      sizes.map((size, at) =>
        batch(() => deliveries.record(delivery(`evt_${at}`, { body: Buffer.alloc(size) }))),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(ids(deliveries.list())).toEqual(['evt_0', 'evt_2'])
    expect(deliveries.record(delivery('evt_1')).duplicate).toBe(false)
  })
})

describe('ids of events', () => {
  test('outlive their deliveries: what is sent again is a repeat, and known as accepted, for 90 days', () => {
    const { deliveries, step } = openSteps()
    const { id } = deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }))
    deliveries.recordForward(id, { url: 'http://x/', status: 200, durationMs: 1 })
    for (let days = 0; days < 40; days++) passDay(step)
    expect(deliveries.list()).toEqual([])
    expect(deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' })).duplicate).toBe(true)
    expect(wasAccepted(deliveries, 'evt_1')).toBe(true)
    expect(deliveries.list({ failed: true })).toEqual([])
    for (let days = 0; days < 55; days++) passDay(step)
    expect(deliveries.record(delivery('evt_1')).duplicate).toBe(false)
  })
})

function passDay(step: () => boolean): void {
  for (let hours = 0; hours < 24; hours++) {
    now += hour
    while (step());
  }
}

describe('pruning', () => {
  test('deletes at most a day’s worth in an hour when the clock jumps, the oldest first', () => {
    const { deliveries, step } = openSteps()
    for (let days = 10; days >= 0; days--) {
      deliveries.record(delivery(`evt_${days}`, { receivedAt: now - days * day }))
    }
    now += 31 * day
    const left = () => {
      while (step());
      return deliveries.list().length
    }
    expect(left()).toBe(11)
    for (let minutes = 0; minutes < 60; minutes += 5) {
      now += 5 * minute
      expect(left()).toBe(11)
    }
    // The clock of pruning is 29 days behind and catches up by one in an hour;
    for (let hours = 0; hours < 24; hours++) {
      now += hour
      const before = deliveries.list().length
      expect(left()).toBeGreaterThanOrEqual(before - 1)
    }
    expect(ids(deliveries.list())).toEqual(['evt_4', 'evt_3', 'evt_2', 'evt_1', 'evt_0'])
    for (let hours = 0; hours < 24; hours++) {
      now += hour
      left()
    }
    expect(left()).toBe(0)
  })

  test('keeps what came after something that stays', () => {
    const { deliveries, step } = openSteps()
    deliveries.record(delivery('evt_1', { receivedAt: now + 5 * day }))
    deliveries.record(delivery('evt_2'))
    for (let days = 0; days < 32; days++) passDay(step)
    expect(ids(deliveries.list())).toEqual(['evt_1', 'evt_2'])
    for (let days = 0; days < 5; days++) passDay(step)
    expect(deliveries.list()).toEqual([])
  })

  test('works in small steps, and gives the space back', () => {
    const { connection, deliveries, step } = openSteps()
    connection.transaction(() => {
      for (let at = 0; at < 1000; at++)
        deliveries.record(delivery(`evt_${at}`, { receivedAt: now - 29 * day, body: Buffer.alloc(30_000) }))
    })
    connection.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const full = statSync(path).size
    now += hour
    for (let hours = 0; hours < 24; hours++) {
      now += hour
      if (step()) break
    }
    let steps = 1
    let left = deliveries.list().length
    expect(left).toBeLessThan(1000)
    expect(left).toBeGreaterThanOrEqual(800)
    const pages = () => Number(connection.database.prepare('PRAGMA page_count').get()?.['page_count'])
    for (; steps < 1000; steps++) {
      const before = pages()
      const more = step()
      const now = deliveries.list().length
      // 4 MiB of them, and 2 MiB of the file with a page that told where they were.
      expect(left - now).toBeLessThanOrEqual(141)
      expect(before - pages()).toBeLessThanOrEqual(513)
      left = now
      if (!more) break
    }
    expect(left).toBe(0)
    expect(steps).toBeGreaterThan(5)
    expect(full).toBeGreaterThan(30_000_000)
    expect(statSync(path).size).toBeLessThan(6_000_000)
  })
})

test('an inbox of the first version keeps its deliveries and knows their events', () => {
  const database = new DatabaseSync(path)
  database.exec(versionOne)
  const insert = database.prepare(`
    INSERT INTO deliveries (received_at, environment, subscription, method, path, headers, body, event_id, shape,
                            verified, duplicate) VALUES (?, 'sandbox', '', 'POST', '/', '[]', ?, ?, 'event', ?, 0)`)
  database.exec('BEGIN')
  for (let at = 0; at < 1500; at++)
    insert.run(now - day, Buffer.alloc(at === 1499 ? 100_000 : 10), `forged_${at}`, 0)
  for (const id of ['evt_1', 'evt_2']) insert.run(now - day, Buffer.alloc(100_000), id, 1)
  database.exec(
    "INSERT INTO forwards SELECT 1, id, 'http://x/', 200, 1, '[]', x'', NULL FROM deliveries WHERE event_id = 'evt_1'",
  )
  database.exec('COMMIT')
  database.close()
  const { deliveries } = open()
  const kept = deliveries.list({ verified: true })
  expect(kept).toMatchObject([{ eventId: 'evt_1', bodyBytes: undefined }, { eventId: 'evt_2' }])
  expect(kept.map(({ body }) => body.byteLength)).toEqual([100_000, 100_000])
  const forged = deliveries.list({ verified: false })
  expect(forged).toHaveLength(MAX_NOT_VERIFIED)
  expect(forged.at(-1)).toMatchObject({ eventId: 'forged_1499', bodyBytes: 100_000 })
  expect(forged.at(-1)?.body).toHaveLength(MAX_BODY_BYTES)
  expect(deliveries.record(delivery('evt_2')).duplicate).toBe(true)
  expect(['evt_1', 'evt_2'].map((id) => wasAccepted(deliveries, id))).toEqual([true, false])
})

test('an inbox of the first version that lay unused loses nothing when it is opened', () => {
  const database = new DatabaseSync(path)
  database.exec(versionOne)
  database
    .prepare(`
    INSERT INTO deliveries (received_at, environment, subscription, method, path, headers, body, event_id, shape,
                            verified, duplicate) VALUES (?, 'sandbox', '', 'POST', '/', '[]', x'', 'evt_1', 'event', 1, 0)`)
    .run(now - 365 * day)
  database.close()
  expect(ids(open().deliveries.list())).toEqual(['evt_1'])
})

test('an inbox of the third version knows its events, also those whose deliveries are gone', () => {
  const database = new DatabaseSync(path)
  for (const migration of migrations.slice(0, 3)) database.exec(migration)
  database.exec('PRAGMA application_id = 0x626b496e; PRAGMA user_version = 3')
  const seen = database.prepare(
    "INSERT INTO seen_events (environment, subscription, event_id, seen_at, accepted) VALUES ('sandbox', '', ?, ?, ?)",
  )
  const insert = database.prepare(`
    INSERT INTO deliveries (received_at, environment, subscription, method, path, headers, body, event_id, shape,
                            verified, duplicate) VALUES (?, 'sandbox', '', 'POST', '/', '[]', x'', ?, 'event', ?, ?)`)
  for (const [index, event] of ['evt_old', 'evt_older_still', 'evt_1', 'evt_2'].entries())
    seen.run(event, now - (60 - index) * day, index % 2)
  for (const [event, verified, duplicate] of [
    ['evt_1', 0, 0],
    ['evt_1', 1, 0],
    ['evt_2', 1, 0],
    ['evt_1', 1, 1],
  ] as const)
    insert.run(now - day, event, verified, duplicate)
  database.close()
  const { deliveries } = open()
  expect(['evt_1', 'evt_2'].map((event) => deliveries.get(event).map(({ id }) => id))).toEqual([
    [1, 2, 4],
    [3],
  ])
  const rows = () => {
    const reader = new DatabaseSync(path, { readOnly: true })
    const rows = reader.prepare('SELECT id, event_id, accepted FROM seen_events ORDER BY id').all()
    reader.close()
    return rows.map((row) => Object.values(row))
  }
  expect(rows()).toEqual([
    [-4, 'evt_old', 0],
    [-3, 'evt_older_still', 1],
    [2, 'evt_1', 0],
    [3, 'evt_2', 1],
  ])
  for (const event of ['evt_old', 'evt_1']) expect(deliveries.record(delivery(event)).duplicate).toBe(true)
  expect(deliveries.record(delivery('evt_new')).duplicate).toBe(false)
})

/** The tables as the first version made them. */
const versionOne = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL, environment TEXT NOT NULL,
    subscription TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL,
    event_id TEXT, type TEXT, livemode INTEGER, shape TEXT NOT NULL, verified INTEGER NOT NULL, reason TEXT,
    detail TEXT, duplicate INTEGER NOT NULL, forward_to TEXT, replay_of INTEGER
  ) STRICT;
  CREATE INDEX deliveries_by_event ON deliveries (event_id, environment, subscription);
  CREATE INDEX deliveries_by_time ON deliveries (received_at);
  CREATE TABLE forwards (
    id INTEGER PRIMARY KEY, delivery_id INTEGER NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    url TEXT NOT NULL, status INTEGER, duration_ms REAL NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL, error TEXT
  ) STRICT;
  CREATE INDEX forwards_by_delivery ON forwards (delivery_id);
  CREATE TABLE operations (
    environment TEXT NOT NULL, id TEXT NOT NULL, type TEXT, subject TEXT, status TEXT NOT NULL,
    started_at INTEGER NOT NULL, estimated_seconds REAL, seen_at INTEGER NOT NULL, completed_at INTEGER,
    PRIMARY KEY (environment, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX operations_by_time ON operations (started_at);
  PRAGMA application_id = 0x626b496e;
  PRAGMA user_version = 1;
`
