/** Makes the history of a planned account, so that rows, balances, dates and statements agree. */
import type { Source } from '../../contract/shapes.ts'
import { type AccountPlan, typeOfSubtype } from './account-plans.ts'
import { purchase } from './activity.ts'
import { addDays } from './calendar.ts'
import { creditLeft, liabilitiesOf, type Owed } from './liabilities.ts'
import { sumMoney } from './money.ts'
import { monthlyStatements } from './monthly-statements.ts'
import { type ReportedAccount, transaction, transactionsSince } from './new-transactions.ts'
import type { Random } from './random.ts'
import type { AccountSeed, SeededAccount, SeededTransaction } from './seed-rows.ts'
import { writtenChecks } from './written-checks.ts'

/** The owner of an account, and the period and times of what its source reported. */
export interface Holding {
  readonly source: Source
  /** The id after `acc_<SOURCE>_`. */
  readonly number: string
  readonly clientId: string
  /** Null for PDF. */
  readonly connectionId: string | null
  readonly bankName: string
  /** First day of the history, a first of a month, and its last day. */
  readonly from: string
  readonly through: string
  /** Date-times: when the account was first stored, and when the source last reported (null: never refreshed). */
  readonly createdAt: string
  readonly refreshedAt: string | null
  readonly random: Random
}

/**
 * The account with its rows. `current_balance` is the balance before the first row plus every settled row;
 * `oldest_transaction_date` is the earliest date among the rows.
 */
export function accountSeed(plan: AccountPlan, holding: Holding): AccountSeed {
  const currency = plan.currency ?? 'USD'
  const bare = {
    id: `acc_${holding.source}_${holding.number}`,
    source: holding.source,
    type: typeOfSubtype(plan.subtype),
    subtype: plan.subtype,
    iso_currency_code: currency,
  }
  const book = { account: bare, from: holding.from, through: holding.through, random: holding.random }
  const reported = transactionsSince({
    account: bare,
    from: addDays(holding.from, -1),
    to: holding.through,
    random: holding.random,
  })
  const written = plan.checks ? writtenChecks({ ...book, bankName: holding.bankName }) : []
  const booked = written.reduce((rows, check) => recorded(rows, check.transaction), reported)
  const missing = (plan.pendingCharges ?? 0) - pending(booked).length
  const transactions = [...booked, ...moreCharges(bare, missing, holding)]

  const openingBalance = sumMoney([plan.balance, ...settled(transactions).map((amount) => -amount)], currency)
  const statements =
    holding.source === 'PDF'
      ? []
      : monthlyStatements({ ...book, account: bare, transactions, openingBalance })
  const owed: Owed = {
    currency,
    current: plan.balance,
    pending: sumMoney(pending(transactions), currency),
    lastStatement: statements.at(-1),
  }
  const account: SeededAccount = {
    ...bare,
    connection_id: holding.connectionId,
    client_id: holding.clientId,
    name: plan.name,
    mask: plan.mask,
    current_balance: plan.balance,
    available_balance: plan.available ? availableBalance(plan, owed) : null,
    last_refreshed_at: holding.refreshedAt,
    oldest_transaction_date: oldestDate(transactions),
    liabilities: liabilitiesOf(plan, owed),
    created_at: holding.createdAt,
    updated_at: holding.refreshedAt ?? holding.createdAt,
  }
  return { account, transactions, statements, checks: written.map(({ check }) => check) }
}

function moreCharges(
  account: ReportedAccount,
  count: number,
  { through, random }: Holding,
): SeededTransaction[] {
  return Array.from({ length: Math.max(count, 0) }, () =>
    transaction(account, purchase(account.iso_currency_code, through, random), true, random),
  )
}

/** The minimum date among `transactions`; null when there are none. */
function oldestDate(transactions: readonly Pick<SeededTransaction, 'date'>[]): string | null {
  return transactions.reduce<string | null>(
    (oldest, { date }) => (oldest === null || date < oldest ? date : oldest),
    null,
  )
}

/** With `row` recorded on its own date, after what was recorded until then. */
function recorded(rows: readonly SeededTransaction[], row: SeededTransaction): SeededTransaction[] {
  const at = rows.findIndex(({ date }) => date > row.date)
  return at < 0 ? [...rows, row] : rows.toSpliced(at, 0, row)
}

/** On a card what can still be spent; elsewhere what is there less what is held. Not sign-flipped. */
function availableBalance(plan: AccountPlan, owed: Owed): number {
  if (plan.creditLimit !== undefined) return creditLeft(plan.creditLimit, owed)
  return sumMoney([owed.current, owed.pending], owed.currency)
}

function settled(transactions: readonly SeededTransaction[]): number[] {
  return transactions.filter((row) => !row.pending).map(({ amount }) => amount)
}

function pending(transactions: readonly SeededTransaction[]): number[] {
  return transactions.filter((row) => row.pending).map(({ amount }) => amount)
}

/** The id of the `position`-th account of a bank login, after `acc_<SOURCE>_`: two digits follow, so none collide. */
export function accountNumber(bankAccountId: string, position: number): string {
  return `${bankAccountId}${String(position).padStart(2, '0')}`
}
