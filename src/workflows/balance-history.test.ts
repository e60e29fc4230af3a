import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Transaction } from '../contract/transactions.ts'
import {
  addDays,
  type BalanceHistory,
  balanceHistory,
  basisSentence,
  isSumOfTransactions,
  SettledDays,
} from './balance-history.ts'

function transaction(date: string, amount: number, pending = false): Transaction {
  return {
    id: 'txn_FDE_1',
    account_id: 'acc_FDE_1',
    amount,
    iso_currency_code: 'USD',
    date,
    description: 'COFFEE',
    pending,
  }
}

function settledOf(...rows: readonly Transaction[]): SettledDays {
  const settled = new SettledDays()
  settled.add(rows)
  return settled
}

const march = (day: number) => `2026-03-${String(day).padStart(2, '0')}`
const asText = (days: ReturnType<typeof balanceHistory>) =>
  days.map(({ date, current_balance, basis }) => `${date.slice(8)} ${current_balance} ${basis}`)

test('what settled on a day is in its balance and not in that of the day before; a pending charge is in none', () => {
  const settled = settledOf(
    transaction(march(5), -0.1),
    transaction(march(5), -0.2),
    transaction(march(3), 50),
    transaction(march(4), -999, true),
  )
  const back = { balance: 100, settled, since: march(3) }
  expect(asText(balanceHistory({ from: march(1), last: march(6), back }))).toEqual([
    '03 100.3 transactions',
    '04 100.3 transactions',
    '05 100 transactions',
    '06 100 transactions',
  ])
  expect(settled.count).toBe(3)
})

test('days before the first that was asked for are left out; a day without a transaction has a row', () => {
  const back = { balance: 10, settled: settledOf(), since: march(1) }
  expect(asText(balanceHistory({ from: march(4), last: march(6), back }))).toEqual([
    '04 10 transactions',
    '05 10 transactions',
    '06 10 transactions',
  ])
})

test('while the mirror watched a day has the balance that it saw last; before, after and today transactions lead back to it', () => {
  const settled = settledOf(transaction(march(2), 1), transaction(march(6), 5))
  const back = { balance: 100, settled, since: march(1) }
  const days = [
    { date: march(3), current_balance: 80 },
    { date: march(4), current_balance: 90 },
  ]
  const history = balanceHistory({ from: march(1), last: march(7), back, seen: { days, through: march(5) } })
  expect(asText(history)).toEqual([
    '01 94 transactions',
    '02 95 transactions',
    '03 80 mirror',
    '04 90 mirror',
    '05 90 mirror',
    '06 100 transactions',
    '07 100 transactions',
  ])
  const today = balanceHistory({ from: march(1), last: march(4), back, seen: { days, through: march(9) } })
  expect(asText(today).at(-1)).toBe('04 100 transactions')
})

test('from the mirror alone a balance holds until the next one that it saw, also one from before the first day', () => {
  const seen = {
    days: [
      { date: march(2), current_balance: -7 },
      { date: march(5), current_balance: -6 },
    ],
    through: march(6),
  }
  expect(asText(balanceHistory({ from: march(4), last: march(6), seen }))).toEqual([
    '04 -7 mirror',
    '05 -6 mirror',
    '06 -6 mirror',
  ])
  expect(asText(balanceHistory({ from: march(1), last: march(3), seen }))).toEqual([
    '02 -7 mirror',
    '03 -7 mirror',
  ])
})

test('whatever settled, the balance of each day less that of the day before is what settled on it, to the cent', () => {
  const row = fc.record({ day: fc.integer({ min: 1, max: 28 }), cents: fc.integer({ min: -1e7, max: 1e7 }) })
  fc.assert(
    fc.property(fc.array(row), fc.integer({ min: -1e8, max: 1e8 }), (rows, today) => {
      const settled = settledOf(...rows.map(({ day, cents }) => transaction(march(day), cents / 100)))
      const back = { balance: today / 100, settled, since: march(1) }
      const days = balanceHistory({ from: march(1), last: march(28), back })
      const cents = days.map(({ current_balance }) => Math.round(current_balance * 100))
      expect(cents.at(-1)).toBe(today)
      for (let day = 2; day <= 28; day += 1) {
        const settledThen = rows.filter((one) => one.day === day).reduce((sum, one) => sum + one.cents, 0)
        expect((cents[day - 1] ?? 0) - (cents[day - 2] ?? 0)).toBe(settledThen)
      }
    }),
  )
})

test('the balance of an investment or a loan is no sum of transactions', () => {
  expect((['checking', 'savings', 'credit_card', 'other'] as const).map(isSumOfTransactions)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect((['loan', 'investment'] as const).map(isSumOfTransactions)).toEqual([false, false])
})

test('the history says what it is from', () => {
  const day = (date: string, basis: 'transactions' | 'mirror') => ({
    date,
    basis,
    current_balance: 1,
    iso_currency_code: 'USD',
  })
  const history: BalanceHistory = {
    account_id: 'acc_FDE_1',
    account_name: null,
    mask: null,
    type: 'checking',
    iso_currency_code: 'USD',
    basis: 'transactions',
    transactions: 1,
    reason: null,
    data: [day(march(1), 'transactions'), day(march(2), 'mirror'), day(march(3), 'transactions')],
  }
  expect(basisSentence(history)).toBe('From 1 settled transaction, back from the balance of 2026-03-03.')
  expect(basisSentence({ ...history, basis: 'both', transactions: 2 })).toBe(
    'From 2 settled transactions, back from the balance of 2026-03-03; from 2026-03-02 on as the mirror saw it.',
  )
  expect(basisSentence({ ...history, basis: 'mirror', reason: 'no sum' })).toBe(
    'As the mirror saw it: no sum.',
  )
})

test('a day is one later across months and leap days', () => {
  expect([addDays('2028-02-28', 1), addDays('2026-01-01', -1)]).toEqual(['2028-02-29', '2025-12-31'])
})
