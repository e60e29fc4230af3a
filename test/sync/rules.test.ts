/** The rules of sync, a test for each sentence. Pages have 20 rows, so that the account in question has eleven. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Emulator, type StartOptions, startEmulator } from '../../src/emulator.ts'
import { listAll, walkAll } from '../support/independent-walk.ts'
import { temporaryFolder } from '../support/machine.ts'
import { type SyncRun, syncOnce } from '../support/sync-run.ts'

const child = fileURLToPath(new URL('../support/sync-child.ts', import.meta.url))
/** 201 rows, 3 of them pending, most recent first. */
const CARD = 'acc_AGGREGATOR_A_100103'
const CHECKING = 'acc_AGGREGATOR_A_100101'
/** 75 rows, never refreshed. */
const PDF = 'acc_PDF_500101'
const LIST = 'GET /accounts/*/transactions'

// biome-ignore lint/suspicious/noExplicitAny: rows, of which a test reads what it needs
type Row = any

interface Service extends Emulator {
  sync(
    options?: SyncRun['options'] & { readonly key?: string; readonly pageSize?: number },
  ): ReturnType<typeof syncOnce>
  /** Starts a sync that is killed at a request, before it is answered. */
  killed(at: { readonly pattern: string; readonly after: number }): Promise<void>
  sql(query: string, ...values: string[]): Row[]
  /** Changes the mirror itself. */
  change(statements: string): void
  transaction(id: string, account?: string): Row
  stream(kind: string, subject: string): Row
  listed(account: string): Promise<Row[]>
  /** Counts the requests that fit from now on. */
  count(pattern: string): () => number
}

