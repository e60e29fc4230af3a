import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testPostgresInbox } from '../../../test/support/inbox-stores.ts'
import { postgresServer, whyNoPostgres } from '../../../test/support/postgres.ts'
import { sampleDelivery as delivery } from '../../../test/support/sample-delivery.ts'
import { MAX_NOT_VERIFIED } from '../not-verified.ts'
import { watchDeliveries } from '../watch-deliveries.ts'

const missing = whyNoPostgres()
const ids = (found: { eventId?: string | undefined }[]) => found.map(({ eventId }) => eventId)
const day = 24 * 60 * 60 * 1000

const title = `an inbox in Postgres ${missing ?? ''}`

describe.skipIf(missing !== undefined)(title, { tags: ['postgres'] }, () => {
  const postgres = testPostgresInbox()

  /** A connection beside the inbox, as of a person with psql. */
  async function client(): Promise<Client> {
    const opened = new Client({ connectionString: postgres.at, ssl: false })
    await opened.connect()
    onTestFinished(() => opened.end())
    return opened
  }

  test('keeps customers apart: neither their deliveries nor their events meet', async () => {
    const one = await postgres.open({ customer: 'acme' })
    const other = await postgres.open({ customer: 'bolt' })
    const claim = { at: 0, forMs: 30_000 }
    const { id } = await one.deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }), claim)
    await one.deliveries.recordForward(id, { url: 'http://x/', status: 200, durationMs: 1 })
    await one.operations.record({ environment: 'local', id: 'op_1', seenAt: 1 })
    expect(await other.deliveries.list()).toEqual([])
    expect(await other.deliveries.get('evt_1')).toEqual([])
    expect(await other.deliveries.after(0)).toEqual([])
    expect(await other.operations.list()).toEqual([])
    expect(await other.operations.get('local', 'op_1')).toBeUndefined()
    const second = await other.deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }), claim)
    expect(second).toMatchObject({ duplicate: false, claimed: 'claimed' })
    // What another customer's target accepted is no answer to this one's.
    expect(ids(await other.deliveries.list({ failed: true }))).toEqual(['evt_1'])
    await other.deliveries.explain(id, 'r', 'd')
    await other.deliveries.recordForward(id, { url: 'http://y/', status: 500, durationMs: 1 })
    expect(await one.deliveries.list()).toMatchObject([{ forwards: [{ status: 200 }] }])
    expect((await one.deliveries.list())[0]?.detail).toBeUndefined()
  })

  test('is created once by many that open it at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => postgres.open()))
    await Promise.all(opened.map(({ deliveries }, at) => deliveries.record(delivery(`evt_${at}`))))
    expect(await opened[0]?.deliveries.list()).toHaveLength(8)
    const { rows } = await (await client()).query('SELECT version FROM bankapi_inbox.schema_version')
    expect(rows).toEqual([{ version: 2 }])
  })

  test('of a newer bankapi is refused with a sentence', async () => {
    await postgres.open()
    await (await client()).query('UPDATE bankapi_inbox.schema_version SET version = 99')
    await expect(postgres.open()).rejects.toMatchObject({
      code: 'newer_inbox',
      exit: 'usage',
      message: expect.stringContaining('was made by a newer bankapi'),
    })
  })

  test('is for its owner only', async () => {
    await postgres.open()
    const beside = await client()
    await beside.query('CREATE ROLE somebody LOGIN')
    const at = postgres.at.replace('postgres@', 'somebody@')
    await expect(postgres.open({ at })).rejects.toMatchObject({ code: 'not_writable', exit: 'notAllowed' })
  })

  test('shows a watch every delivery, however the commits of several listeners overlap', async () => {
    const writers = await Promise.all([postgres.open(), postgres.open(), postgres.open()])
    const reader = await postgres.open()
    const stop = new AbortController()
    const { signal } = stop
    const after = await reader.deliveries.lastId()
    const seen: string[] = []
    const watching = (async () => {
      for await (const { eventId } of watchDeliveries(reader.deliveries, { signal, after, intervalMs: 1 })) {
        seen.push(String(eventId))
        if (eventId === 'evt_last') stop.abort()
      }
    })()
    await Promise.all(
      Array.from({ length: 600 }, (_, at) => writers[at % 3]?.deliveries.record(delivery(`evt_${at}`))),
    )
    await reader.deliveries.record(delivery('evt_last'))
    await watching
    expect(seen).toHaveLength(601)
    expect(new Set(seen).size).toBe(601)
  })

  test('shows no delivery while one with a lower number is still being stored', async () => {
    const inbox = await postgres.open()
    const slow = await client()
    await slow.query('BEGIN')
    // Another listener that has the event, and whose repeat waits for it under its number.
    await slow.query(`INSERT INTO bankapi_inbox.seen_events (customer, environment, subscription, event_id, first)
      VALUES ('', 'sandbox', '', 'evt_slow', 0)`)
    const waiting = inbox.deliveries.record(delivery('evt_slow'))
    const quick = await postgres.open()
    await expect
      .poll(
        async () => (await slow.query('SELECT last_value, is_called FROM bankapi_inbox.delivery_ids')).rows,
      )
      .toEqual([{ last_value: '1', is_called: true }])
    await quick.deliveries.record(delivery('evt_quick'))
    const reading = quick.deliveries.after(0)
    expect(await Promise.race([reading, delay(100, 'waits')])).toBe('waits')
    await slow.query('COMMIT')
    expect((await waiting).duplicate).toBe(true)
    expect(ids(await reading)).toEqual(['evt_slow', 'evt_quick'])
  })

  test('stores texts that Postgres would refuse: NUL, and ids too long for an index', async () => {
    const { deliveries } = await postgres.open()
    const long = `evt_${'x'.repeat(100_000)}`
    for (const eventId of ['evt_\0', long, `${long}y`]) {
      const claim = { at: 0, forMs: 30_000 }
      const first = await deliveries.record(delivery(eventId, { type: 'a\0b', detail: '\ud800' }), claim)
      expect(first).toMatchObject({ duplicate: false, claimed: 'claimed' })
      expect(await deliveries.record(delivery(eventId))).toMatchObject({ duplicate: true })
      expect(await deliveries.get(eventId)).toHaveLength(2)
      await deliveries.recordForward(first.id, { url: 'http://x/', durationMs: 1, error: '\0', status: 200 })
      expect(await deliveries.claim({ eventId, environment: 'sandbox' }, first.id, claim)).toBe('accepted')
    }
    expect(Buffer.from((await deliveries.get(long))[0]?.body ?? []).toString()).toBe(long)
  })

  test('keeps few and small of what did not verify', async () => {
    const { deliveries, close } = await postgres.open()
    await deliveries.record(delivery('evt_1'))
    const forged = delivery('evt_2', { verified: false, body: Buffer.alloc(20_000) })
    for (let at = 0; at < (MAX_NOT_VERIFIED + 100) / 50; at++) {
      await Promise.all(Array.from({ length: 50 }, () => deliveries.record(forged)))
    }
    await close()
    const kept = (await postgres.open()).deliveries
    expect((await kept.list({ verified: false })).length).toBeLessThanOrEqual(MAX_NOT_VERIFIED)
    expect((await kept.list({ verified: false, limit: 1 }))[0]).toMatchObject({ bodyBytes: 20_000 })
    expect(ids(await kept.list({ verified: true }))).toEqual(['evt_1'])
  })

  test('keeps deliveries and operations as long as inbox.keep says, and ids of events for 90 days', async () => {
    const before = await postgres.open()
    const stored = []
    for (const age of [95, 40, 31, 29, 0]) {
      stored.push((await before.deliveries.record(delivery(`evt_${age}`))).id)
      await before.operations.record({
        environment: 'local',
        id: `op_${age}`,
        seenAt: Date.now() - age * day,
      })
    }
    // Another customer keeps what is as old.
    const other = await postgres.open({ customer: 'bolt', keep: { ageMs: 400 * day } })
    await other.deliveries.record(delivery('evt_95'))
    await before.close()
    const beside = await client()
    const aged = [95, 40, 31, 29, 0, 95]
    for (const [at, age] of aged.entries()) {
      await beside.query(
        `UPDATE bankapi_inbox.deliveries SET stored_at = now() - interval '${age} days' WHERE id = $1`,
        [(stored[0] ?? 0) + at],
      )
      await beside.query(
        `UPDATE bankapi_inbox.seen_events SET seen_at = now() - interval '${age} days' WHERE first = $1`,
        [(stored[0] ?? 0) + at],
      )
    }
    const after = await postgres.open()
    await expect.poll(async () => ids(await after.deliveries.list())).toEqual(['evt_29', 'evt_0'])
    await expect
      .poll(async () => (await after.operations.list()).map(({ id }) => id))
      .toEqual(['op_0', 'op_29'])
    expect((await after.deliveries.record(delivery('evt_40'))).duplicate).toBe(true)
    expect((await after.deliveries.record(delivery('evt_95'))).duplicate).toBe(false)
    expect(ids(await other.deliveries.list())).toEqual(['evt_95'])
    expect((await other.deliveries.record(delivery('evt_95'))).duplicate).toBe(true)
  })

  test('deletes nothing at once when the clock of the database jumps ahead, and nothing before what came earlier', async () => {
    const before = await postgres.open()
    for (let at = 0; at < 3; at++) await before.deliveries.record(delivery(`evt_${at}`))
    await before.close()
    const beside = await client()
    const step = async () => {
      const inbox = await postgres.open()
      const { rows } = await beside.query('SELECT max(at) AS at FROM bankapi_inbox.pruning')
      await expect
        .poll(async () => (await beside.query('SELECT max(at) AS at FROM bankapi_inbox.pruning')).rows)
        .not.toEqual(rows)
      const left = ids(await inbox.deliveries.list())
      await inbox.close()
      return left
    }
    await step()
    // As after a jump of a year: the rows and the last step are a year old.
    await beside.query(`UPDATE bankapi_inbox.deliveries SET stored_at = stored_at - interval '1 year';
      UPDATE bankapi_inbox.pruning SET clock = clock - interval '1 year', at = at - interval '1 year'`)
    expect(await step()).toEqual(['evt_0', 'evt_1', 'evt_2'])
    // Known for long, but the first is young.
    await beside.query(`UPDATE bankapi_inbox.pruning SET clock = now(), at = now();
      UPDATE bankapi_inbox.deliveries SET stored_at = now() WHERE event_id = 'evt_0'`)
    expect(await step()).toEqual(['evt_0', 'evt_1', 'evt_2'])
    await beside.query(
      "UPDATE bankapi_inbox.deliveries SET stored_at = now() - interval '1 year' WHERE event_id = 'evt_0'",
    )
    expect(await step()).toEqual([])
  })

  test('that goes away is a sentence for each call, and is there again when it is back', async () => {
    const server = await postgresServer()
    const inbox = await postgres.open()
    await inbox.deliveries.record(delivery('evt_1'))
    await server.stop('immediate')
    const lost = { code: 'unreachable', exit: 'unreachable', mayPass: true }
    for (const call of [
      () => inbox.deliveries.record(delivery('evt_2')),
      () => inbox.deliveries.list(),
      () => inbox.deliveries.lastId(),
      () => inbox.assertWritable(),
      () => postgres.open(),
    ]) {
      await expect((async () => await call())()).rejects.toMatchObject(lost)
    }
    await server.start()
    await inbox.deliveries.record(delivery('evt_3'))
    expect(ids(await inbox.deliveries.list())).toEqual(['evt_1', 'evt_3'])
    await inbox.assertWritable()
  })

  test('cannot be written where the database is read-only, and can be read', async () => {
    await (await postgres.open()).deliveries.record(delivery('evt_1'))
    const beside = await client()
    await beside.query(
      `ALTER DATABASE ${new URL(postgres.at).pathname.slice(1)} SET default_transaction_read_only = on`,
    )
    const inbox = await postgres.open()
    expect(ids(await inbox.deliveries.list())).toEqual(['evt_1'])
    await expect(inbox.assertWritable()).rejects.toMatchObject({
      code: 'not_writable',
      message: expect.stringContaining('is read-only'),
    })
  })
})
