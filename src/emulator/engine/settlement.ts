/** Settles pending transactions: in place, or dropped and reissued under a new id. */
import { decimalsOf, sumMoney } from '../catalog/money.ts'
import type { TransactionChanges, TransactionRow } from '../store/transactions.ts'
import { type Engine, isoNow } from './engine.ts'

export type Settlement = 'in_place' | 'reissued'

/** What the settled charge says; what is left out stays as it was. */
export type SettledAs = Pick<
  TransactionChanges,
  'amount' | 'date' | 'description' | 'merchant_name' | 'category'
>

export interface Manner {
  /** The account's `updated_at` and balance do not show that anything changed. */
  readonly quiet?: boolean | undefined
  /** The row stays at its place in the list, as if it had not been recorded again. */
  readonly keeps_place?: boolean | undefined
}

export interface Reissue extends Manner {
  /** Milliseconds in which both are there: the pending charge is dropped so long after the settled one appeared. */
  readonly overlap_ms?: number | undefined
  /** Milliseconds in which neither is: the settled one appears so long after the pending charge was dropped. */
  readonly gap_ms?: number | undefined
}

/** Job: the bank settles a charge, in a way that follows from its id, so that both ways occur. */
export function settle(
  engine: Engine,
  account: number,
  transactionId: string,
  way: Settlement = wayOf(transactionId),
): void {
  const row = engine.store.transactions.ofAccount(account, transactionId)
  if (!row || row.pending === 0) return
  // Reissued already: both are there until it is dropped.
  if (
    engine.schedule.has(dropOf(account, row.id, false)) ||
    engine.schedule.has(dropOf(account, row.id, true))
  )
    return
  if (way === 'in_place') settleInPlace(engine, account, row)
  else reissue(engine, account, row)
}

export function settleInPlace(
  engine: Engine,
  account: number,
  row: TransactionRow,
  as: SettledAs = {},
  { quiet, keeps_place }: Manner = {},
): void {
  const { transactions } = engine.store
  const store = keeps_place ? transactions.change : transactions.record
  store(row.seq, { ...as, pending: false })
  book(engine, account, as.amount ?? row.amount, quiet)
}

/** Drops a charge and records a settled one with its own id, `external_id`, text and date. Returns the new id. */
export function reissue(
  engine: Engine,
  account: number,
  row: TransactionRow,
  as: SettledAs = {},
  { quiet = false, overlap_ms, gap_ms }: Reissue = {},
): string {
  const { ids, schedule, store } = engine
  const { seq, id, pending: _pending, ...charge } = row
  const settled = {
    ...charge,
    description: settledText(charge),
    // Unless it is said, the day on which it appears.
    date: isoNow(engine, gap_ms).slice(0, 10),
    ...as,
    id: `${id.slice(0, id.lastIndexOf('_') + 1)}${ids.hex('reissued', 16)}`,
    external_id: charge.external_id === null ? null : ids.uuid('reissued'),
  }
  if (overlap_ms === undefined) store.transactions.retract(seq)
  else schedule.add(overlap_ms, dropOf(account, id, quiet))
  if (gap_ms === undefined) appear(engine, account, settled, quiet)
  else {
    schedule.add(gap_ms, { kind: 'reissue', account, settled, quiet })
    book(engine, account, 0, quiet)
  }
  return settled.id
}

/** Job: the settled charge that a bank reissues. */
export function appear(
  engine: Engine,
  account: number,
  settled: Omit<TransactionRow, 'seq' | 'pending'>,
  quiet: boolean,
): void {
  engine.store.transactions.add(account, { ...settled, pending: false, created_at: isoNow(engine) })
  book(engine, account, settled.amount, quiet)
}

/** Job: the bank drops a charge, for good or because it was reissued. Not one that was settled meanwhile. */
export function dropCharge(engine: Engine, account: number, id: string, quiet: boolean): void {
  const row = engine.store.transactions.ofAccount(account, id)
  if (row?.pending !== 1) return
  engine.store.transactions.retract(row.seq)
  book(engine, account, 0, quiet)
}

function dropOf(account: number, transaction_id: string, quiet: boolean) {
  return { kind: 'drop_charge', account, transaction_id, quiet } as const
}

/** Adds what was settled to the account's balance, and says that it changed, unless quietly. */
export function book(engine: Engine, account: number, amount: number, quiet = false): void {
  const { store } = engine
  const holder = store.accounts.bySeq(account)
  if (!holder) return
  const { current_balance: balance, iso_currency_code } = holder
  store.accounts.change(account, {
    oldest_transaction_date: store.transactions.dates(account).oldest,
    ...(quiet
      ? {}
      : {
          current_balance: balance === null ? null : sumMoney([balance, amount], iso_currency_code),
          updated_at: isoNow(engine),
        }),
  })
}

/** A bank's text for a settled charge names the day on which the card was used. */
function settledText({ description, date }: Pick<TransactionRow, 'description' | 'date'>): string {
  return `${description} ${date.slice(5, 7)}/${date.slice(8, 10)}`
}

/** The charge with a tip, 100 to 130 % of what was held; both bounds in the currency's smallest unit. */
export function withTip(engine: Engine, { amount, iso_currency_code }: TransactionRow): number {
  return drawn(engine, amount, iso_currency_code, 1, 1.3)
}

/** What was filled in at the pump: the hold says nothing about it. */
export function atThePump(engine: Engine, { amount, iso_currency_code }: TransactionRow): number {
  return drawn(engine, amount, iso_currency_code, 0.1, 90)
}

/** Between two multiples of an amount, with its sign. */
function drawn(engine: Engine, amount: number, currency: string, least: number, most: number): number {
  const factor = 10 ** decimalsOf(currency)
  const held = Math.round(Math.abs(amount) * factor)
  const units = engine.ids
    .random('settled-amount')
    .int(Math.ceil(held * least), Math.max(Math.ceil(held * least), Math.floor(held * most)))
  return (Math.sign(amount) * units) / factor
}

function wayOf(id: string): Settlement {
  return Number.parseInt(id.slice(-1), 16) % 2 === 0 ? 'in_place' : 'reissued'
}