async function service(options: StartOptions = {}): Promise<Service> {
  const emulator = await startEmulator({ seed: 1, frozenAt: '2026-03-10T12:00:00.000Z', ...options })
  onTestFinished(() => emulator.stop())
  const to = join(temporaryFolder(), 'mirror.sqlite')
  const { baseUrl, apiKey } = emulator
  const sql = (query: string, ...values: string[]) => {
    const database = new DatabaseSync(to, { readOnly: true })
    try {
      return database.prepare(query).all(...values)
    } finally {
      database.close()
    }
  }
  return {
    ...emulator,
    sync: ({ key = apiKey, pageSize = 20, ...more } = {}) =>
      syncOnce({ baseUrl, apiKey: key, to, pageSize, options: { only: ['transactions'], ...more } }),
    async killed(at) {
      const run: SyncRun = {
        baseUrl,
        apiKey,
        to,
        pageSize: 20,
        options: { only: ['transactions'], concurrency: 1 },
      }
      const running = spawn(process.execPath, [child], {
        env: { ...process.env, SYNC_RUN: JSON.stringify(run) },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      emulator.faults.add({ ...at, times: 1, meanwhile: () => running.kill('SIGKILL') })
      const by = await new Promise((resolve) => running.once('exit', (_code, signal) => resolve(signal)))
      expect(by).toBe('SIGKILL')
    },
    sql,
    change(statements) {
      const database = new DatabaseSync(to)
      database.exec(statements)
      database.close()
    },
    transaction: (id, account = CARD) =>
      sql('SELECT * FROM transactions WHERE account_id = ? AND id = ?', account, id)[0],
    stream: (kind, subject) => sql('SELECT * FROM streams WHERE kind = ? AND subject = ?', kind, subject)[0],
    listed: (account) => listAll(emulator, `/accounts/${account}/transactions?client_id=cli_demo`),
    count(pattern) {
      let requests = 0
      emulator.faults.add({
        pattern,
        meanwhile: () => {
          requests += 1
        },
      })
      return () => requests
    },
  }
}

const live = 'SELECT account_id, id, raw FROM transactions WHERE gone_at IS NULL ORDER BY account_id, id'

async function expectEqual({ sql, ...emulator }: Service): Promise<void> {
  const { accounts } = await walkAll(emulator)
  const wanted = [...accounts].flatMap(([account_id, { transactions }]) =>
    [...transactions.values()].map((item) => ({ account_id, id: item.id, item })),
  )
  const order = (one: Row, other: Row) =>
    one.account_id < other.account_id || (one.account_id === other.account_id && one.id < other.id) ? -1 : 1
  const found = sql(live).map(({ account_id, id, raw }) => ({ account_id, id, item: JSON.parse(raw) }))
  expect(found.sort(order)).toEqual(wanted.sort(order))
}

describe('1', () => {
  test('rows and the cursor that follows them are one transaction; killed, the next run ends as a fresh full run', async () => {
    const bank = await service()
    const pattern = `GET /accounts/${CARD}/transactions`
    await bank.killed({ pattern, after: 2 })
    const { walk_rows, cursor } = bank.stream('transactions', CARD)
    expect(cursor).toEqual(expect.any(String))
    expect(bank.sql('SELECT count(*) AS rows FROM transactions WHERE account_id = ?', CARD)).toEqual([
      { rows: walk_rows },
    ])
    await bank.sync()
    await expectEqual(bank)
  })
})

describe('2', () => {
  test('known means stored by a walk that reached its end', async () => {
    const bank = await service()
    await bank.sync()
    for (let number = 0; number < 80; number += 1) {
      bank.bank(CARD).record({ amount: -number - 1, date: '2026-01-20', description: 'POSTED LATE' })
    }
    // Three of the four pages of new rows are stored, by a walk that does not end.
    await bank.killed({ pattern: `GET /accounts/${CARD}/transactions`, after: 3 })
    bank.refuseCursors()
    await bank.sync()
    await expectEqual(bank)
  })

  test('a killed walk resumes by its cursor, then walks from page one', async () => {
    const bank = await service()
    await bank.killed({ pattern: `GET /accounts/${CARD}/transactions`, after: 8 })
    const moved = (await bank.listed(CARD)).at(-1)
    bank.bank(CARD).edit(moved.id, { amount: -1 })
    const requests = bank.count(`GET /accounts/${CARD}/transactions`)
    await bank.sync({ concurrency: 1 })
    // Pages 8 to 11, and the first ones until two are known; all eleven again would be more.
    expect(requests()).toBeLessThan(11)
    await expectEqual(bank)
  })

  test('a refused cursor starts over, after a kill and in the middle of a walk', async () => {
    const bank = await service()
    await bank.killed({ pattern: `GET /accounts/${CARD}/transactions`, after: 8 })
    bank.refuseCursors()
    bank.faults.add({
      pattern: `GET /accounts/${CHECKING}/transactions`,
      after: 3,
      times: 1,
      refuseCursor: true,
    })
    expect(await bank.sync({ full: true })).toMatchObject({ outcome: 'complete', failed: [] })
    await expectEqual(bank)
  })

  test('an incremental walk ends after two whole, non-empty pages that are known, unchanged and in stored order', async () => {
    const bank = await service()
    await bank.sync({ full: true })
    bank.bank(CARD).record({ amount: -3, description: 'KIOSK' })
    const requests = bank.count(`GET /accounts/${CARD}/transactions`)
    await bank.sync()
    // The page with the new row, two that are known, and the last 14 days.
    expect(requests()).toBe(
      3 + Math.ceil((await bank.listed(CARD)).filter(({ date }) => date >= '2026-02-23').length / 20),
    )
    await expectEqual(bank)
  })

  test.each([60, 150])(
    '%i rows recorded again, unchanged, do not hide a new one below them',
    async (count) => {
      const bank = await service()
      await bank.sync()
      bank.bank(CARD).record({ amount: -3, date: '2026-01-20', description: 'POSTED LATE' })
      bank.bank(CARD).rerecord(count)
      await bank.sync()
      await expectEqual(bank)
    },
  )

  test('nor do they when the few rows below are there by their ids', async () => {
    const bank = await service()
    await bank.sync()
    bank.bank(PDF).record({ amount: -3, date: '2026-01-20', description: 'POSTED LATE' })
    bank.bank(PDF).rerecord(60)
    await bank.sync()
    await expectEqual(bank)
  })

  test('then it lists everything from 14 days ago', async () => {
    const bank = await service()
    await bank.sync()
    const rows = await bank.listed(CARD)
    const recent = rows.slice(60).filter(({ date, pending }) => date >= '2026-02-26' && !pending)
    // The demo data has fewer recent rows than three pages: smaller pages.
    const row = recent.at(-1) ?? rows.filter(({ date }) => date >= '2026-02-26').at(-1)
    bank.bank(CARD).edit(row.id, { amount: -77, quiet: true, keepsPlace: true })
    bank.bank(CARD).record({ amount: -3, description: 'KIOSK' })
    await bank.sync({ pageSize: 2 })
    await expectEqual(bank)
  })

  test('or from the oldest pending date', async () => {
    const bank = await service()
    bank.bank(CHECKING).record({ amount: -9, date: '2026-01-15', description: 'LONG HOLD', pending: true })
    await bank.sync()
    const old = (await bank.listed(CHECKING))
      .filter(({ date }) => date > '2026-01-15' && date < '2026-02-10')
      .at(-1)
    bank.bank(CHECKING).edit(old.id, { amount: -77, quiet: true, keepsPlace: true })
    bank.bank(CHECKING).record({ amount: -3, description: 'KIOSK' })
    await bank.sync({ pageSize: 2 })
    await expectEqual(bank)
  })

  test('it is full when oldest_transaction_date moved back, whatever rule 6 says', async () => {
    const bank = await service()
    await bank.sync()
    const before = bank.stream('transactions', PDF).full_at
    await bank.advance('1h')
    bank.bank(PDF).backfill(60, { quiet: true })
    await bank.sync()
    expect(bank.stream('transactions', PDF).full_at > before).toBe(true)
    await expectEqual(bank)
  })

  test('and with --full, and 7 days after the last full one', async () => {
    const bank = await service()
    await bank.sync()
    const [row] = (await bank.listed(PDF)).slice(-1)
    const edit = (amount: number) => bank.bank(PDF).edit(row.id, { amount, quiet: true, keepsPlace: true })
    const amount = () => bank.transaction(row.id, PDF).amount
    edit(-1)
    await bank.sync()
    expect(amount()).not.toBe('-1')
    await bank.sync({ full: true })
    expect(amount()).toBe('-1')
    edit(-2)
    await bank.advance('24h')
    await bank.sync()
    expect(amount()).toBe('-1')
    for (let day = 2; day <= 7; day += 1) {
      await bank.advance('24h')
      await bank.sync()
    }
    expect(amount()).toBe('-2')
    await expectEqual(bank)
  })

  test('spread over the days by account', async () => {
    const bank = await service({ crowd: { clients: 4, accounts: 5, transactions: 60 } })
    await bank.sync()
    const days = new Map<number, number>()
    const last = new Map<string, string>()
    for (let day = 0; day <= 7; day += 1) {
      await bank.sync({ pageSize: 5 })
      for (const { subject, full_at } of bank.sql(
        "SELECT subject, full_at FROM streams WHERE kind = 'transactions'",
      )) {
        if (last.has(subject) && last.get(subject) !== full_at) days.set(day, (days.get(day) ?? 0) + 1)
        last.set(subject, full_at)
      }
      await bank.advance('24h')
    }
    const counts = [...days].filter(([, count]) => count > 3)
    expect(counts.length, JSON.stringify([...days])).toBeGreaterThanOrEqual(3)
  })
})

describe('3', () => {
  test('a pending row that was not met is asked for by id: pending is kept, settled updated, 404 gone as dropped', async () => {
    const bank = await service()
    const at = bank.bank(CHECKING)
    const [kept, settled, dropped] = [-11, -12, -13].map((amount) =>
      at.record({ amount, description: 'HELD', pending: true }),
    ) as [string, string, string]
    await bank.sync()
    at.unlist(kept)
    at.settle(settled)
    at.unlist(settled)
    at.drop(dropped)
    await bank.sync()
    expect(bank.transaction(kept, CHECKING)).toMatchObject({ pending: 1, gone_at: null })
    expect(bank.transaction(settled, CHECKING)).toMatchObject({ pending: 0, gone_at: null })
    expect(bank.transaction(settled, CHECKING).settled_at).not.toBeNull()
    expect(bank.transaction(dropped, CHECKING)).toMatchObject({ pending: 1, gone_reason: 'dropped' })
  })

  test('a settled one with 404 is gone as retracted', async () => {
    const bank = await service()
    await bank.sync()
    const [row] = (await bank.listed(CARD)).filter(({ pending }) => !pending)
    bank.bank(CARD).retract(row.id)
    await bank.sync()
    expect(bank.transaction(row.id)).toMatchObject({ gone_reason: 'retracted', missing_since: null })
    await expectEqual(bank)
  })
})

describe('4', () => {
  const held = { amount: -40, description: 'NOODLE YARD', merchant_name: 'Noodle Yard', pending: true }

  test.each([
    ['exact', { as: 'same' as const }],
    ['inferred', { as: 'tip' as const }],
    ['exact', { as: 'same' as const, overlap: '20h' }],
    ['exact', { as: 'same' as const, gap: '20h' }],
  ])('the dropped row gets superseded_by, %s, when one settled row fits: %o', async (match, how) => {
    const bank = await service()
    const id = bank.bank(CHECKING).record(held)
    await bank.sync()
    const next = bank.bank(CHECKING).reissue(id, how)
    await bank.sync()
    await bank.advance('21h')
    await bank.sync()
    expect(bank.transaction(id, CHECKING)).toMatchObject({
      gone_reason: 'dropped',
      superseded_by: next,
      superseded_match: match,
    })
    const [external, other] = [id, next].map((one) => bank.transaction(one, CHECKING).external_id)
    expect(external).not.toBe(other)
  })

  test('any amount at the same merchant for a fuel hold', async () => {
    const bank = await service()
    const id = bank
      .bank(CHECKING)
      .record({ amount: -1, description: 'FUEL STOP 12', merchant_name: 'Fuel Stop', pending: true })
    await bank.sync()
    const next = bank.bank(CHECKING).reissue(id, { amount: -64.2 })
    await bank.sync()
    expect(bank.transaction(id, CHECKING)).toMatchObject({
      superseded_by: next,
      superseded_match: 'inferred',
    })
  })

  test('two candidates: none', async () => {
    const bank = await service()
    const id = bank.bank(CHECKING).record(held)
    await bank.sync()
    bank.bank(CHECKING).reissue(id)
    bank.bank(CHECKING).record({ ...held, pending: false })
    await bank.sync()
    expect(bank.transaction(id, CHECKING)).toMatchObject({ gone_reason: 'dropped', superseded_by: null })
  })

  test('what was dropped for good has no successor in the history that a new mirror has just read', async () => {
    const bank = await service()
    const club = { amount: -9.5, description: 'ZEBRA CLUB' }
    bank.bank(CHECKING).record({ ...club, date: '2026-02-10' })
    const id = bank.bank(CHECKING).record({ ...club, pending: true })
    await bank.sync()
    bank.bank(CHECKING).drop(id)
    await bank.sync()
    expect(bank.transaction(id, CHECKING)).toMatchObject({ gone_reason: 'dropped', superseded_by: null })
  })

  test('a dropped row that comes back has no successor', async () => {
    const bank = await service()
    const id = bank.bank(CHECKING).record(held)
    await bank.sync()
    const next = bank.bank(CHECKING).reissue(id)
    await bank.sync()
    expect(bank.transaction(id, CHECKING).superseded_by).toBe(next)
    bank.bank(CHECKING).restore(id)
    await bank.sync()
    expect(bank.transaction(id, CHECKING)).toMatchObject({
      gone_at: null,
      gone_reason: null,
      superseded_by: null,
    })
  })
})

describe('5', () => {
  test('200 while missing from two listings a day apart is gone; the second listing is a day later', async () => {
    const bank = await service()
    await bank.sync()
    const old = (await bank.listed(CARD)).at(-30)
    bank.bank(CARD).unlist(old.id)
    await bank.sync({ full: true })
    expect(bank.transaction(old.id)).toMatchObject({ gone_at: null, missing_since: expect.any(String) })
    await bank.advance('23h')
    await bank.sync({ full: true })
    expect(bank.transaction(old.id).gone_at).toBeNull()
    await bank.advance('1h')
    await bank.sync()
    expect(bank.transaction(old.id)).toMatchObject({ gone_reason: 'unlisted' })
    await expectEqual(bank)
  })

  test('an answer with another account_id is gone here, and there in the other account', async () => {
    const bank = await service()
    await bank.sync()
    const [row] = (await bank.listed(CARD)).filter(({ pending }) => !pending)
    bank.bank(CARD).move(row.id, CHECKING)
    await bank.sync()
    expect(bank.transaction(row.id)).toMatchObject({ gone_reason: 'moved' })
    await expectEqual(bank)
  })

  test('a row whose id another account has too is not taken for moved while its account lists it', async () => {
    const bank = await service()
    await bank.sync()
    // It appears in the middle of the list, where nothing looks for what is new, and is dated so that the window has it.
    const id = bank.bank(CARD).record({ amount: -5, date: '2026-02-24', description: 'TWICE' })
    bank.bank(CARD).retract(id)
    for (let number = 0; number < 200; number += 1) {
      bank.bank(CARD).record({ amount: -number - 1, date: '2026-02-20', description: 'ORDINARY' })
    }
    await bank.sync()
    bank.bank(CARD).restore(id, { keepsPlace: true })
    bank.bank(CHECKING).record({ id, amount: -6, date: '2026-03-10', description: 'TWICE' })
    await bank.sync()
    for (let day = 0; day < 2; day += 1) {
      await bank.advance('24h')
      bank.bank(CARD).record({ amount: -3, description: 'KIOSK' })
      await bank.sync({ pageSize: day === 0 ? 20 : 60 })
      await expectEqual(bank)
    }
  })

  test('404 is no proof when the account itself is gone', async () => {
    const bank = await service()
    await bank.sync()
    const [row] = (await bank.listed(CARD)).filter(({ pending }) => !pending)
    bank.bank(CARD).retract(row.id)
    const missing = `GET /transactions/${row.id}`
    bank.faults.add({ pattern: missing, times: 1, meanwhile: () => bank.bank(CARD).close() })
    expect(await bank.sync()).toMatchObject({ failed: [] })
    expect(bank.transaction(row.id).gone_at).toBeNull()
    await bank.sync()
    expect(bank.sql('SELECT gone_reason FROM accounts WHERE id = ?', CARD)).toEqual([
      { gone_reason: 'not_found' },
    ])
    bank.bank(CARD).reopen()
    await bank.sync()
    await expectEqual(bank)
  })

  test('losing more than 20 % of ten or more rows stops the stream until --accept-gone', async () => {
    const bank = await service()
    await bank.sync()
    for (const { id } of (await bank.listed(PDF)).slice(0, 20)) bank.bank(PDF).retract(id)
    expect(await bank.sync()).toMatchObject({
      outcome: 'failed',
      failed: [{ subject: PDF, code: 'too_many_gone' }],
    })
    expect(
      bank.sql('SELECT count(*) AS rows FROM transactions WHERE account_id = ? AND gone_at IS NOT NULL', PDF),
    ).toEqual([{ rows: 0 }])
    expect(await bank.sync({ acceptGone: true })).toMatchObject({ outcome: 'complete' })
    await expectEqual(bank)
  })

  test('charges that were held and dropped are no loss', async () => {
    const bank = await service()
    const savings = 'acc_AGGREGATOR_A_100102'
    for (let number = 0; number < 5; number += 1) {
      bank.bank(savings).record({ amount: -number - 1, description: `HELD ${number}`, pending: true })
    }
    await bank.sync()
    for (let number = 0; number < 5; number += 1) bank.bank(savings).reissue()
    expect(await bank.sync()).toMatchObject({ outcome: 'complete' })
    await expectEqual(bank)
  })

  test('a gone account keeps its rows in ledger, and gone_at is cleared when it comes back', async () => {
    const bank = await service()
    await bank.sync()
    const rows = () => bank.sql('SELECT count(*) AS rows FROM ledger WHERE account_id = ?', CHECKING)
    const before = rows()
    bank.bank(CHECKING).close()
    await bank.sync()
    expect(bank.sql('SELECT gone_reason FROM accounts WHERE id = ?', CHECKING)).toEqual([
      { gone_reason: 'not_found' },
    ])
    expect(rows()).toEqual(before)
    expect(bank.sql('SELECT * FROM pending WHERE account_id = ?', CHECKING)).toEqual([])
    bank.bank(CHECKING).reopen()
    await bank.sync()
    expect(bank.sql('SELECT gone_at FROM accounts WHERE id = ?', CHECKING)).toEqual([{ gone_at: null }])
    await expectEqual(bank)
  })

  test('single reads never overwrite the listed account_id and connection_id', async () => {
    const bank = await service()
    await bank.sync()
    const id = bank.bank(CHECKING).record({ amount: -8, description: 'HELD', pending: true })
    await bank.sync()
    bank.bank(CHECKING).unlist(id)
    await bank.sync()
    expect(bank.transaction(id, CHECKING)).toMatchObject({ gone_at: null, missing_since: expect.any(String) })
    expect(JSON.parse(bank.transaction(id, CHECKING).raw).account_id).toBe(CHECKING)
    expect(bank.sql('SELECT id FROM accounts WHERE connection_id IS NULL')).toEqual([{ id: PDF }])
  })
})

describe('6', () => {
  test('an account is skipped only if both times are as before; with pending rows it gets the window, never refreshed its first page', async () => {
    const bank = await service()
    await bank.sync()
    await bank.advance('5m')
    const every = bank.count(LIST)
    const [card, pdf] = [CARD, PDF].map((id) => bank.count(`GET /accounts/${id}/transactions`))
    const pending = bank.sql('SELECT DISTINCT account_id FROM pending').length
    await bank.sync({ pageSize: 500 })
    expect([every(), card?.(), pdf?.()]).toEqual([pending + 1, 1, 1])
    bank.bank('acc_AGGREGATOR_A_100102').record({ amount: -1, description: 'KIOSK' })
    await bank.sync({ pageSize: 500 })
    await expectEqual(bank)
  })

  test('updated_at has to be two minutes older than the reading', async () => {
    const bank = await service()
    bank.bank('acc_AGGREGATOR_A_100102').record({ amount: -1, description: 'KIOSK' })
    await bank.advance('1m')
    await bank.sync()
    // The same time again: a change within what a clock shows.
    bank.bank('acc_AGGREGATOR_A_100102').record({ amount: -2, description: 'KIOSK', quiet: true })
    await bank.sync()
    await expectEqual(bank)
  })

  test('a change while its account is walked is read in the same run', async () => {
    const bank = await service()
    const last = (await bank.listed(CARD)).at(-1)
    bank.faults.add({
      pattern: `GET /accounts/${CARD}/transactions`,
      after: 3,
      times: 1,
      // It moves up while its old place is still ahead, and there is a new one.
      meanwhile: () => {
        bank.bank(CARD).edit(last.id, { amount: -4 })
        bank.bank(CARD).record({ amount: -6, description: 'KIOSK' })
      },
    })
    await bank.sync()
    await expectEqual(bank)
  })

  test('a pending charge of an account that is never refreshed gets the window', async () => {
    const bank = await service()
    const id = bank.bank(PDF).record({ amount: -5, description: 'HELD', pending: true })
    for (let number = 0; number < 25; number += 1) {
      bank.bank(PDF).record({ amount: -number - 1, description: 'ORDINARY' })
    }
    await bank.advance('5m')
    await bank.sync()
    bank.bank(PDF).drop(id, { quiet: true })
    await bank.sync()
    expect(bank.transaction(id, PDF)).toMatchObject({ gone_reason: 'dropped' })
  })

  test('statements and checks daily', async () => {
    const bank = await service()
    await bank.sync({ only: ['statements', 'checks'] })
    const [statements, checks] = ['statements', 'checks'].map((kind) => bank.count(`GET /accounts/*/${kind}`))
    await bank.advance('12h')
    await bank.sync({ only: ['statements', 'checks'] })
    expect([statements?.(), checks?.()]).toEqual([0, 0])
    await bank.advance('11h')
    await bank.sync({ only: ['statements', 'checks'] })
    expect([statements?.(), checks?.()]).toEqual([18, 4])
  })
})

describe('8', () => {
  const settled =
    "SELECT count(*) AS rows, sum(amount_minor) AS sum FROM ledger WHERE account_mask = (SELECT mask FROM accounts WHERE id = ?) AND account_type = 'checking' AND institution_id = (SELECT institution_id FROM connections WHERE id = 'con_AGGREGATOR_A_1001')"

  test.each([[{}], [{ keepOld: true }], [{ days: 60 }]])(
    'an account that is equal one to one continues the old one: nothing counts twice: %o',
    async (how) => {
      const bank = await service()
      await bank.sync()
      const before = bank.sql(settled, CHECKING)
      bank.relink('con_AGGREGATOR_A_1001', how)
      await bank.sync()
      expect(
        bank.sql('SELECT match, decision FROM account_lineage WHERE old_account_id = ?', CHECKING),
      ).toEqual([{ match: 'exact', decision: null }])
      expect(bank.sql(settled, CHECKING)).toEqual(before)
    },
  )

  test('what only the old account has counts, also when the account that continued it is gone', async () => {
    const bank = await service()
    await bank.sync()
    const again = bank.relink('con_AGGREGATOR_A_1001', { keepOld: true })
    await bank.sync()
    const before = bank.sql(settled, CHECKING)
    const row = "SELECT account_id FROM ledger WHERE description = 'ONLY HERE'"
    bank.bank(CHECKING).record({ amount: -77, description: 'ONLY HERE' })
    await bank.sync()
    expect(bank.sql(row)).toEqual([{ account_id: CHECKING }])
    const [successor] = bank.sql(
      'SELECT new_account_id AS id FROM account_lineage WHERE old_account_id = ?',
      CHECKING,
    )
    bank.bank(successor.id).close()
    await bank.sync()
    expect(bank.sql(row)).toEqual([{ account_id: CHECKING }])
    expect(again).not.toBe('con_AGGREGATOR_A_1001')
    expect(bank.sql(settled, CHECKING)[0].rows).toBe(before[0].rows + 1)
  })

  test('once a person confirms, what the successor covers is its own, and what the old account has later counts', async () => {
    const bank = await service()
    await bank.sync()
    bank.relink('con_AGGREGATOR_A_1001', { days: 28, keepOld: true })
    await bank.sync()
    const both = bank.sql(settled, CHECKING)[0]
    bank.change("UPDATE account_lineage SET decision = 'confirmed'")
    const confirmed = bank.sql(settled, CHECKING)[0]
    expect(confirmed.rows).toBeLessThan(both.rows)
    bank.bank(CHECKING).record({ amount: -77, description: 'LATER', date: '2026-03-12' })
    await bank.sync()
    expect(bank.sql(settled, CHECKING)[0].rows).toBe(confirmed.rows + 1)
  })

  test('of a bank that is linked a third time, too', async () => {
    const bank = await service()
    await bank.sync()
    const before = bank.sql(settled, CHECKING)
    const again = bank.relink('con_AGGREGATOR_A_1001')
    await bank.sync()
    bank.relink(again)
    await bank.sync()
    expect(bank.sql(settled, CHECKING)).toEqual(before)
  })

  test('fewer than 20 equal rows, or fewer than 30 days, are inferred, and ledger takes both until a person confirms', async () => {
    const bank = await service()
    await bank.sync()
    const before = bank.sql(settled, CHECKING)
    bank.relink('con_AGGREGATOR_A_1001', { days: 28 })
    bank.relink('con_AGGREGATOR_B_2001')
    await bank.sync()
    // The savings account has twelve rows in half a year; the checking account more than 20 in four weeks.
    const match = 'SELECT match FROM account_lineage WHERE old_account_id = ?'
    expect(bank.sql(match, CHECKING)).toEqual([{ match: 'inferred' }])
    expect(bank.sql(match, 'acc_AGGREGATOR_B_200102')).toEqual([{ match: 'inferred' }])
    expect(bank.sql(settled, CHECKING)[0].rows).toBeGreaterThan(before[0].rows + 20)
  })
})

describe('9', () => {
  test('a 429 to a read stops everybody for its Retry-After', async () => {
    const bank = await service()
    bank.faults.add({ pattern: LIST, after: 5, times: 6, status: 429, retryAfter: 3 })
    expect(await bank.sync()).toMatchObject({ outcome: 'complete' })
    await expectEqual(bank)
  })
})

describe('10', () => {
  test('a failed stream never looks complete; the rest goes on', async () => {
    const bank = await service()
    bank.faults.add({ pattern: `GET /accounts/${CARD}/transactions`, status: 500 })
    expect(await bank.sync()).toMatchObject({
      outcome: 'failed',
      failed: [{ kind: 'transactions', subject: CARD, client_id: 'cli_demo' }],
    })
    expect(bank.stream('transactions', CARD)).toMatchObject({ complete_at: null, full_at: null, failures: 3 })
    expect(bank.stream('transactions', CARD).error_code).not.toBeNull()
    expect(
      bank.sql("SELECT subject FROM streams WHERE complete_at IS NULL AND kind <> 'transactions'"),
    ).toEqual([])
    bank.faults.clear()
    await bank.sync()
    expect(bank.stream('transactions', CARD)).toMatchObject({ failures: 0, error_code: null })
    await expectEqual(bank)
  })

  test('a missing scope costs one request per run, is named, and fails only what --only wanted', async () => {
    const bank = await service()
    const response = await fetch(`${bank.baseUrl}/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bank.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        scopes: ['read:clients', 'read:connections', 'read:accounts', 'read:transactions', 'read:statements'],
      }),
    })
    const { secret: key } = (await response.json()) as { secret: string }
    const checks = bank.count('GET /accounts/*/checks')
    const summary = await bank.sync({ key, only: undefined })
    expect(summary).toMatchObject({ outcome: 'complete', failed: [], missing_scopes: [{ kind: 'checks' }] })
    expect(checks()).toBe(1)
    expect(await bank.sync({ key, only: ['checks'], full: true })).toMatchObject({ outcome: 'failed' })
    expect(
      bank.sql("SELECT complete_at FROM streams WHERE kind = 'checks' AND complete_at IS NOT NULL"),
    ).toEqual([])
  })

  test('a refusal of one account is its own, and is not taken for a missing scope', async () => {
    const bank = await service()
    bank.faults.add({ pattern: `GET /accounts/${CHECKING}/transactions`, status: 422 })
    const summary = await bank.sync()
    expect(summary).toMatchObject({ outcome: 'failed', missing_scopes: [], failed: [{ subject: CHECKING }] })
    expect(bank.stream('transactions', CARD).complete_at).not.toBeNull()
  })
})

describe('the customer of a mirror', () => {
  test('a key that knows none of its Clients is refused, and nothing is written', async () => {
    const bank = await service()
    await bank.sync()
    bank.change("UPDATE clients SET id = 'cli_of_another_' || id")
    const before = bank.sql('SELECT (SELECT count(*) FROM runs) AS runs, * FROM clients')
    await expect(bank.sync()).rejects.toMatchObject({ code: 'other_customer' })
    expect(bank.sql('SELECT (SELECT count(*) FROM runs) AS runs, * FROM clients')).toEqual(before)
  })

  test('three Clients that were deleted are no other customer while the service lists another of the mirror', async () => {
    const bank = await service()
    await bank.sync()
    for (const id of ['cli_1', 'cli_2', 'cli_3']) {
      bank.change(`CREATE TEMP TABLE copied AS SELECT * FROM clients WHERE id = 'cli_demo';
        UPDATE copied SET id = '${id}', first_seen_at = '2020-01-01T00:00:00.000Z';
        INSERT INTO clients SELECT * FROM copied`)
    }
    bank.change(`CREATE TEMP TABLE copied AS SELECT * FROM accounts WHERE id = '${CARD}';
      UPDATE copied SET id = 'acc_1', client_id = 'cli_1'; INSERT INTO accounts SELECT * FROM copied`)
    expect(await bank.sync()).toMatchObject({ outcome: 'complete' })
    expect(bank.sql('SELECT id FROM accounts WHERE gone_at IS NOT NULL')).toEqual([{ id: 'acc_1' }])
    expect(bank.sql("SELECT id FROM clients WHERE gone_reason = 'not_found' ORDER BY id")).toEqual([
      { id: 'cli_1' },
      { id: 'cli_2' },
      { id: 'cli_3' },
    ])
  })
})
