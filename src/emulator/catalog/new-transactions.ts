/** Makes transactions for a range of days: the history of a new account, or what a refresh brings. */
import { activityOn, type Booking } from './activity.ts'
import { addDays, daysBetween } from './calendar.ts'
import type { Random } from './random.ts'
import type { SeededAccount, SeededTransaction } from './seed-rows.ts'

export type ReportedAccount = Pick<SeededAccount, 'id' | 'source' | 'type' | 'subtype' | 'iso_currency_code'>

export interface TransactionsSince {
  readonly account: ReportedAccount
  /** The last day already reported; the first new one is the day after. */
  readonly from: string
  /** The last day to report. */
  readonly to: string
  readonly random: Random
}

/** Card purchases of the last days before `to` are still authorizations; how many days, `to` included. */
const daysHeld = 2

/**
 * The transactions that a refresh of `account` finds: up to three a day for the days after `from` up to and including
 * `to`, in the order they were recorded (not strictly by date). On the aggregators the newest card purchases are pending.
 */
export function transactionsSince({ account, from, to, random }: TransactionsSince): SeededTransaction[] {
  const recorded: { readonly on: string; readonly row: SeededTransaction }[] = []
  const heldAfter = addDays(to, -daysHeld)
  for (const date of daysBetween(addDays(from, 1), to)) {
    for (const booking of activityOn(account, date, random)) {
      const pending = booking.authorized && holdsAuthorizations(account) && date > heldAfter
      const late = !pending && random.chance(0.05) ? random.int(1, 3) : 0
      recorded.push({ on: addDays(date, late), row: transaction(account, booking, pending, random) })
    }
  }
  // Stable: what was recorded on the same day keeps its order.
  return recorded
    .sort((one, other) => (one.on < other.on ? -1 : one.on > other.on ? 1 : 0))
    .map(({ row }) => row)
}

/** True where the source reports charges before they settle: the aggregators do, documents do not. */
function holdsAuthorizations({ source }: ReportedAccount): boolean {
  return source.startsWith('AGGREGATOR_')
}

/** Gives a booking its ids. */
export function transaction(
  account: ReportedAccount,
  { date, amount, description, merchant_name, category }: Booking,
  pending: boolean,
  random: Random,
): SeededTransaction {
  return {
    id: `txn_${account.source}_${random.hex(16)}`,
    account_id: account.id,
    amount,
    iso_currency_code: account.iso_currency_code,
    date,
    description,
    external_id: account.source.startsWith('AGGREGATOR_') ? random.uuid() : null,
    merchant_name,
    category,
    pending,
  }
}
