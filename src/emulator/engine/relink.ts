/** Links a bank a second time: a new Connection, on which the same accounts and their history are there under new ids. */
import { accountNumber } from '../catalog/account-seed.ts'
import { addDays } from '../catalog/calendar.ts'
import type { AccountSeed } from '../catalog/seed-rows.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { changeStatus, institutionOf } from './connections.ts'
import { type Engine, today } from './engine.ts'
import { finishWidget, initiateOnPage } from './linking.ts'

export interface Relink {
  /** The new Connection's history begins so many days ago; without it, it is as long as the old one's. */
  readonly days?: number | undefined
  /** The old Connection keeps its status; without it, its source stops. Either way nothing new is reported there. */
  readonly keep_old?: boolean | undefined
}

/** The user links the bank of a Connection again. Returns the new one. */
export function relink(engine: Engine, old: ConnectionRow, { days, keep_old }: Relink = {}): ConnectionRow {
  const { store } = engine
  const from = days === undefined ? '' : addDays(today(engine), -days)
  const { tenant, client } = old
  const link = { tenant, client: { seq: client }, institution: institutionOf(old), redirectUrl: null }
  const token = initiateOnPage(engine, link)
  const added = store.connections.byWidgetToken(token)
  if (!added) throw new Error('the connection just added is gone')
  const accounts = store.accounts.ofConnection(old.seq)
  const linked = finishWidget(engine, added.seq, (row) =>
    accounts.map((account, index) => copy(engine, account, row, index + 1, from)),
  )
  store.connections.change(old.seq, { replaced: 1 })
  if (!keep_old) changeStatus(engine, old, 'source_stopped')
  return linked
}

/** The account under new ids, with its transactions since `from`, its statements and checks. */
function copy(
  engine: Engine,
  { seq, name, liabilities, ...old }: AccountRow,
  connection: ConnectionRow,
  position: number,
  from: string,
): AccountSeed {
  const { ids, store } = engine
  const { source } = old
  const id = `acc_${source}_${accountNumber(connection.bank_account_id, position)}`
  const transactions = store.transactions.recordedSince(seq, from).map((row) => ({
    account_id: id,
    id: `txn_${source}_${ids.hex('relinked', 16)}`,
    amount: row.amount,
    iso_currency_code: row.iso_currency_code,
    date: row.date,
    description: row.description,
    external_id: row.external_id === null ? null : ids.uuid('relinked'),
    merchant_name: row.merchant_name,
    category: row.category,
    pending: row.pending === 1,
  }))
  const { created_at, updated_at } = connection
  return {
    account: {
      id,
      source,
      type: old.type,
      subtype: old.subtype,
      iso_currency_code: old.iso_currency_code,
      connection_id: connection.id,
      client_id: connection.client_id,
      name: name ?? 'Account',
      mask: old.mask,
      current_balance: old.current_balance,
      available_balance: old.available_balance,
      last_refreshed_at: created_at,
      oldest_transaction_date: transactions.map(({ date }) => date).sort()[0] ?? null,
      liabilities: liabilities ? JSON.parse(liabilities) : null,
      created_at,
      updated_at,
    },
    transactions,
    statements: store.statements.ofAccount(seq).map((row) => ({
      id: `stmt_${source}_${ids.hex('relinked', 16)}`,
      account_id: id,
      source,
      statement_date: row.statement_date,
      period_start: row.period_start,
      opening_balance: row.opening_balance,
      closing_balance: row.closing_balance,
      exported_to: row.exported_to,
    })),
    checks: store.checks.ofAccount(seq).map(({ ocr, ...row }) => ({
      id: `chk_${source}_${ids.hex('relinked', 16)}`,
      account_id: id,
      source,
      check_number: row.check_number,
      amount: row.amount,
      pay_to: row.pay_to,
      description: row.description,
      transaction_date: row.transaction_date,
      ...(ocr === null ? {} : { ocr: JSON.parse(ocr) }),
    })),
  }
}
