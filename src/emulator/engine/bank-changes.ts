/** What a bank does to the rows of an account beyond settling them: records, changes, takes back, moves, lets go away. */
import type { AccountRow } from '../store/accounts.ts'
import type { TransactionRow } from '../store/transactions.ts'
import { scheduleSettlement, storeTransaction } from './accounts.ts'
import { type Engine, isoNow, today } from './engine.ts'
import { notFound, ServiceError } from './errors.ts'
import { book, type Manner, type SettledAs } from './settlement.ts'

export interface NewRow extends Pick<Manner, 'quiet'> {
  /** One that another account has, for a bank that gives an id twice. */
  readonly id?: string | undefined
  readonly pending?: boolean | undefined
}

/** Records a new row and returns its id. */
export function record(
  engine: Engine,
  account: AccountRow,
  row: SettledAs & { readonly amount: number },
  { id: given, pending = false, quiet }: NewRow = {},
): string {
  const { ids, store } = engine
  const id = given ?? `txn_${account.source}_${ids.hex('recorded', 16)}`
  if (store.transactions.everOfAccount(account.seq, id)) throw refused(`The account has ${id} already.`)
  const transaction = {
    id,
    account_id: account.id,
    amount: row.amount,
    iso_currency_code: account.iso_currency_code,
    date: row.date ?? today(engine),
    description: row.description ?? 'CARD PURCHASE',
    external_id: account.source.startsWith('AGGREGATOR_') ? ids.uuid('recorded') : null,
    merchant_name: row.merchant_name ?? null,
    category: row.category ?? null,
    pending,
  }
  storeTransaction(engine, account.seq, transaction, isoNow(engine))
  book(engine, account.seq, pending ? 0 : row.amount, quiet)
  return id
}

/** Changes what a row says. */
export function changeRow(
  engine: Engine,
  account: AccountRow,
  row: TransactionRow,
  as: SettledAs,
  { quiet, keeps_place }: Manner = {},
): void {
  const { transactions } = engine.store
  const store = keeps_place ? transactions.change : transactions.record
  store(row.seq, as)
  book(engine, account.seq, row.pending === 1 ? 0 : (as.amount ?? row.amount) - row.amount, quiet)
}

/** The source takes a row back: it is listed no more, and reads as not found. */
export function retract(engine: Engine, account: AccountRow, row: TransactionRow, quiet?: boolean): void {
  engine.store.transactions.retract(row.seq)
  book(engine, account.seq, -settledAmount(row), quiet)
}

/** The row is listed no more, and still reads by its id. */
export function unlist(engine: Engine, account: AccountRow, row: TransactionRow, quiet?: boolean): void {
  engine.store.transactions.unlist(row.seq)
  book(engine, account.seq, -settledAmount(row), quiet)
}

/** A row that was taken back or not listed is there again, with the id it had. */
export function restore(
  engine: Engine,
  account: AccountRow,
  row: TransactionRow,
  { quiet, keeps_place }: Manner = {},
): void {
  const { transactions } = engine.store
  const store = keeps_place ? transactions.change : transactions.record
  store(row.seq, { retracted: 0 })
  if (row.pending === 1) scheduleSettlement(engine, account.seq, row)
  book(engine, account.seq, settledAmount(row), quiet)
}

/** The row belongs to another account from now on, with the id it had. */
export function moveRow(
  engine: Engine,
  from: AccountRow,
  row: TransactionRow,
  to: AccountRow,
  quiet?: boolean,
): void {
  if (engine.store.transactions.everOfAccount(to.seq, row.id))
    throw refused(`${to.id} has ${row.id} already.`)
  engine.store.transactions.record(row.seq, { account: to.seq })
  if (row.pending === 1) scheduleSettlement(engine, to.seq, row)
  book(engine, from.seq, -settledAmount(row), quiet)
  book(engine, to.seq, settledAmount(row), quiet)
}

/** The account goes away at its bank, or comes back as it was. */
export function setGone({ store }: Engine, { seq, gone }: AccountRow, wanted: 0 | 1): void {
  if (gone === wanted) throw refused(wanted === 1 ? 'The account is gone already.' : 'The account is there.')
  store.accounts.change(seq, { gone: wanted })
}

/** The account's row with this id. Throws `not_found` when it has none, or it was taken back. */
export function rowOf({ store }: Engine, account: AccountRow, id: string): TransactionRow {
  const row = store.transactions.ofAccount(account.seq, id)
  if (!row) throw notFound('transaction')
  return row
}

function settledAmount({ pending, amount }: TransactionRow): number {
  return pending === 1 ? 0 : amount
}

export function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message)
}
