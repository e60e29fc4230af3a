import { describe, expect, test } from 'vitest'
import type { Account } from '../../src/contract/accounts.ts'
import type { Transaction } from '../../src/contract/transactions.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const day = 86_400_000

async function pendingOf(emulator: TestEmulator, connection: string): Promise<Transaction[]> {
  const accounts = await emulator.accounts(connection)
  const lists = await Promise.all(accounts.map(({ id }) => transactionsOf(emulator, id)))
  return lists.flat().filter(({ pending }) => pending)
}

async function transactionsOf(emulator: TestEmulator, account: string, query = ''): Promise<Transaction[]> {
  return (await emulator.get(`/accounts/${account}/transactions?client_id=cli_demo&limit=500${query}`)).data
}

/** The names of the fields that are null, however deep. */
function nulls(value: unknown, name = ''): string[] {
  if (value === null) return [name]
  if (typeof value !== 'object') return []
  return Object.entries(value as object).flatMap(([key, field]) =>
    nulls(field, Array.isArray(value) ? name : `${name}.${key}`),
  )
}

describe('fields without "or null"', () => {
  test('a transaction, a check, an operation, a capability, a key: absent, never null, when there is nothing', async () => {
    const emulator = await runningEmulator()
    const connections = await emulator.get('/clients/cli_demo/connections')
    const accounts: Account[] = await emulator.accounts()
    const pages = await Promise.all(
      accounts.flatMap(({ id }) =>
        ['transactions', 'checks', 'statements'].map((rows) =>
          emulator.get(`/accounts/${id}/${rows}?client_id=cli_demo&limit=500`),
        ),
      ),
    )
    const rows = pages.flatMap(({ data }) => data)
    for (const field of ['external_id', 'merchant_name', 'check_number', 'pay_to']) {
      expect(new Set(rows.map((row) => field in row))).toEqual(new Set([true, false]))
    }
    const read = rows.flatMap(({ ocr }) => ocr ?? [])
    expect(new Set(read.map((ocr) => 'check_date' in ocr))).toEqual(new Set([true, false]))
    const { operation_id } = await emulator.post('/connections/con_FDE_123/refresh')
    const operation = await emulator.get(`/operations/${operation_id}`)
    const keys = await emulator.get('/api-keys')
    const capabilities = [...connections.data, ...accounts].map(
      ({ realized_capabilities }) => realized_capabilities ?? {},
    )
    expect(nulls([rows, operation, keys.data, capabilities])).toEqual([])
  })
})

describe('transactions', () => {
  test('most recently recorded first: what a refresh brings is at the front', async () => {
    const emulator = await runningEmulator()
    const [account] = await emulator.accounts('con_AGGREGATOR_A_1001')
    const id = account?.id ?? ''
    const before = await transactionsOf(emulator, id)
    await emulator.refreshed('con_AGGREGATOR_A_1001')
    const after = await transactionsOf(emulator, id)
    expect(after.slice(after.length - before.length)).toEqual(before)
  })

  test('from and to bound by transaction date, both inclusive', async () => {
    const emulator = await runningEmulator()
    const all = await transactionsOf(emulator, 'acc_AGGREGATOR_A_100101')
    const dates = [...new Set(all.map(({ date }) => date))].sort()
    const [from, to] = [dates[3], dates[dates.length - 4]]
    const within = await transactionsOf(emulator, 'acc_AGGREGATOR_A_100101', `&from=${from}&to=${to}`)
    expect(within).toEqual(all.filter(({ date }) => date >= String(from) && date <= String(to)))
    expect(within.length).toBeLessThan(all.length)
  })

  test('settling in place: the same id flips to pending false and counts as recorded again', async () => {
    const emulator = await runningEmulator()
    const [charge] = await pendingOf(emulator, 'con_AGGREGATOR_A_1001')
    const before = (await emulator.accounts()).find(({ id }) => id === charge?.account_id)
    emulator.trigger({
      type: 'transaction.settled',
      connection: 'con_AGGREGATOR_A_1001',
      transaction: charge?.id,
      way: 'in_place',
    })
    const [first] = await transactionsOf(emulator, charge?.account_id ?? '')
    expect(first).toEqual({ ...charge, pending: false })
    const after = (await emulator.accounts()).find(({ id }) => id === charge?.account_id)
    expect(after?.current_balance).toBeCloseTo((before?.current_balance ?? 0) + (charge?.amount ?? 0), 2)
  })

  test('reissuing: the charge disappears (404) and a settled one appears under a new id', async () => {
    const emulator = await runningEmulator()
    const [charge] = await pendingOf(emulator, 'con_AGGREGATOR_A_1001')
    const { id = '', account_id = '' } = charge ?? {}
    const before = await transactionsOf(emulator, account_id)
    emulator.trigger({
      type: 'transaction.settled',
      connection: 'con_AGGREGATOR_A_1001',
      transaction: id,
      way: 'reissued',
    })
    expect((await emulator.call('GET', `/transactions/${id}?client_id=cli_demo`)).status).toBe(404)
    const after = await transactionsOf(emulator, account_id)
    expect(after.map((row) => row.id)).not.toContain(id)
    expect(after).toHaveLength(before.length)
    expect(after[0]).toMatchObject({ amount: charge?.amount, pending: false })
    expect(before.map((row) => row.id)).not.toContain(after[0]?.id)
  })

  test('the clock settles every charge within two days, in place or reissued', async () => {
    const emulator = await runningEmulator()
    const charges = await pendingOf(emulator, 'con_AGGREGATOR_A_1001')
    expect(charges.length).toBeGreaterThan(0)
    await emulator.advance(2 * day)
    const statuses = await Promise.all(
      charges.map(async ({ id }) => emulator.call('GET', `/transactions/${id}?client_id=cli_demo`)),
    )
    for (const { status, json } of statuses) expect(status === 404 || json.pending === false).toBe(true)
  })

  test('ids of all four sources resolve, money out is negative', async () => {
    const emulator = await runningEmulator()
    const accounts = await emulator.accounts()
    expect(new Set(accounts.map(({ source }) => source))).toEqual(
      new Set(['AGGREGATOR_A', 'AGGREGATOR_B', 'FDE', 'PDF']),
    )
    for (const source of ['AGGREGATOR_A', 'AGGREGATOR_B', 'FDE', 'PDF']) {
      const account = accounts.find((one) => one.source === source && one.oldest_transaction_date)
      const [transaction] = await transactionsOf(emulator, account?.id ?? '')
      expect(transaction?.id).toMatch(new RegExp(`^txn_${source}_`))
      const read = await emulator.get(`/transactions/${transaction?.id}?client_id=cli_demo`)
      expect(read).toEqual(transaction)
    }
  })
})

