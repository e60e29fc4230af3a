/** The mirror behaves the same on both databases. */
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../src/emulator.ts'
import { migration } from '../../src/sync/mirror/migrate.ts'
import type { Mirror } from '../../src/sync/mirror/mirror.ts'
import { assertMark, openMirror } from '../../src/sync/mirror/open.ts'
import { postgresDialect } from '../../src/sync/mirror/sql.ts'
import { schemaVersion } from '../../src/sync/mirror/tables.ts'
import { moneyOf } from '../../src/sync/money.ts'
import { cleaned } from '../../src/sync/rows.ts'
import { mirrorStores, openedMirror, synced } from '../support/mirrors.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'

const now = '2026-03-10T12:00:00.250Z'
const common = { raw: '{"b":1,"a":[null]}', fingerprint: 'f', first_seen_at: now, changed_at: now }

function transaction(id: string, more: object = {}) {
  return { account_id: 'acc_1', id, client_id: 'cli_1', pending: false, position: 1, ...common, ...more }
}

const rowsOf = (mirror: Mirror) =>
  mirror.db.selectFrom('transactions').selectAll().orderBy('account_id').orderBy('id').execute()

describe.each(mirrorStores)('a mirror on $name', ({ missing, place }) => {
  const its = test.skipIf(missing !== undefined)

  its('gives rows back as they were written, whatever their type', async () => {
    const mirror = await openedMirror(await place())
    const changes = {
      date: '2026-02-28',
      amount: '-123456789012.345678',
      amount_minor: -123456789012346,
      settled_at: null,
      position: 3 * 2 ** 32 + 7,
      description: 'it\'s "one"\\two, {three}',
    }
    await mirror.transaction((db) => mirror.put(db, 'transactions', [transaction('txn_1', changes)]))
    const [read] = await rowsOf(mirror)
    expect(read).toMatchObject({
      ...changes,
      first_seen_at: now,
      gone_at: null,
    })
    expect(Boolean(read?.pending)).toBe(false)
    expect(JSON.parse(read?.raw ?? '')).toEqual({ a: [null], b: 1 })
    const { rows } = await mirror.db
      .selectFrom('transactions')
      .select((is) => is.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    expect(rows).toBe(1)
    expect(await mirror.db.selectFrom('transactions').select('id').where('id', 'in', []).execute()).toEqual(
      [],
    )
  })

  its(
    'updates the columns that are written, and keeps the others and when a row was first seen',
    async () => {
      const mirror = await openedMirror(await place())
      const later = '2026-03-11T12:00:00.000Z'
      await mirror.put(mirror.db, 'transactions', [
        transaction('txn_1', { description: 'one', merchant_name: 'kept' }),
        transaction('txn_2', { description: 'two', merchant_name: 'kept' }),
      ])
      await mirror.put(mirror.db, 'transactions', [
        transaction('txn_2', { description: 'changed', first_seen_at: later, changed_at: later }),
        transaction('txn_3', { description: 'three' }),
      ])
      await mirror.put(mirror.db, 'transactions', [])
      expect(await rowsOf(mirror)).toMatchObject([
        { id: 'txn_1', description: 'one', merchant_name: 'kept' },
        {
          id: 'txn_2',
          description: 'changed',
          merchant_name: 'kept',
          first_seen_at: now,
          changed_at: later,
        },
        { id: 'txn_3', description: 'three', merchant_name: null },
      ])
    },
  )

  its('writes a transaction whole or not at all', async () => {
    const mirror = await openedMirror(await place())
    const change = mirror.transaction(async (db) => {
      await mirror.put(db, 'transactions', [transaction('txn_1')])
      throw new Error('on the way')
    })
    await expect(change).rejects.toThrow('on the way')
    expect(await rowsOf(mirror)).toEqual([])
    // The same rows in the other order, at once: nobody waits for one who waits for him.
    const ids = Array.from({ length: 200 }, (_, number) => `txn_${number}`)
    await Promise.all(
      Array.from({ length: 8 }, (_, number) => {
        const rows = (number % 2 === 0 ? ids : ids.toReversed()).map((id) => transaction(id))
        return mirror.transaction((db) => mirror.put(db, 'transactions', rows))
      }),
    )
    expect(await rowsOf(mirror)).toHaveLength(200)
  })

  its('keeps money exact', async () => {
    const mirror = await openedMirror(await place())
    const amounts: readonly (readonly [number, string])[] = [
      [0.1, 'USD'],
      [0.2, 'USD'],
      [-999_999_999_999.99, 'USD'],
      [1234, 'JPY'],
      [1.234, 'BHD'],
    ]
    await mirror.put(
      mirror.db,
      'transactions',
      amounts.map(([value, currency], number) => {
        const money = moneyOf(value, currency)
        return transaction(`txn_${number}`, {
          amount: money?.amount,
          amount_minor: money?.minor,
          amount_exponent: money?.exponent,
          iso_currency_code: currency,
        })
      }),
    )
    const sum = await mirror.query(
      "SELECT sum(amount_minor) AS minor FROM transactions WHERE id IN ('txn_0', 'txn_1')",
      AbortSignal.timeout(10_000),
    )
    expect(Number(sum[0]?.['minor'])).toBe(30)
    const read = await mirror.query(
      'SELECT amount, amount_minor, amount_exponent FROM transactions ORDER BY id',
      AbortSignal.timeout(10_000),
    )
    expect(read).toEqual([
      { amount: '0.1', amount_minor: 10, amount_exponent: 2 },
      { amount: '0.2', amount_minor: 20, amount_exponent: 2 },
      { amount: '-999999999999.99', amount_minor: -99999999999999, amount_exponent: 2 },
      { amount: '1234', amount_minor: 1234, amount_exponent: 0 },
      { amount: '1.234', amount_minor: 1234, amount_exponent: 3 },
    ])
  })

  its('takes any text that a bank sends', async () => {
    const mirror = await openedMirror(await place())
    const text = 'NUL \0, half \ud800, whole \u{1f3e6}, \\u0000 spelled'
    const answer = cleaned({ id: 'txn_1', description: text, [text]: [text] })
    const stored = 'NUL \ufffd, half \ufffd, whole \u{1f3e6}, \\u0000 spelled'
    expect(answer).toEqual({ id: 'txn_1', description: stored, [stored]: [stored] })
    await mirror.put(mirror.db, 'transactions', [
      transaction('txn_1', { description: answer.description, raw: JSON.stringify(answer) }),
    ])
    const [read] = await rowsOf(mirror)
    expect(read?.description).toBe(stored)
    expect(JSON.parse(read?.raw ?? '')).toEqual(answer)
    // What is not cleaned, such as the message of an error, is stored, too.
    await mirror.db.updateTable('transactions').set({ merchant_name: text }).execute()
    await mirror.put(mirror.db, 'transactions', [transaction('txn_2', { merchant_name: text })])
    expect(await rowsOf(mirror)).toHaveLength(2)
  })

  its('stores texts that mean something to a database as they are', async () => {
    const mirror = await openedMirror(await place())
    const texts = [
      'NULL',
      'null',
      '',
      ' ',
      '{}',
      '{"a"}',
      '"',
      String.raw`\"\\ \n`,
      'a,b',
      '\n\t',
      "it's",
      '$1',
      null,
    ]
    const rows = texts.map((description, index) =>
      transaction(`txn_${10 + index}`, { description, raw: JSON.stringify({ description }) }),
    )
    await mirror.put(mirror.db, 'transactions', rows)
    const read = await rowsOf(mirror)
    expect(read.map(({ description }) => description)).toEqual(texts)
    expect(read.map(({ raw }) => JSON.parse(raw))).toEqual(texts.map((description) => ({ description })))
  })

  its('lets a query read, and nothing else', async () => {
    const mirror = await openedMirror(await place())
    await mirror.put(mirror.db, 'transactions', [transaction('txn_1')])
    const query = (sql: string) => mirror.query(sql, AbortSignal.timeout(20_000))
    expect(await query('SELECT id FROM transactions; -- all')).toEqual([{ id: 'txn_1' }])
    for (const sql of [
      'DELETE FROM transactions',
      'WITH gone AS (DELETE FROM transactions RETURNING *) SELECT * FROM gone',
      'DROP TABLE transactions',
      'CREATE TABLE more (id int)',
      'COMMIT',
      'nonsense',
    ]) {
      await expect(query(sql), sql).rejects.toMatchObject({ code: 'query_failed', exit: 'usage' })
    }
    // SQLite runs the first of two statements, Postgres neither.
    await query('SELECT 1; DELETE FROM transactions').catch(() => undefined)
    expect(await rowsOf(mirror)).toHaveLength(1)
  })

  its('reads a window of a query alone', async () => {
    const mirror = await openedMirror(await place())
    const sql =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n'
    const window = { skip: 20, rows: 3, characters: 10 }
    expect(await mirror.query(sql, AbortSignal.timeout(20_000), { window })).toEqual([
      { i: 21 },
      { i: 22 },
      { i: 23 },
    ])
  })

  its('leaves personal columns empty, or refuses to', async () => {
    const mirror = await openedMirror(await place())
    const query = mirror.query('SELECT email FROM clients', AbortSignal.timeout(20_000), {
      withoutPersonal: true,
    })
    if (mirror.kind === 'sqlite') expect(await query).toEqual([])
    else
      await expect(query).rejects.toMatchObject({
        code: 'personal_columns',
        hint: expect.stringContaining('SQLite'),
      })
  })

  its('ends a query that runs too long', async () => {
    const mirror = await openedMirror(await place())
    const endless = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
      SELECT count(*) FROM n`
    const controller = new AbortController()
    const running = mirror.query(endless, controller.signal)
    setTimeout(() => controller.abort(new Error('enough')), 300)
    await expect(running).rejects.toThrow('enough')
  })

  its('keeps a second run out until the first ends', async () => {
    const to = await place()
    const one = await openedMirror(to)
    const other = await openedMirror(to)
    const claim = await one.claim()
    await expect(other.claim()).rejects.toMatchObject({ code: 'busy', exit: 'conflict' })
    claim.release()
    await expect
      .poll(() =>
        other.claim().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })

  its('is made by one of many that open it at once, and belongs to one environment', async () => {
    const to = await place()
    const mirrors = await Promise.all(Array.from({ length: 4 }, () => openedMirror(to)))
    const baseUrl = 'https://sandbox.example.com/v3'
    for (const mirror of mirrors) await assertMark(mirror, { environment: 'sandbox', baseUrl })
    const other = assertMark(mirrors[0] as Mirror, { environment: 'live', baseUrl })
    await expect(other).rejects.toMatchObject({ code: 'other_environment', exit: 'usage' })
  })

  its('that is not there is not made for a reader', async () => {
    await expect(openMirror({ to: await place(), env: {}, readOnly: true })).rejects.toMatchObject({
      code: 'no_mirror',
      exit: 'notFound',
    })
  })

  its('of a later version is refused', async () => {
    const to = await place()
    const mirror = await openedMirror(to)
    await makeNewer(mirror)
    await expect(openMirror({ to, env: {} })).rejects.toMatchObject({ code: 'newer_mirror', exit: 'usage' })
  })

  its('holds what the service holds after a run, and after a second one', async () => {
    await using emulator = await startEmulator({ seed: 3 })
    const mirror = await openedMirror(await place())
    const first = await synced(mirror, emulator)
    expect(first).toMatchObject({ outcome: 'complete', failed: [] })
    expect(first.counts.transactions.new).toBeGreaterThan(50)
    const before = await rowsOf(mirror)
    const account = 'acc_AGGREGATOR_A_100101'
    const bank = emulator.bank(account)
    const held = bank.record({ amount: -40.1, description: 'NOODLE YARD', pending: true })
    const second = await synced(mirror, emulator)
    expect(second).toMatchObject({ outcome: 'complete', failed: [] })
    expect(second.counts.transactions).toMatchObject({ new: 1, gone: 0 })
    bank.settle(held)
    expect((await synced(mirror, emulator)).counts.transactions).toMatchObject({ settled: 1, gone: 0 })
    const after = await rowsOf(mirror)
    expect(after).toHaveLength(before.length + 1)
    const views = ['ledger', 'pending', 'broken_connections', 'balances_daily', 'cashflow_monthly']
    for (const view of views) {
      const [{ n } = { n: 0 }] = await mirror.query(
        `SELECT count(*) AS n FROM ${view}`,
        AbortSignal.timeout(10_000),
      )
      if (view !== 'broken_connections' && view !== 'pending') expect(n, view).toBeGreaterThan(0)
    }
    const read = await mirror.query(
      `SELECT amount, date FROM ledger WHERE id = '${held}'`,
      AbortSignal.timeout(10_000),
    )
    expect(read).toMatchObject([{ amount: '-40.1' }])
  })
})

async function makeNewer(mirror: Mirror): Promise<void> {
  await mirror.db
    .updateTable('mirror')
    .set({ value: String(schemaVersion + 1) })
    .where('name', '=', 'schema_version')
    .execute()
  if (mirror.kind === 'postgres') return
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(mirror.shown)
  database.exec(`PRAGMA user_version = ${schemaVersion + 1}`)
  database.close()
}

describe.skipIf(whyNoPostgres() !== undefined)(`a mirror in a Postgres of its user`, async () => {
  const server = whyNoPostgres() === undefined ? await postgresServer() : undefined
  const database = async () => (await server?.database()) ?? ''

  async function psql(to: string) {
    const client = new Client({ connectionString: to, ssl: false })
    await client.connect()
    client.on('error', () => {})
    onTestFinished(() => client.end())
    return client
  }

  test('leaves the tables of others alone', async () => {
    const to = await database()
    const user = await psql(to)
    await user.query('CREATE TABLE transactions (mine int); INSERT INTO transactions VALUES (1)')
    await openedMirror(to)
    expect((await user.query('SELECT count(*) FROM bankapi.transactions')).rows).toEqual([{ count: '0' }])
    expect((await user.query('SELECT mine FROM transactions')).rows).toEqual([{ mine: 1 }])
  })
  test('keeps views that were built on its own when it is migrated', async () => {
    const to = await database()
    const user = await psql(to)
    await openedMirror(to)
    await user.query('CREATE VIEW mine AS SELECT id, amount FROM bankapi.ledger')
    await user.query('SET search_path = bankapi')
    for (const statement of migration(postgresDialect, schemaVersion)) await user.query(statement)
    expect((await user.query('SELECT * FROM public.mine')).rows).toEqual([])
  })

  test('refuses a schema of its name that is of another program', async () => {
    const to = await database()
    const user = await psql(to)
    await user.query('CREATE SCHEMA bankapi; CREATE TABLE bankapi.theirs (id int)')
    await expect(openMirror({ to, env: {} })).rejects.toMatchObject({ code: 'not_a_mirror', exit: 'usage' })
    await user.query('DROP TABLE bankapi.theirs')
    await openedMirror(to)
  })

  test('does nothing with the rights of a reader', async () => {
    const to = await database()
    const user = await psql(to)
    const mirror = await openedMirror(to)
    await mirror.put(mirror.db, 'transactions', [transaction('txn_1')])
    await user.query('CREATE SEQUENCE numbers; CREATE TABLE theirs (id int)')
    const query = (sql: string) => mirror.query(sql, AbortSignal.timeout(20_000))
    await expect(query("SELECT nextval('public.numbers')")).rejects.toMatchObject({ code: 'query_failed' })
    await expect(query("COPY transactions TO PROGRAM 'cat'")).rejects.toMatchObject({ code: 'query_failed' })
    await expect(query("SELECT set_config('transaction_read_only', 'off', false)")).rejects.toThrow()
    const reader = await openedMirror(to, { readOnly: true })
    await expect(reader.put(reader.db, 'transactions', [transaction('txn_2')])).rejects.toMatchObject({
      code: 'postgres_read_only',
      exit: 'usage',
    })
    expect(await rowsOf(mirror)).toHaveLength(1)
  })

  test('cancels an aborted query on the server', async () => {
    const to = await database()
    const user = await psql(to)
    const mirror = await openedMirror(to)
    const controller = new AbortController()
    const running = mirror.query('SELECT pg_sleep(60)', controller.signal)
    const sleeping = async () =>
      (await user.query("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND state = 'active'")).rows
    await expect.poll(sleeping).toHaveLength(1)
    controller.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    await expect.poll(sleeping).toHaveLength(0)
  })

  test('that is lost on the way is one sentence, and nothing is half-written', async () => {
    const to = await database()
    const mirror = await openedMirror(to)
    const user = await psql(to)
    const change = mirror.transaction(async (db) => {
      await mirror.put(db, 'transactions', [transaction('txn_1')])
      await user.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'bankapi sync'`,
      )
      await mirror.put(db, 'transactions', [transaction('txn_2')])
    })
    await expect(change).rejects.toMatchObject({
      name: 'MirrorError',
      code: 'postgres_unreachable',
      exit: 'unreachable',
      message: expect.stringMatching(/^The database postgres:\/\/.* the connection to it was lost\.$/),
    })
    expect(await rowsOf(mirror)).toEqual([])
  })
})
