import { expect, test } from 'vitest'
import type { Transaction } from '../contract/transactions.ts'
import { type Grouping, TransactionSums } from './transaction-sums.ts'

const row = (date: string, amount: number, more: Partial<Transaction> = {}): Transaction => ({
  id: 'txn_FDE_1',
  account_id: 'acc_FDE_1',
  amount,
  iso_currency_code: 'USD',
  date,
  description: 'X',
  pending: false,
  ...more,
})

const rows = [
  row('2026-02-01', -0.1, { category: 'dining', merchant_name: 'Café' }),
  row('2026-02-01', -0.2, { category: 'dining', merchant_name: 'Bar' }),
  row('2026-01-31', 10, { category: 'income' }),
  row('2026-01-30', 500, { iso_currency_code: 'JPY' }),
  row('2026-02-02', -70, { pending: true }),
]

function summed(by: Grouping, ...batches: readonly (readonly Transaction[])[]) {
  const sums = new TransactionSums(by)
  for (const batch of batches) sums.add(batch)
  const texts = sums
    .rows()
    .map(
      ({ group, iso_currency_code: code, transactions, money_in, money_out, net }) =>
        `${group} ${code} ${transactions} ${money_in} ${money_out} ${net}`,
    )
  return { texts, sums }
}

test('by month and by day: in the order of time, exact, in and out apart, and each currency for itself', () => {
  expect(summed('month', rows).texts).toEqual([
    '2026-01 USD 1 10 0 10',
    '2026-02 USD 2 0 -0.3 -0.3',
    '2026-01 JPY 1 500 0 500',
  ])
  expect(summed('day', rows).texts).toEqual([
    '2026-01-31 USD 1 10 0 10',
    '2026-02-01 USD 2 0 -0.3 -0.3',
    '2026-01-30 JPY 1 500 0 500',
  ])
})

test('by category and by merchant: the largest first, and those without one under null', () => {
  expect(summed('category', rows).texts).toEqual([
    'income USD 1 10 0 10',
    'dining USD 2 0 -0.3 -0.3',
    'null JPY 1 500 0 500',
  ])
  expect(summed('merchant', rows).texts.slice(0, 3)).toEqual([
    'null USD 1 10 0 10',
    'Bar USD 1 0 -0.2 -0.2',
    'Café USD 1 0 -0.1 -0.1',
  ])
})

test('pending transactions are counted and in no sum; the sums are the same however the pages are cut', () => {
  const { sums, texts } = summed('month', ...rows.map((one) => [one]))
  expect([sums.pending, sums.settled, sums.groups]).toEqual([1, 4, 3])
  expect(texts).toEqual(summed('month', rows.toReversed()).texts)
})
