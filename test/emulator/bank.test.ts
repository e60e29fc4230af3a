import { describe, expect, test } from 'vitest'
import type { Account } from '../../src/contract/accounts.ts'
import type { Transaction } from '../../src/contract/transactions.ts'
import { temporaryFolder } from '../support/machine.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const hour = 3_600_000
const day = 24 * hour
const connection = 'con_AGGREGATOR_A_1001'
const account = 'acc_AGGREGATOR_A_100101'
const other = 'acc_AGGREGATOR_A_100102'

/** An emulator, and what the API shows of one of its accounts. */
async function open(options: Parameters<typeof runningEmulator>[0] = {}) {
  const emulator = await runningEmulator(options)
  return {
    emulator,
    bank: emulator.bank(account),
    rows: (id = account, query = '') => rowsOf(emulator, id, query),
    read: (id: string) => emulator.call('GET', `/transactions/${id}?client_id=cli_demo`),
    holder: async (id = account) => {
      const found = (await emulator.accounts()).find((one) => one.id === id)
      if (!found) throw new Error(`no ${id}`)
      return found
    },
  }
}

/** Every page. */
async function rowsOf(emulator: TestEmulator, id: string, query: string): Promise<Transaction[]> {
  const rows: Transaction[] = []
  let cursor = ''
  do {
    const page = await emulator.get(
      `/accounts/${id}/transactions?client_id=cli_demo&limit=500${query}${cursor && `&cursor=${cursor}`}`,
    )
    rows.push(...page.data)
    cursor = page.next_cursor ?? ''
  } while (cursor !== '')
  return rows
}

/** Moves the clock, so that a change has a time of its own. */
async function later(emulator: TestEmulator): Promise<void> {
  await emulator.advance(1000)
}

const cents = (amount: number | undefined | null) => Math.round((amount ?? Number.NaN) * 100)
const ids = (rows: readonly Transaction[]) => rows.map(({ id }) => id)
const settledAt = (rows: readonly Transaction[], place: number) =>
  rows.filter(({ pending }) => !pending)[place] as Transaction

