/** An account's balance at the end of each day, back from the balance of today or as a mirror saw it. */
import type { Account } from '../contract/accounts.ts'
import type { Transaction } from '../contract/transactions.ts'
import { DecimalSum } from './decimal.ts'

/** The last balance that a mirror saw on a day (UTC). */
export interface SeenBalance {
  readonly date: string
  readonly current_balance: number
}

export type BalanceBasis = 'transactions' | 'mirror'

export interface BalanceDay extends SeenBalance {
  /** What the balance of this day is from. */
  readonly basis: BalanceBasis
}

export interface BalanceHistory {
  readonly account_id: string
  readonly account_name: string | null
  readonly mask: string | null
  readonly type: Account['type']
  readonly iso_currency_code: string
  /** What the days are from. */
  readonly basis: BalanceDay['basis'] | 'both'
  /** Settled transactions that were read. */
  readonly transactions: number
  /** Why transactions do not lead back; null where they do, or nobody asked. */
  readonly reason: string | null
  /** Each day, the oldest first. */
  readonly data: readonly (BalanceDay & { readonly iso_currency_code: string })[]
}

/** What the balances are from, in one sentence. */
export function basisSentence({ basis, data, transactions, reason }: BalanceHistory): string {
  const back = `${transactions} settled transaction${transactions === 1 ? '' : 's'}, back from the balance of ${data.at(-1)?.date}`
  if (basis === 'transactions') return `From ${back}.`
  if (basis === 'mirror') return `As the mirror saw it${reason === null ? '' : `: ${reason}`}.`
  const watched = data.find((day) => day.basis === 'mirror')?.date
  return `From ${back}; from ${watched} on as the mirror saw it.`
}

/** Their balance follows a market, or interest that no transaction shows. */
const noSums: readonly Account['type'][] = ['investment', 'loan']

/** Whether its balance is the sum of its transactions. */
export function isSumOfTransactions(type: Account['type']): boolean {
  return !noSums.includes(type)
}

/** What settled on each day. A pending charge is not in the balance yet. */
export class SettledDays {
  readonly #days = new Map<string, DecimalSum>()
  #first: string | undefined
  #last: string | undefined
  /** Transactions. */
  count = 0

  add(rows: readonly Transaction[]): void {
    for (const { date, amount, pending } of rows) {
      if (pending) continue
      this.count += 1
      if (this.#first === undefined || date < this.#first) this.#first = date
      if (this.#last === undefined || date > this.#last) this.#last = date
      const sum = this.#days.get(date)
      if (sum === undefined) this.#days.set(date, new DecimalSum(amount))
      else sum.add(amount)
    }
  }

  /** The first and the last day on which something settled. */
  get first(): string | undefined {
    return this.#first
  }

  get last(): string | undefined {
    return this.#last
  }

  on(date: string): DecimalSum | undefined {
    return this.#days.get(date)
  }
}

/** What a mirror saw. */
export interface SeenBalances {
  /** By day, the oldest first. */
  readonly days: readonly SeenBalance[]
  /** The day until which the last of them was seen to hold. */
  readonly through: string
}

export interface HistoryInput {
  /** The first day wanted, and the last: both YYYY-MM-DD. */
  readonly from: string
  readonly last: string
  /** The balance of the last day, and what settled since a day: every transaction from then, or from `from`, on. */
  readonly back?:
    | { readonly balance: number; readonly settled: SettledDays; readonly since: string }
    | undefined
  readonly seen?: SeenBalances | undefined
}

/**
 * A row for each day from the first that is known to the last. While the mirror watched, a day has the balance that it saw
 * last; the other days, and today, have the one that transactions lead back to.
 */
export function balanceHistory({ from, last, back, seen }: HistoryInput): BalanceDay[] {
  const backwards = back === undefined ? new Map<string, number>() : walkBack(back, from, last)
  const { days: seenDays = [], through = '' } = seen ?? {}
  const seenOn = new Map(seenDays.map(({ date, current_balance }) => [date, current_balance]))
  const [firstKnown = last] = [seenDays[0]?.date, back?.since].filter((date) => date !== undefined).toSorted()
  const start = firstKnown > from ? firstKnown : from
  let watched = seenDays.findLast(({ date }) => date < start)?.current_balance
  const days: BalanceDay[] = []
  for (let date = start; date <= last; date = addDays(date, 1)) {
    watched = seenOn.get(date) ?? watched
    const isWatched = watched !== undefined && date <= through && !(date === last && backwards.has(date))
    const summed = isWatched ? undefined : backwards.get(date)
    const current_balance = summed ?? watched
    if (current_balance === undefined) continue
    days.push({ date, current_balance, basis: summed === undefined ? 'mirror' : 'transactions' })
  }
  return days
}

/** The balance at the end of each day, from the last one back. */
function walkBack(
  { balance, settled, since }: NonNullable<HistoryInput['back']>,
  from: string,
  last: string,
): Map<string, number> {
  const balances = new Map<string, number>()
  const sum = new DecimalSum(balance)
  for (let date = last; date >= since && date >= from; date = addDays(date, -1)) {
    balances.set(date, sum.value)
    const changed = settled.on(date)
    if (changed !== undefined) sum.subtract(changed)
  }
  return balances
}

const DAY_MS = 86_400_000

/** The day so many days after a day. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
}