describe('accounts', () => {
  test('connection_id: null for PDF and on a sandbox single fetch, canonical when listed by connection', async () => {
    const emulator = await runningEmulator()
    const accounts = await emulator.accounts()
    for (const { source, connection_id } of accounts) expect(connection_id === null).toBe(source === 'PDF')
    expect((await emulator.get('/accounts/acc_FDE_12301?client_id=cli_demo')).connection_id).toBe(null)
    const live = await emulator.get('/accounts/acc_FDE_12301?client_id=cli_demo', { base: 'live' })
    expect(live.connection_id).toBe('con_FDE_123')
  })

  test('every type is there, and connection_id leaves out the accounts of other connections', async () => {
    const emulator = await runningEmulator()
    const types = new Set((await emulator.accounts()).map(({ type }) => type))
    expect(types).toEqual(new Set(['checking', 'savings', 'credit_card', 'loan', 'investment', 'other']))
    const some = await emulator.accounts('con_FDE_123')
    expect(new Set(some.map(({ connection_id }) => connection_id))).toEqual(new Set(['con_FDE_123']))
  })

  test('oldest_transaction_date is the minimum date held, created_at never changes', async () => {
    const emulator = await runningEmulator()
    const before = await emulator.accounts()
    await emulator.advance(3 * day)
    for (const account of await emulator.accounts()) {
      const dates = (await transactionsOf(emulator, account.id)).map(({ date }) => date)
      if (dates.length < 500) expect(account.oldest_transaction_date).toBe(dates.sort()[0] ?? null)
      expect(account.created_at).toBe(before.find(({ id }) => id === account.id)?.created_at)
    }
  })

  test('oldest_transaction_date moves backwards after a backfill, the balance stays', async () => {
    const emulator = await runningEmulator()
    const [before] = await emulator.accounts('con_AGGREGATOR_A_1001')
    emulator.trigger({ type: 'account.backfilled', connection: 'con_AGGREGATOR_A_1001' })
    const [after] = await emulator.accounts('con_AGGREGATOR_A_1001')
    expect(String(after?.oldest_transaction_date) < String(before?.oldest_transaction_date)).toBe(true)
    expect(after?.current_balance).toBe(before?.current_balance)
  })

  test.each(['/accounts', '/accounts/acc_FDE_12301', '/transactions/txn_FDE_1', '/statements/stmt_FDE_1'])(
    '%s needs client_id',
    async (path) => {
      const emulator = await runningEmulator()
      const { status, json } = await emulator.call('GET', path)
      expect([status, json.error.code, json.error.param]).toEqual([400, 'validation_failed', 'client_id'])
    },
  )

  test("another Client's data reads as not found", async () => {
    const emulator = await runningEmulator()
    const { id } = await emulator.post('/clients', { name: 'Somebody else' })
    for (const path of [
      '/accounts/acc_FDE_12301',
      '/accounts/acc_FDE_12301/transactions',
      '/accounts/acc_FDE_12301/checks',
    ]) {
      expect((await emulator.call('GET', `${path}?client_id=${id}`)).status).toBe(404)
    }
  })
})