describe('a pending charge', () => {
  test('settles in place: the same id, no longer pending, with the amount, text and date of the settled charge', async () => {
    const { emulator, bank, rows, holder } = await open()
    const held = bank.record({ amount: -40, description: 'HOLD', pending: true })
    const before = await holder()
    await later(emulator)
    expect(bank.settle(held, { amount: -42.5, description: 'NOODLE YARD', date: '2026-03-11' })).toBe(held)
    const [first] = await rows()
    expect(first).toMatchObject({ id: held, amount: -42.5, description: 'NOODLE YARD', date: '2026-03-11' })
    expect(first?.pending).toBe(false)
    const after = await holder()
    expect(cents(after.current_balance)).toBe(cents(before.current_balance) - 4250)
    expect(String(after.updated_at) > String(before.updated_at)).toBe(true)
  })

  test('is reissued: a new id, another external_id, text and date; the old id is 404', async () => {
    const { bank, rows, read } = await open()
    const held = bank.record({ amount: -40, description: 'NOODLE YARD', date: '2026-03-08', pending: true })
    const before = (await rows()).find(({ id }) => id === held)
    const settled = bank.reissue(held)
    const [first] = await rows()
    expect(first).toMatchObject({ id: settled, amount: -40, date: '2026-03-10', pending: false })
    expect(first?.description).toBe('NOODLE YARD 03/08')
    expect(first?.external_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(first?.external_id).not.toBe(before?.external_id)
    expect(settled).not.toBe(held)
    expect((await read(held)).status).toBe(404)
  })

  test('is reissued before it is dropped: both are there for a while, and it settles no second time', async () => {
    const { emulator, bank, rows, read, holder } = await open()
    const held = bank.record({ amount: -40, pending: true })
    const before = await holder()
    const settled = bank.reissue(held, { overlap_ms: 60 * hour })
    expect(ids(await rows())).toEqual(expect.arrayContaining([held, settled]))
    // Longer than the clock leaves a charge pending.
    await emulator.advance(59 * hour)
    expect((await read(held)).json.pending).toBe(true)
    await emulator.advance(2 * hour)
    expect((await read(held)).status).toBe(404)
    expect((await read(settled)).json.amount).toBe(-40)
    expect(before.current_balance).not.toBe(null)
    expect((await rows()).filter(({ amount }) => amount === -40)).toHaveLength(1)
  })

  test('is dropped before it is reissued: for a while neither is there', async () => {
    const { emulator, bank, rows, read } = await open()
    const held = bank.record({ amount: -40, pending: true })
    const settled = bank.reissue(held, { gap_ms: 30 * hour })
    expect([(await read(held)).status, (await read(settled)).status]).toEqual([404, 404])
    await emulator.advance(29 * hour)
    expect(ids(await rows())).not.toContain(settled)
    await emulator.advance(2 * hour)
    expect((await read(settled)).json).toMatchObject({ date: '2026-03-11', pending: false })
  })

  test('is reissued with a tip at 100 to 130 % of it, with fuel at any amount of the same merchant', async () => {
    const { bank, read } = await open()
    const hold = { amount: -10, merchant_name: 'Ridge Fuel', description: 'RIDGE FUEL 2207', pending: true }
    const amounts = { tip: new Set<number>(), fuel: new Set<number>() }
    for (const as of ['tip', 'fuel'] as const) {
      for (let times = 0; times < 50; times += 1) {
        const { json } = await read(bank.reissue(bank.record(hold), { as }))
        expect(json.merchant_name).toBe('Ridge Fuel')
        amounts[as].add(-json.amount)
      }
    }
    const [tip, fuel] = [[...amounts.tip], [...amounts.fuel]]
    expect(tip.length).toBeGreaterThan(10)
    expect(tip.filter((amount) => amount < 10 || amount > 13)).toEqual([])
    expect(fuel.some((amount) => amount < 10) && fuel.some((amount) => amount > 13)).toBe(true)
  })

  test('is dropped for good: 404, and the balance stays', async () => {
    const { bank, rows, read, holder } = await open()
    const { current_balance } = await holder()
    const held = bank.record({ amount: -40, pending: true })
    expect(bank.drop(held)).toBe(held)
    expect((await read(held)).status).toBe(404)
    expect(ids(await rows())).not.toContain(held)
    expect((await holder()).current_balance).toBe(current_balance)
  })

  test('the oldest is meant when none is named; what is not pending does not settle', async () => {
    const { bank, rows } = await open()
    const oldest = (await rows()).filter(({ pending }) => pending).at(-1)?.id
    expect(bank.settle()).toBe(oldest)
    expect(() => bank.settle(oldest)).toThrow('no such pending charge')
    expect(() => bank.drop('txn_AGGREGATOR_A_none')).toThrow('No such transaction')
    const held = bank.record({ amount: -1, pending: true })
    expect(() => bank.reissue(held, { overlap_ms: 1, gap_ms: 1 })).toThrow('not both')
  })

  test('settles by the clock, when it is reissued with another external_id', async () => {
    const { emulator, rows } = await open()
    const charges = (await rows()).filter(({ pending }) => pending)
    await emulator.advance(2 * day)
    const after = await rows()
    const reissued = charges.filter(({ id }) => !ids(after).includes(id))
    expect(reissued.length).toBeGreaterThan(0)
    const upstream = new Set(after.map(({ external_id }) => external_id))
    expect(reissued.filter(({ external_id }) => upstream.has(external_id))).toEqual([])
  })
})

describe('a settled row', () => {
  test('is retracted: 404, in no list, and out of the balance', async () => {
    const { bank, rows, read, holder } = await open()
    const [row, before] = [settledAt(await rows(), 3), await holder()]
    bank.retract(row.id)
    expect((await read(row.id)).status).toBe(404)
    expect(ids(await rows())).not.toContain(row.id)
    expect(cents((await holder()).current_balance)).toBe(cents(before.current_balance) - cents(row.amount))
  })

  test('comes back under its id', async () => {
    const { bank, rows, holder } = await open()
    const [row, before] = [settledAt(await rows(), 3), await holder()]
    bank.retract(row.id)
    bank.restore(row.id)
    expect((await rows())[0]).toEqual(row)
    expect((await holder()).current_balance).toBe(before.current_balance)
    expect(() => bank.restore(row.id)).toThrow('is listed')
  })

  test('is left out of the lists and still reads by its id', async () => {
    const { bank, rows, read } = await open()
    const row = settledAt(await rows(), 3)
    bank.unlist(row.id)
    expect(ids(await rows())).not.toContain(row.id)
    expect((await read(row.id)).json).toEqual(row)
  })

  test('changes: it is recorded again, at the front, and the account says that it changed', async () => {
    const { emulator, bank, rows, holder } = await open()
    const [row, before] = [settledAt(await rows(), 3), await holder()]
    await later(emulator)
    bank.edit(row.id, { amount: -1.5, description: 'CORRECTED', date: '2026-03-01' })
    const changed = { ...row, amount: -1.5, description: 'CORRECTED', date: '2026-03-01' }
    expect((await rows())[0]).toEqual(changed)
    const after = await holder()
    expect(String(after.updated_at) > String(before.updated_at)).toBe(true)
    expect(cents(after.current_balance)).toBe(cents(before.current_balance) - 150 - cents(row.amount))
  })

  test('changes silently, long back: at its place in the list, and the account reads as before', async () => {
    const { emulator, bank, rows, holder } = await open()
    const [before, held] = [await rows(), await holder()]
    const row = before.at(-5) as Transaction
    await later(emulator)
    bank.edit(row.id, { amount: row.amount - 1, quiet: true, keeps_place: true })
    expect(await rows()).toEqual(
      before.map((one) => (one.id === row.id ? { ...row, amount: row.amount - 1 } : one)),
    )
    expect(await holder()).toEqual(held)
  })

  test('changes at the front of the list while the account reads as before, or at its place while it does not', async () => {
    const { emulator, bank, rows, holder } = await open()
    const [before, held] = [await rows(), await holder()]
    const [one, two] = [before.at(-5) as Transaction, before.at(-6) as Transaction]
    await later(emulator)
    bank.edit(one.id, { description: 'AT THE FRONT', quiet: true })
    expect([(await rows())[0]?.id, await holder()]).toEqual([one.id, held])
    bank.edit(two.id, { description: 'AT ITS PLACE', keeps_place: true })
    expect((await rows()).at(-5)?.description).toBe('AT ITS PLACE')
    expect((await holder()).updated_at).not.toBe(held.updated_at)
  })

  test('belongs to another account of the Client: the list and the read by id say so', async () => {
    const { bank, rows, read } = await open()
    const row = settledAt(await rows(), 3)
    bank.move(row.id, other)
    expect(ids(await rows())).not.toContain(row.id)
    expect((await rows(other))[0]).toEqual({ ...row, account_id: other })
    expect((await read(row.id)).json.account_id).toBe(other)
    expect(() => bank.move(row.id, other)).toThrow('No such transaction')
  })

  test('has an id that the bank gives in another account, too: both lists have it, a read by id gives the later one', async () => {
    const { emulator, bank, rows, read } = await open()
    const row = settledAt(await rows(), 3)
    expect(emulator.bank(other).record({ id: row.id, amount: -7 })).toBe(row.id)
    expect((await rows()).find(({ id }) => id === row.id)).toEqual(row)
    expect((await rows(other))[0]).toMatchObject({ id: row.id, amount: -7, account_id: other })
    expect((await read(row.id)).json.account_id).toBe(other)
    expect(() => bank.record({ id: row.id, amount: -7 })).toThrow('already')
  })
})

describe('an account', () => {
  test('has rows recorded again, so many at once: at the front, nothing else about them changed', async () => {
    const { bank, rows } = await open()
    const fresh = bank.record({ amount: -3 })
    const before = await rows()
    expect(bank.rerecord(50)).toBe(50)
    const after = await rows()
    expect(after.slice(0, 50)).toEqual(before.slice(-50))
    expect(after.slice(50)).toEqual(before.slice(0, -50))
    expect(after[50]?.id).toBe(fresh)
    expect(bank.rerecord(1_000_000)).toBe(before.length)
  })

  test('is backfilled by so many days: older rows, and oldest_transaction_date moves back', async () => {
    const { emulator, bank, rows, holder } = await open()
    const [before, held] = [await rows(), await holder()]
    await later(emulator)
    bank.backfill(60, { quiet: true })
    const [after, now] = [await rows(), await holder()]
    const added = after.slice(0, after.length - before.length)
    expect(added.length).toBeGreaterThan(10)
    expect(added.filter(({ date }) => date >= String(held.oldest_transaction_date))).toEqual([])
    const oldest = after.map(({ date }) => date).sort()[0]
    expect(now).toEqual({ ...held, oldest_transaction_date: oldest })
    expect(Date.parse(String(held.oldest_transaction_date)) - Date.parse(String(oldest))).toBeGreaterThan(
      45 * day,
    )
  })

  test('goes away, with everything of it: 404; and comes back as it was', async () => {
    const { emulator, bank, rows, read } = await open()
    const [accounts, history] = [await emulator.accounts(), await rows()]
    const statements = await emulator.get(`/accounts/${account}/statements?client_id=cli_demo`)
    const paths = [
      `/accounts/${account}?`,
      `/accounts/${account}/transactions?`,
      `/accounts/${account}/statements?`,
      `/transactions/${history[0]?.id}?`,
      `/statements/${statements.data[0].id}?`,
    ]
    const status = async () =>
      Promise.all(paths.map(async (path) => (await emulator.call('GET', `${path}client_id=cli_demo`)).status))
    bank.close()
    expect(await status()).toEqual([404, 404, 404, 404, 404])
    expect(await emulator.accounts()).toEqual(accounts.filter(({ id }) => id !== account))
    expect((await emulator.accounts(connection)).map(({ id }) => id)).not.toContain(account)
    expect(() => bank.close()).toThrow('gone already')
    bank.reopen()
    expect(await status()).toEqual([200, 200, 200, 200, 200])
    expect(await emulator.accounts()).toEqual(accounts)
    expect(await rows()).toEqual(history)
    expect((await read(history[0]?.id ?? '')).status).toBe(200)
  })

  test('that went away reports nothing, and holds up no refresh', async () => {
    const { emulator, bank, holder } = await open()
    const listener = await emulator.listen(['account.refresh.completed'])
    const before = await holder()
    const { operation_id } = await emulator.post(`/connections/${connection}/refresh`)
    bank.close()
    await emulator.advance(2000)
    expect((await emulator.get(`/operations/${operation_id}`)).status).toBe('succeeded')
    expect((await emulator.refreshed(connection)).status).toBe('succeeded')
    expect(listener.data('account.refresh.completed').map((data) => data.account.id)).not.toContain(account)
    bank.reopen()
    expect(await holder()).toMatchObject({ last_refreshed_at: before.last_refreshed_at })
  })

  test('of a bank that opened one after another went away has an id of its own', async () => {
    const { emulator } = await open()
    const linked = await emulator.linked('ins_b_ok')
    emulator.bank((await emulator.accounts(linked))[2]?.id ?? '').close()
    emulator.trigger({ type: 'account.opened', connection: linked })
    await emulator.refreshed(linked)
    expect(await emulator.accounts(linked)).toHaveLength(3)
  })
})

describe('a Connection linked again', () => {
  /** What two accounts of one bank share. */
  const alike = ({ type, subtype, iso_currency_code, name, mask, current_balance }: Account) => ({
    type,
    subtype,
    iso_currency_code,
    name,
    mask,
    current_balance,
  })
  const said = ({ amount, date, description, pending }: Transaction) => ({
    amount,
    date,
    description,
    pending,
  })

  test('is a new one of the same institution: its accounts and rows are the same, under other ids', async () => {
    const { emulator, rows } = await open()
    const listener = await emulator.listen()
    const old = await emulator.connection(connection)
    const accounts = await emulator.accounts(connection)
    const history = await rows()
    const added = emulator.relink(connection)
    await emulator.advance(0)
    expect(listener.types()).toEqual(
      expect.arrayContaining(['connection.requires_action', 'connection.active', 'connection.disconnected']),
    )
    expect(await emulator.connection(added)).toMatchObject({
      id: added,
      client_id: 'cli_demo',
      institution: old.institution,
      source: old.source,
      status: 'active',
    })
    expect((await emulator.connection(connection)).status).toBe('disconnected')
    const copies = await emulator.accounts(added)
    expect(copies.map(alike)).toEqual(accounts.map(alike))
    expect(new Set([...accounts, ...copies].map(({ id }) => id)).size).toBe(2 * accounts.length)
    const again = await rows(copies[0]?.id)
    expect(again.map(said)).toEqual(history.map(said))
    expect(new Set([...ids(again), ...ids(history)]).size).toBe(2 * history.length)
    const upstream = history.map(({ external_id }) => external_id)
    expect(again.filter(({ external_id }) => upstream.includes(external_id))).toEqual([])
    // The old rows stay as they are.
    expect(await rows()).toEqual(history)
  })

  test('holds the history of so many days, while the old one stays as it is and brings nothing new', async () => {
    const { emulator, rows } = await open()
    const before = await rows()
    const added = emulator.relink(connection, { days: 20, keep_old: true })
    const [copy] = await emulator.accounts(added)
    const held = await rows(copy?.id)
    expect(held.length).toBeGreaterThan(5)
    expect(held.filter(({ date }) => date < '2026-02-18')).toEqual([])
    expect(copy?.oldest_transaction_date).toBe(held.map(({ date }) => date).sort()[0])
    await emulator.advance(3 * day)
    expect((await emulator.connection(connection)).status).toBe('active')
    // Its pending charges settle: as many rows.
    expect(await rows()).toHaveLength(before.length)
    expect((await rows(copy?.id)).length).toBeGreaterThan(held.length)
  })

  test('of FDE has its statements and checks, too', async () => {
    const { emulator } = await open()
    const list = async (id: string, what: string) =>
      (await emulator.get(`/accounts/${id}/${what}?client_id=cli_demo&limit=500`)).data
    const added = emulator.relink('con_FDE_123')
    const [copy] = await emulator.accounts(added)
    for (const what of ['statements', 'checks']) {
      const [old, now] = [await list('acc_FDE_12301', what), await list(copy?.id ?? '', what)]
      expect(now.length).toBeGreaterThan(0)
      expect(now).toHaveLength(old.length)
      expect((await emulator.call('GET', now[0].download_url.replace('/v3', ''))).status).toBe(200)
    }
  })
})

describe('a capability that is unsupported from now on', () => {
  const lose = (
    emulator: TestEmulator,
    id: string,
    capability: 'transactions' | 'check_images' | 'statements',
  ) =>
    emulator.trigger({
      type: 'connection.capability_changed',
      connection: id,
      capability,
      status: 'unsupported',
    })

  test.each([
    ['transactions', '/transactions/'],
    ['statements', '/statements/'],
    ['check_images', '/accounts/acc_FDE_12301/checks/'],
  ] as const)(
    '%s: the list is empty, a read by id is 404; when it works again all is there',
    async (capability, read) => {
      const { emulator } = await open()
      const what = capability === 'check_images' ? 'checks' : capability
      const path = `/accounts/acc_FDE_12301/${what}?client_id=cli_demo&limit=500`
      const { data } = await emulator.get(path)
      const status = async () =>
        (await emulator.call('GET', `${read}${data[0].id}?client_id=cli_demo`)).status
      lose(emulator, 'con_FDE_123', capability)
      expect((await emulator.get(path)).data).toEqual([])
      expect(await status()).toBe(404)
      emulator.trigger({
        type: 'connection.capability_changed',
        connection: 'con_FDE_123',
        capability,
        status: 'succeeded',
      })
      expect((await emulator.get(path)).data).toEqual(data)
      expect(await status()).toBe(200)
    },
  )

  test('transactions: no oldest_transaction_date, and a refresh brings none, however often', async () => {
    const { emulator, rows, holder } = await open()
    const before = await rows()
    lose(emulator, connection, 'transactions')
    const listener = await emulator.listen(['account.refresh.completed'])
    await emulator.advance(3 * day)
    expect(await holder()).toMatchObject({ oldest_transaction_date: null })
    const counts = listener
      .data('account.refresh.completed')
      .filter((data) => data.account.id === account)
      .map((data) => data.account.new_transaction_count)
    expect(new Set(counts)).toEqual(new Set([0]))
    emulator.trigger({
      type: 'connection.capability_changed',
      connection,
      capability: 'transactions',
      status: 'succeeded',
    })
    expect(await rows()).toHaveLength(before.length)
  })
})

describe('the controls of banks', () => {
  test('the same by HTTP, checked; each base has its own', async () => {
    const { emulator, rows } = await open()
    const order = async (body: object) => {
      const response = await fetch(`${emulator.controlUrl}/bank`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-bankapi-emulator': '1' },
        body: JSON.stringify(body),
      })
      const json = (await response.json()) as Record<string, unknown>
      return { status: response.status, json }
    }
    const made = await order({ change: 'record', account, amount: -12, environment: 'live' })
    expect(made.json).toEqual({ change: 'record', account_id: account, transaction_id: expect.any(String) })
    expect(ids(await rows())).not.toContain(made.json['transaction_id'])
    const id = String(made.json['transaction_id'])
    const live = { base: 'live' } as const
    expect((await emulator.get(`/transactions/${id}?client_id=cli_demo`, live)).amount).toBe(-12)
    const statuses = []
    for (const body of [
      { change: 'nonsense', account },
      { change: 'record', account },
      { change: 'record', account, amount: -1, date: 'today' },
      { change: 'close', account, count: 3 },
      { change: 'retract', account, transaction: 'txn_AGGREGATOR_A_none' },
      { change: 'close', account: 'acc_FDE_none' },
      { change: 'relink', connection: 'con_FDE_none' },
      { change: 'settle', account, transaction: settledAt(await rows(), 0).id },
    ]) {
      statuses.push((await order(body)).status)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 404, 404, 404, 400])
  })

  test('same seed and same changes: same ids and same data', async () => {
    const story = async () => {
      const { emulator, bank, rows } = await open({ seed: 3 })
      const held = bank.record({ amount: -40, pending: true })
      bank.reissue(held, { as: 'tip', overlap_ms: day })
      bank.reissue(bank.record({ amount: -10, pending: true }), { as: 'fuel', gap_ms: day })
      bank.backfill(10)
      const added = emulator.relink(connection)
      await emulator.advance(2 * day)
      const [copy] = await emulator.accounts(added)
      return [await rows(), await rows(copy?.id), await emulator.accounts()]
    }
    expect(await story()).toEqual(await story())
  })

  test('what is under way survives a restart', async () => {
    const options = { memory: false, dataDir: temporaryFolder() }
    const first = await open(options)
    const held = first.bank.record({ amount: -40, pending: true })
    const settled = first.bank.reissue(held, { gap_ms: day })
    first.emulator.bank(other).close()
    await first.emulator.stop()
    const { emulator, read } = await open(options)
    expect((await emulator.accounts()).map(({ id }) => id)).not.toContain(other)
    await emulator.advance(day)
    expect((await read(settled)).json.amount).toBe(-40)
  })
})
