/**
 * Reads the transactions of accounts by date, newest first. The service lists them as they were recorded, so they are read a period
 * at a time, the latest first: what is read after some of them is whole, and older than nothing that is left.
 */
import type { Api } from '../api/api.ts'
import { items } from '../api/pages.ts'
import type { Account } from '../contract/accounts.ts'
import { pageSize } from '../contract/service.ts'
import type { Transaction } from '../contract/transactions.ts'
import { BankapiError } from '../errors.ts'
import type { Limiter } from './limiter.ts'

export interface ByDateOptions {
  readonly clientId: string
  readonly accounts: readonly Account[]
  /** Calendar dates, both inclusive. Without `from` the oldest transaction is the first. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Calendar date by the clock of the service. */
  readonly today: string
  readonly limiter: Limiter
  readonly signal: AbortSignal
  /** Once it says so, no further period is begun. */
  readonly isOver: (requests: number) => boolean
}

/** All transactions of some days. */
export interface Period {
  /** Undefined when nothing is older. */
  readonly from: string | undefined
  /** By date, the newest first; then by account and id. */
  readonly rows: readonly Transaction[]
  /** Nothing older was asked for. */
  readonly isLast: boolean
}

const FIRST_PERIOD_DAYS = 31
/** Pages of a period beyond the first of each account. A period with more is read again in shorter ones. */
const MAX_FURTHER_PAGES = 12
/** The same of a single day, which cannot be divided. */
const MAX_FURTHER_PAGES_OF_A_DAY = 60
/** All that is older is one period. */
const EARLIEST = '1970-01-01'

/** @throws BankapiError for a day with more transactions than can be put in order, and what a call throws. */
export async function* transactionsByDate(api: Api, options: ByDateOptions): AsyncGenerator<Period> {
  const { accounts, today, isOver } = options
  const { from: first = EARLIEST } = options
  // Only saves requests: it can be older than what is held by now.
  const oldest = accounts.flatMap(({ oldest_transaction_date: date }) => date ?? []).toSorted()[0] ?? EARLIEST
  let { to } = options
  let days = FIRST_PERIOD_DAYS
  /** Whether what is older than the oldest known one is few, as it should be. */
  let isRestSmall = true
  let requests = 0
  let periods = 0
  while ((to ?? first) >= first && (periods === 0 || !isOver(requests))) {
    const end: string = to ?? (today > first ? today : first)
    const isRest: boolean = isRestSmall && end < oldest
    const begin = isRest ? first : daysBefore(end, days - 1)
    const isLast = begin <= first
    const from = isLast ? options.from : begin
    const read = await readPeriod(api, options, {
      ...{ from, to },
      maxFurtherPages: begin === end ? MAX_FURTHER_PAGES_OF_A_DAY : MAX_FURTHER_PAGES,
    })
    requests += read.requests
    if (read.rows === undefined) {
      if (begin === end) throw tooManyOn(begin)
      days = isRest ? FIRST_PERIOD_DAYS : Math.max(1, Math.floor(days / 8))
      isRestSmall &&= !isRest
      continue
    }
    yield { from, rows: read.rows.toSorted(newestFirst), isLast }
    if (isLast) return
    periods += 1
    to = daysBefore(begin, 1)
    if (read.furtherPages <= MAX_FURTHER_PAGES / 3) days *= 2
  }
}

/** Orders transactions of a date. */
export function keyOf({ account_id, id }: Pick<Transaction, 'account_id' | 'id'>): string {
  return `${account_id}/${id}`
}

/** A calendar date so many days before another. */
export function daysBefore(date: string, days: number): string {
  return dateOf(Date.parse(date) - days * 86_400_000)
}

/** The calendar date of a moment in Unix ms, in UTC. */
export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

interface PeriodRead {
  /** Undefined when there are more pages than allowed. */
  readonly rows: Transaction[] | undefined
  readonly requests: number
  readonly furtherPages: number
}

async function readPeriod(
  api: Api,
  { clientId: client_id, accounts, limiter, signal: outer }: ByDateOptions,
  {
    from,
    to,
    maxFurtherPages,
  }: { readonly from: string | undefined; readonly to: string | undefined; readonly maxFurtherPages: number },
): Promise<PeriodRead> {
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  let requests = 0
  let furtherPages = 0
  const rowsOf = async ({ id: account_id }: Account): Promise<Transaction[]> => {
    const list = (input: { readonly limit: number; readonly cursor?: string | undefined }) =>
      limiter.run(() => {
        requests += 1
        if (input.cursor !== undefined) furtherPages += 1
        return api.transactions.list({ account_id, client_id, from, to, ...input }, { signal })
      }, signal)
    // One that changes meanwhile comes again on a later page.
    const rows = new Map<string, Transaction>()
    for await (const row of items(list, { limit: pageSize.max })) {
      if (!rows.has(row.id)) rows.set(row.id, row)
      if (furtherPages > maxFurtherPages) break
    }
    return [...rows.values()]
  }
  try {
    const rows = (await Promise.all(accounts.map(rowsOf))).flat()
    return { rows: furtherPages > maxFurtherPages ? undefined : rows, requests, furtherPages }
  } finally {
    stop.abort()
  }
}

function newestFirst(one: Transaction, other: Transaction): number {
  if (one.date !== other.date) return one.date < other.date ? 1 : -1
  return keyOf(one) < keyOf(other) ? -1 : 1
}

function tooManyOn(date: string): BankapiError {
  return new BankapiError(
    `There are more than ${MAX_FURTHER_PAGES_OF_A_DAY * pageSize.max} transactions on ${date}`,
    { code: 'too_many_rows', exit: 'usage', hint: 'Ask for one account, or for other dates' },
  )
}
