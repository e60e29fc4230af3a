/** Makes monthly statements from settled transactions. */
import { addDays, addMonths, lastOfMonth } from './calendar.ts'
import { sumMoney } from './money.ts'
import type { SeededAccount, SeededStatement, SeededTransaction } from './seed-rows.ts'

export interface MonthlyStatements {
  readonly account: Pick<SeededAccount, 'id' | 'source' | 'iso_currency_code'>
  readonly transactions: readonly SeededTransaction[]
  /** Settled balance before the first transaction, in major units, signed like `current_balance`. */
  readonly openingBalance: number
  /** First day to cover, a first of a month. */
  readonly from: string
  /** Last day held: months that end later have no statement yet. */
  readonly through: string
}

/**
 * One statement for each whole month between `from` and `through`, oldest first, each opening with the balance the one
 * before closed with. Pending charges are on none.
 */
export function monthlyStatements(of: MonthlyStatements): SeededStatement[] {
  const { account, openingBalance, from, through } = of
  const currency = account.iso_currency_code
  const statements: SeededStatement[] = []
  let opening = sumMoney(
    [openingBalance, ...settledAmounts(of.transactions, '', addDays(from, -1))],
    currency,
  )
  for (let start = from; lastOfMonth(start) <= through; start = addMonths(start, 1)) {
    const end = lastOfMonth(start)
    const closing = sumMoney([opening, ...settledAmounts(of.transactions, start, end)], currency)
    statements.push({
      id: `stmt_${account.id.slice('acc_'.length)}-${end.replaceAll('-', '')}`,
      statement_date: end,
      account_id: account.id,
      source: account.source,
      exported_to: null,
      period_start: start,
      opening_balance: opening,
      closing_balance: closing,
    })
    opening = closing
  }
  return statements
}

function settledAmounts(transactions: readonly SeededTransaction[], from: string, to: string): number[] {
  return transactions
    .filter(({ pending, date }) => !pending && date >= from && date <= to)
    .map(({ amount }) => amount)
}
