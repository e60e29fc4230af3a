import { expect, test } from 'vitest'
import { fakeApi, fakeClock } from '../../test/support/fake-api.ts'
import type { Account } from '../contract/accounts.ts'
import type { Transaction } from '../contract/transactions.ts'
import { Limiter } from './limiter.ts'
import { daysBefore, type Period, transactionsByDate } from './transactions-by-date.ts'

const today = '2026-03-10'

/** A service whose accounts hold so many transactions on each date, recorded in an order of its own. */
function service(held: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  const rows = (account_id: string) =>
    Object.entries(held[account_id] ?? {})
      .toSorted()
      .flatMap(([date, count]) =>
        Array.from({ length: count }, (_, number) => ({ id: `txn_${date}_${number}`, account_id, date })),
      )
  const asked: { from?: string; to?: string }[] = []
  const list = async (input: {
    account_id: string
    limit: number
    cursor?: string
    from?: string
    to?: string
  }) => {
    asked.push({ from: input.from, to: input.to } as never)
    const found = rows(input.account_id).filter(
      ({ date }) => date >= (input.from ?? '') && date <= (input.to ?? '9999'),
    )
    const start = Number(input.cursor ?? 0)
    const end = start + input.limit
    const has_more = end < found.length
    return { data: found.slice(start, end), has_more, next_cursor: has_more ? String(end) : null }
  }
  return { api: fakeApi({ transactions: { list } }), asked }
}

async function read(
  { api }: Pick<ReturnType<typeof service>, 'api'>,
  accounts: readonly Partial<Account>[],
  options: { from?: string; to?: string; isOver?: (requests: number) => boolean } = {},
): Promise<Period[]> {
  const limiter = new Limiter({ clock: fakeClock(), concurrency: 4 })
  return Array.fromAsync(
    transactionsByDate(api, {
      ...{ accounts: accounts as Account[], clientId: 'cli_1', today, limiter },
      ...{ signal: new AbortController().signal, isOver: () => false },
      ...options,
    }),
  )
}

const rowsOf = (periods: readonly Period[]): readonly Transaction[] => periods.flatMap(({ rows }) => rows)
const account = (id: string, oldest_transaction_date?: string) => ({
  id,
  ...(oldest_transaction_date === undefined ? {} : { oldest_transaction_date }),
})

test('rows of all accounts come by date, the newest first, in whole periods', async () => {
  const held = service({
    acc_1: { '2026-03-11': 1, '2026-03-01': 2, '2025-12-24': 1 },
    acc_2: { '2026-03-02': 1, '2024-01-01': 1 },
  })
  const periods = await read(held, [account('acc_1', '2025-12-24'), account('acc_2', '2024-01-01')])
  expect(rowsOf(periods).map(({ account_id, date }) => `${account_id} ${date}`)).toEqual([
    // A date that is still to come where the service is.
    'acc_1 2026-03-11',
    'acc_2 2026-03-02',
    'acc_1 2026-03-01',
    'acc_1 2026-03-01',
    'acc_1 2025-12-24',
    'acc_2 2024-01-01',
  ])
  expect(periods.map(({ isLast }) => isLast)).toEqual([...periods.slice(1).map(() => false), true])
  expect(periods.at(-1)?.from).toBeUndefined()
  for (const [index, { from = '' }] of periods.entries()) {
    const older = rowsOf(periods.slice(index + 1))
    expect(older.every(({ date }) => date < from)).toBe(true)
  }
})

test('what is older than the oldest known date is asked for once, and found all the same', async () => {
  const held = service({ acc_1: { '2026-03-01': 1, '2001-01-01': 3 } })
  expect(rowsOf(await read(held, [account('acc_1', '2026-03-01')]))).toHaveLength(4)
  expect(held.asked).toEqual([
    { from: '2026-02-08', to: undefined },
    { from: undefined, to: '2026-02-07' },
  ])
})

test('a period of too many is read again in shorter ones; nothing is lost or doubled', async () => {
  const dense = Object.fromEntries(Array.from({ length: 40 }, (_, day) => [daysBefore(today, day), 450]))
  const rows = rowsOf(await read(service({ acc_1: dense }), [account('acc_1', daysBefore(today, 39))]))
  expect(rows).toHaveLength(40 * 450)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  const dates = rows.map(({ date }) => date)
  expect(dates).toEqual(dates.toSorted().toReversed())
})

test('many that are older than the oldest known date are read in periods, too', async () => {
  const dense = Object.fromEntries(
    Array.from({ length: 60 }, (_, day) => [daysBefore('2020-01-01', day), 200]),
  )
  const rows = rowsOf(await read(service({ acc_1: dense }), [account('acc_1', today)]))
  expect(rows).toHaveLength(60 * 200)
})

test('a day of more than can be put in order is an error that names it', async () => {
  const held = service({ acc_1: { '2026-03-05': 31_000 } })
  await expect(
    read(held, [account('acc_1', '2026-03-05')], { from: '2026-03-05', to: '2026-03-05' }),
  ).rejects.toMatchObject({
    code: 'too_many_rows',
    message: expect.stringContaining('2026-03-05'),
  })
})

test('it reads at least one period, and none after the bound', async () => {
  const held = service({ acc_1: { '2026-03-01': 1, '2020-01-01': 1 } })
  const periods = await read(held, [account('acc_1', '2020-01-01')], { isOver: () => true })
  expect(periods).toMatchObject([{ from: '2026-02-08', isLast: false, rows: [{ date: '2026-03-01' }] }])
})

test('from and to are the bounds, both inclusive; a period that is no period has nothing', async () => {
  const held = service({ acc_1: { '2026-01-01': 1, '2026-01-02': 1, '2026-01-05': 1, '2026-01-06': 1 } })
  const periods = await read(held, [account('acc_1')], { from: '2026-01-02', to: '2026-01-05' })
  expect(rowsOf(periods).map(({ date }) => date)).toEqual(['2026-01-05', '2026-01-02'])
  expect(periods.at(-1)).toMatchObject({ from: '2026-01-02', isLast: true })
  expect(await read(held, [account('acc_1')], { from: '2026-01-05', to: '2026-01-02' })).toEqual([])
})
