/** Sums transactions by month, day, category or merchant: each currency apart, money in and money out apart. */
import type { Transaction } from '../contract/transactions.ts'
import { DecimalSum } from './decimal.ts'

export const groupings = ['month', 'day', 'category', 'merchant'] as const
export type Grouping = (typeof groupings)[number]

/** Amounts in major units of the currency. */
export interface SummaryRow {
  readonly by: Grouping
  /** The month (2026-01), the day, the category or the merchant; null for transactions that have none. */
  readonly group: string | null
  readonly iso_currency_code: string
  /** How many. */
  readonly transactions: number
  readonly money_in: number
  /** Negative, as the amounts are. */
  readonly money_out: number
  readonly net: number
}

const groupOf: Readonly<Record<Grouping, (row: Transaction) => string | undefined>> = {
  month: ({ date }) => date.slice(0, 7),
  day: ({ date }) => date,
  category: ({ category }) => category,
  merchant: ({ merchant_name }) => merchant_name,
}

class Sums {
  readonly moneyIn = new DecimalSum()
  readonly moneyOut = new DecimalSum()
  readonly net = new DecimalSum()
  transactions = 0

  add(amount: number): void {
    this.transactions += 1
    this.net.add(amount)
    if (amount >= 0) this.moneyIn.add(amount)
    else this.moneyOut.add(amount)
  }
}

export class TransactionSums {
  readonly #by: Grouping
  readonly #byCurrency = new Map<string, Map<string | null, Sums>>()
  /** Pending ones, which are in no sum: their amounts can still change. */
  pending = 0
  settled = 0
  /** Rows that there will be. */
  groups = 0

  constructor(by: Grouping) {
    this.#by = by
  }

  add(rows: readonly Transaction[]): void {
    for (const row of rows) {
      if (row.pending) this.pending += 1
      else this.#sums(row.iso_currency_code, groupOf[this.#by](row) ?? null).add(row.amount)
    }
  }

  /** In the order of time; by category and by merchant where most money went or came first. The most used currency first. */
  rows(): SummaryRow[] {
    const inTime = this.#by === 'month' || this.#by === 'day'
    const currencies = [...this.#byCurrency].toSorted(
      ([a, one], [b, other]) => countOf(other) - countOf(one) || (a < b ? -1 : 1),
    )
    return currencies.flatMap(([iso_currency_code, groups]) =>
      [...groups]
        .map(
          ([group, { transactions, moneyIn, moneyOut, net }]): SummaryRow => ({
            by: this.#by,
            group,
            iso_currency_code,
            transactions,
            money_in: moneyIn.value,
            money_out: moneyOut.value,
            net: net.value,
          }),
        )
        .toSorted((a, b) => (inTime ? byName(a, b) : volume(b) - volume(a) || byName(a, b))),
    )
  }

  #sums(currency: string, group: string | null): Sums {
    const groups = this.#byCurrency.get(currency) ?? new Map<string | null, Sums>()
    if (groups.size === 0) this.#byCurrency.set(currency, groups)
    this.settled += 1
    const known = groups.get(group)
    if (known !== undefined) return known
    const sums = new Sums()
    groups.set(group, sums)
    this.groups += 1
    return sums
  }
}

function countOf(groups: ReadonlyMap<string | null, Sums>): number {
  return [...groups.values()].reduce((sum, { transactions }) => sum + transactions, 0)
}

function volume({ money_in, money_out }: SummaryRow): number {
  return Math.max(money_in, -money_out)
}

function byName(a: SummaryRow, b: SummaryRow): number {
  return (a.group ?? '') < (b.group ?? '') ? -1 : 1
}
