/** Carries out what a bank is ordered to do. */
import { backfill } from '../engine/accounts.ts'
import {
  changeRow,
  moveRow,
  record,
  refused,
  restore,
  retract,
  rowOf,
  setGone,
  unlist,
} from '../engine/bank-changes.ts'
import type { Engine } from '../engine/engine.ts'
import { notFound } from '../engine/errors.ts'
import { relink } from '../engine/relink.ts'
import {
  atThePump,
  book,
  dropCharge,
  reissue,
  type SettledAs,
  settleInPlace,
  withTip,
} from '../engine/settlement.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { Environment } from '../store/customers.ts'
import type { Store } from '../store/store.ts'
import type { TransactionRow } from '../store/transactions.ts'
import type { BankOrder } from './bank-order.ts'
import { findConnection } from './triggers.ts'

export interface BankChange {
  readonly change: BankOrder['change']
  readonly account_id?: string
  /** The row that was changed, or that is new. */
  readonly transaction_id?: string
  /** The new Connection. */
  readonly connection_id?: string
  /** How many rows were recorded again. */
  readonly count?: number
}

/** Makes the change. Throws a ServiceError when there is no such row, or its state does not allow it. */
export function changeAtBank(engine: Engine, order: BankOrder): BankChange {
  const { change, environment } = order
  if (change === 'relink') {
    const old = findConnection(engine.store, order.connection, environment)
    if (old.reached_active === 0) throw refused('The Connection is not linked yet.')
    return { change, connection_id: relink(engine, old, order).id }
  }
  const account = findAccount(engine.store, order.account, environment)
  return { change, account_id: account.id, ...changeOf(engine, account, order) }
}

type OnAccount = Exclude<BankOrder, { change: 'relink' }>

function changeOf(
  engine: Engine,
  account: AccountRow,
  order: OnAccount,
): Pick<BankChange, 'transaction_id' | 'count'> {
  switch (order.change) {
    case 'record':
      return { transaction_id: record(engine, account, { ...said(order), amount: order.amount }, order) }
    case 'settle': {
      const charge = pendingOf(engine, account, order.transaction)
      settleInPlace(engine, account.seq, charge, said(order), order)
      return { transaction_id: charge.id }
    }
    case 'reissue': {
      if (order.overlap_ms !== undefined && order.gap_ms !== undefined)
        throw refused('A reissued charge overlaps with the pending one or leaves a gap, not both.')
      const charge = pendingOf(engine, account, order.transaction)
      const as = { ...settledAmount(engine, charge, order.as), ...said(order) }
      return { transaction_id: reissue(engine, account.seq, charge, as, order) }
    }
    case 'drop': {
      const { id } = pendingOf(engine, account, order.transaction)
      dropCharge(engine, account.seq, id, order.quiet ?? false)
      return { transaction_id: id }
    }
    case 'edit':
      changeRow(engine, account, rowOf(engine, account, order.transaction), said(order), order)
      return { transaction_id: order.transaction }
    case 'retract':
      retract(engine, account, rowOf(engine, account, order.transaction), order.quiet)
      return { transaction_id: order.transaction }
    case 'unlist':
      unlist(engine, account, rowOf(engine, account, order.transaction), order.quiet)
      return { transaction_id: order.transaction }
    case 'restore':
      restore(engine, account, takenOf(engine, account, order.transaction), order)
      return { transaction_id: order.transaction }
    case 'move': {
      const to = findAccount(engine.store, order.to, order.environment)
      if (to.client !== account.client) throw refused('Both accounts belong to one Client.')
      moveRow(engine, account, rowOf(engine, account, order.transaction), to, order.quiet)
      return { transaction_id: order.transaction }
    }
    case 'rerecord': {
      const count = engine.store.transactions.recordAgain(account.seq, order.count ?? 1)
      book(engine, account.seq, 0, order.quiet)
      return { count }
    }
    case 'backfill':
      if (!backfill(engine, account, order.days, order.quiet))
        throw refused('The account has no history to add to.')
      return {}
    case 'close':
      setGone(engine, account, 1)
      return {}
    case 'reopen':
      setGone(engine, account, 0)
      return {}
  }
}

/** What the order says of the row, without what it leaves as it is. */
function said({
  amount,
  date,
  description,
  merchant_name,
  category,
}: { readonly [K in keyof SettledAs]: SettledAs[K] | undefined }): SettledAs {
  const fields = Object.entries({ amount, date, description, merchant_name, category })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function settledAmount(engine: Engine, charge: TransactionRow, as: 'same' | 'tip' | 'fuel' = 'same') {
  if (as === 'same') return {}
  return { amount: as === 'tip' ? withTip(engine, charge) : atThePump(engine, charge) }
}

/** The charge named, or the account's oldest. */
function pendingOf(engine: Engine, account: AccountRow, id: string | undefined): TransactionRow {
  const charge =
    id === undefined ? engine.store.transactions.oldestPending(account.seq) : rowOf(engine, account, id)
  if (charge?.pending !== 1) throw refused('The account has no such pending charge.')
  return charge
}

/** A row that is not listed. */
function takenOf({ store }: Engine, account: AccountRow, id: string): TransactionRow {
  if (store.transactions.ofAccount(account.seq, id)) throw refused('The transaction is listed.')
  const row = store.transactions.everOfAccount(account.seq, id)
  if (!row) throw notFound('transaction')
  return row
}

/** An account of any customer, in the sandbox before live. Throws `not_found`. */
function findAccount(store: Store, id: string, environment?: Environment): AccountRow {
  for (const tenant of store.tenants.all()) {
    if (environment !== undefined && tenant.environment !== environment) continue
    const row = store.accounts.find(tenant.seq, id)
    if (row) return row
  }
  throw notFound('account')
}
