/** Handlers of transactions. */
import type { transactions as contract, Transaction } from '../../contract/transactions.ts'
import { isUnsupported } from '../engine/capabilities.ts'
import { notFound } from '../engine/errors.ts'
import { pageOf } from '../engine/paging.ts'
import type { TransactionRow } from '../store/transactions.ts'
import { accountOf, type Handlers } from './handler.ts'

export const transactions: Handlers<typeof contract> = {
  list({ account_id, client_id, from, to, ...page }, call) {
    const account = accountOf(call, client_id, account_id)
    return pageOf(
      call.engine,
      ['transactions', account.seq, from, to],
      page,
      (slice) =>
        isUnsupported(account.capabilities, 'transactions')
          ? []
          : call.engine.store.transactions.list(account.seq, { from, to }, slice),
      (row) => onWire(row, account.id),
    )
  },

  get({ transaction_id, client_id }, { engine, tenant }) {
    const row = engine.store.transactions.get(tenant.seq, client_id, transaction_id)
    if (!row || isUnsupported(row.capabilities, 'transactions')) throw notFound('transaction')
    return onWire(row, row.account_id)
  },
}

function onWire(row: TransactionRow, account_id: string): Transaction {
  const { external_id, merchant_name, category } = row
  return {
    id: row.id,
    account_id,
    amount: row.amount,
    iso_currency_code: row.iso_currency_code,
    date: row.date,
    description: row.description,
    // Without withoutNulls: a page has hundreds of them.
    ...(external_id === null ? {} : { external_id }),
    ...(merchant_name === null ? {} : { merchant_name }),
    ...(category === null ? {} : { category }),
    pending: row.pending === 1,
  }
}
