import { describe, expect, test } from 'vitest'
import type { TuiEvent } from '../state/events.ts'
import { createResources } from './resources.ts'
import type { EffectTools } from './tools.ts'

type Resources = Extract<TuiEvent, { kind: 'resources' }>

const account = {
  ...{
    id: 'acc_1',
    source: 'FDE',
    type: 'checking',
    subtype: 'checking',
    iso_currency_code: 'EUR',
    mask: '4821',
  },
  ...{ connection_id: 'con_FDE_1', client_id: 'cli_1', name: 'Everyday', current_balance: 1000.1 },
}
const transaction = (id: string, date: string, amount: number, more: object = {}) => ({
  ...{
    id,
    account_id: 'acc_1',
    date,
    amount,
    iso_currency_code: 'EUR',
    description: `Text ${id}`,
    pending: false,
  },
  ...more,
})

interface Service {
  readonly transactions?: readonly object[]
  readonly of?: object
  readonly accounts?: readonly object[]
}

/** Reads one list from a service that has this account and these transactions. */
async function read(
  resource: 'clients' | 'accounts' | 'transactions',
  { transactions = [], of = account, accounts = [of] }: Service = {},
): Promise<Resources> {
  const events: TuiEvent[] = []
  const page = (data: readonly object[]) => async () => ({ data, has_more: false, next_cursor: null })
  const tools = {
    api: {
      clients: { list: page([{ id: 'cli_1', name: 'Zoë \u001b[2J', email: 'zoe@example.com' }]) },
      connections: { list: page([]) },
      accounts: { list: page(accounts), get: async () => of },
      transactions: { list: page(transactions) },
    },
    clock: { now: () => 0, sleep: async () => undefined },
    signal: new AbortController().signal,
    safe: (text: string) => text.replaceAll('\u001b', '?'),
    explain: async (error: Error) => `\u001b${error.message}`,
    dispatch: (event: TuiEvent) => events.push(event),
  } as unknown as EffectTools
  const parent = { clientId: 'cli_1', accountId: 'acc_1', name: 'Everyday' }
  const kind = 'load-resources' as const
  await createResources(tools).load({
    kind,
    reading: 7,
    resource,
    of: resource === 'transactions' ? parent : undefined,
  })
  return events.at(-1) as Resources
}

describe('transactions', () => {
  const transactions = [
    transaction('txn_3', '2026-05-20', 100.2),
    transaction('txn_4', '2026-05-22', -5, { pending: true }),
    transaction('txn_2', '2026-05-21', -0.1),
    transaction('txn_1', '2026-05-19', 50, { merchant_name: 'Shop', category: 'dining' }),
  ]

  test('come newest first, each with the balance after it, which pending ones do not change', async () => {
    const { rows, done, reading } = await read('transactions', { transactions })
    expect({ done, reading }).toEqual({ done: 'complete', reading: 7 })
    expect(rows.map(({ id, balance }) => [id, balance])).toEqual([
      ['txn_4', 1000.1],
      ['txn_2', 1000.1],
      ['txn_3', 1000.2],
      ['txn_1', 900],
    ])
    expect(rows.map(({ cells }) => cells['amount'])).toEqual(['-5.00', '-0.10', '+100.20', '+50.00'])
    expect(rows[0]?.cells).toMatchObject({ name: '… Text txn_4', balance: '' })
    expect(rows[3]?.cells).toMatchObject({ name: 'Shop', balance: '900.00', category: 'dining' })
    expect(rows.map(({ income }) => income)).toEqual([false, false, true, true])
  })

  test.each(['investment', 'loan'])(
    'of an account of type %s have no balance: it is no sum of them',
    async (type) => {
      const { rows } = await read('transactions', { transactions, of: { ...account, type } })
      expect(rows.map(({ balance }) => balance)).toEqual([undefined, undefined, undefined, undefined])
    },
  )

  test('another currency than that of the account is named', async () => {
    const yen = transaction('txn_1', '2026-05-19', -1200, { iso_currency_code: 'JPY' })
    const { rows } = await read('transactions', { transactions: [yen] })
    expect(rows[0]?.cells['amount']).toBe('-1,200 JPY')
  })
})

test('an account has its balance with the currency, and names its Client and Connection', async () => {
  const { rows } = await read('accounts')
  expect(rows).toMatchObject([
    {
      id: 'acc_1',
      clientId: 'cli_1',
      connectionId: 'con_FDE_1',
      cells: { balance: '1,000.10 EUR', mask: '•••• 4821' },
    },
  ])
})

test('texts of the service are safe to show', async () => {
  const { rows } = await read('clients')
  expect(rows[0]?.cells['name']).toBe('Zoë ?[2J')
})

test('a list ends after 1,000 rows, and says so', async () => {
  const accounts = Array.from({ length: 1200 }, (_, index) => ({ ...account, id: `acc_${index}` }))
  const { rows, done, note } = await read('accounts', { accounts })
  expect(rows).toHaveLength(1000)
  expect({ done, note }).toEqual({ done: 'complete', note: 'the first 1000' })
})

test('a failure is told, and safe', async () => {
  const of = { ...account, current_balance: undefined }
  const { done, note } = await read('transactions', { of, transactions: [null as unknown as object] })
  expect(done).toBe('failed')
  expect(note).toMatch(/^\?/)
})
