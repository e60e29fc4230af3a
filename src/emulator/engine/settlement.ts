/** Settles pending transactions: in place, or dropped and reissued under a new id. */
import { sumMoney } from '../catalog/money.ts'
import type { TransactionRow } from '../store/transactions.ts'
import { type Engine, isoNow, today } from './engine.ts'

export type Settlement = 'in_place' | 'reissued'

/** Job: the bank settles a charge, in a way that follows from its id, so that both ways occur. */
export function settle(
  engine: Engine,
  account: number,
  transactionId: string,
  way: Settlement = wayOf(transactionId),
): void {
  const { store } = engine
  const row = store.transactions.ofAccount(account, transactionId)
  if (!row || row.pending === 0) return
  if (way === 'in_place') store.transactions.record(row.seq, { pending: false })
  else reissue(engine, account, row)
  const holder = store.accounts.bySeq(account)
  if (!holder) return
  const { current_balance, iso_currency_code } = holder
  store.accounts.change(account, {
    current_balance:
      current_balance === null ? null : sumMoney([current_balance, row.amount], iso_currency_code),
    oldest_transaction_date: store.transactions.dates(account).oldest,
    updated_at: isoNow(engine),
  })
}

function reissue(engine: Engine, account: number, row: TransactionRow): void {
  const { seq, id, ...charge } = row
  engine.store.transactions.retract(seq)
  const prefix = id.slice(0, id.lastIndexOf('_') + 1)
  engine.store.transactions.add(account, {
    ...charge,
    id: `${prefix}${engine.ids.hex('reissued', 16)}`,
    date: today(engine),
    pending: false,
    created_at: isoNow(engine),
  })
}

function wayOf(id: string): Settlement {
  return Number.parseInt(id.slice(-1), 16) % 2 === 0 ? 'in_place' : 'reissued'
}
