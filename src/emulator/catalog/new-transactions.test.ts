import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sources } from '../../contract/shapes.ts'
import { Transaction } from '../../contract/transactions.ts'
import { withoutNulls } from '../engine/without-nulls.ts'
import { typeOfSubtype } from './account-plans.ts'
import { addDays } from './calendar.ts'
import { type ReportedAccount, transactionsSince } from './new-transactions.ts'
import { createRandom } from './random.ts'

const accounts = fc
  .record({
    source: fc.constantFrom(...sources),
    subtype: fc.constantFrom(
      'checking',
      'savings',
      'credit_card',
      'mortgage',
      'plan_401k',
      'unknown',
      'line_of_credit',
    ),
    iso_currency_code: fc.constantFrom('USD', 'EUR', 'JPY'),
  })
  .map(
    (account): ReportedAccount => ({
      ...account,
      id: `acc_${account.source}_1`,
      type: typeOfSubtype(account.subtype),
    }),
  )
const stretches = fc.record({
  account: accounts,
  from: fc.integer({ min: 0, max: 2000 }).map((offset) => addDays('2024-01-01', offset)),
  length: fc.integer({ min: 0, max: 60 }),
  seed: fc.nat(),
})

interface Stretch {
  account: ReportedAccount
  from: string
  length: number
  seed: number
}

function reported({ account, from, length, seed }: Stretch) {
  return transactionsSince({ account, from, to: addDays(from, length), random: createRandom(seed) })
}

describe('transactionsSince', () => {
  it('reports only days after the last one reported, up to the last one asked for, three a day at most', () => {
    fc.assert(
      fc.property(stretches, (stretch) => {
        const perDay = new Map<string, number>()
        for (const { date } of reported(stretch)) perDay.set(date, (perDay.get(date) ?? 0) + 1)
        for (const [date, count] of perDay) {
          expect(date > stretch.from && date <= addDays(stretch.from, stretch.length)).toBe(true)
          expect(count).toBeLessThanOrEqual(3)
        }
      }),
    )
  })

  it('gives rows that keep to the contract, in the currency and under the source of the account', () => {
    fc.assert(
      fc.property(stretches, (stretch) => {
        for (const row of reported(stretch)) {
          expect(Transaction.parse(withoutNulls(row))).toEqual(withoutNulls(row))
          expect(row.account_id).toBe(stretch.account.id)
          expect(row.id.startsWith(`txn_${stretch.account.source}_`)).toBe(true)
          expect(row.iso_currency_code).toBe(stretch.account.iso_currency_code)
          if (row.iso_currency_code === 'JPY') expect(Number.isInteger(row.amount)).toBe(true)
        }
      }),
    )
  })

  it('gives an upstream id on the aggregators only', () => {
    fc.assert(
      fc.property(stretches, (stretch) => {
        const upstream = stretch.account.source.startsWith('AGGREGATOR_')
        for (const row of reported(stretch)) expect(row.external_id !== null).toBe(upstream)
      }),
    )
  })

  it('holds only the newest card purchases as pending, money out, and on the aggregators only', () => {
    let seen = 0
    fc.assert(
      fc.property(stretches, (stretch) => {
        for (const row of reported(stretch)) {
          if (!row.pending) continue
          seen += 1
          expect(row.amount).toBeLessThan(0)
          expect(stretch.account.source).toMatch(/^AGGREGATOR_/)
          expect(row.date > addDays(stretch.from, stretch.length - 2)).toBe(true)
        }
      }),
    )
    expect(seen).toBeGreaterThan(0)
  })

  it('is told the same way again by the same seed', () => {
    fc.assert(
      fc.property(stretches, (stretch) => {
        expect(reported(stretch)).toEqual(reported(stretch))
      }),
    )
  })

  it('records some transactions out of the order of their dates', () => {
    const account = { id: 'acc_FDE_1', source: 'FDE', type: 'checking', subtype: 'checking' } as const
    const random = createRandom(1)
    const rows = transactionsSince({
      account: { ...account, iso_currency_code: 'USD' },
      from: '2026-01-01',
      to: '2026-07-01',
      random,
    })
    const dates = rows.map(({ date }) => date)
    expect(dates).not.toEqual(dates.toSorted())
  })
})
