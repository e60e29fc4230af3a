/** Terms of liability accounts, as a bank would state them. */
import type { Account } from '../../contract/accounts.ts'
import type { AccountPlan } from './account-plans.ts'
import { mortgageInstalment } from './activity.ts'
import { addDays } from './calendar.ts'
import { roundMoney, sumMoney } from './money.ts'
import type { SeededStatement } from './seed-rows.ts'

export interface Owed {
  readonly currency: string
  /** Settled, signed: owed is negative. */
  readonly current: number
  /** Sum of the charges still pending, negative. */
  readonly pending: number
  readonly lastStatement: SeededStatement | undefined
}

/** Days between a statement and its payment date. A cycle that rolled over leaves a date in the past, as banks do. */
const daysToPay = 25

/** The credit left: the limit less what is owed and held, never negative. */
export function creditLeft(limit: number, { current, pending, currency }: Owed): number {
  return Math.max(0, sumMoney([limit, current, pending], currency))
}

/**
 * Null when the bank states no terms. `full`: everything, with null where it does not apply (a mortgage has no limit).
 * `partial`: limit and payment date; a field that is missing means the bank did not say.
 */
export function liabilitiesOf(plan: AccountPlan, owed: Owed): NonNullable<Account['liabilities']> | null {
  if (!plan.terms) return null
  const limit = plan.creditLimit ?? null
  const dueDate = owed.lastStatement ? addDays(owed.lastStatement.statement_date, daysToPay) : null
  if (plan.terms === 'partial') return { credit_limit: limit, payment_due_date: dueDate }
  const statementBalance = owed.lastStatement?.closing_balance ?? null
  return {
    credit_limit: limit,
    available_credit: limit === null ? null : creditLeft(limit, owed),
    statement_balance: statementBalance,
    minimum_payment: minimumPayment(plan, statementBalance, owed.currency),
    payment_due_date: dueDate,
  }
}

/** A mortgage asks for its instalment; a card for 2% of what the statement says is owed, at least 25, null if nothing. */
function minimumPayment(plan: AccountPlan, statementBalance: number | null, currency: string): number | null {
  if (plan.subtype === 'mortgage') return mortgageInstalment
  if (statementBalance === null || statementBalance >= 0) return null
  const owed = -statementBalance
  return roundMoney(Math.min(owed, Math.max(25, owed * 0.02)), currency)
}
