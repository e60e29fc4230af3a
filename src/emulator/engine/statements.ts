/** Stores and announces statements, also those made after the link: at the end of a month, or ordered. */
import { addDays, lastOfMonth } from '../catalog/calendar.ts'
import { sumMoney } from '../catalog/money.ts'
import { monthlyStatements } from '../catalog/monthly-statements.ts'
import type { SeededStatement } from '../catalog/seed-rows.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { type Engine, isoNow, today } from './engine.ts'
import { emit } from './events.ts'

export function storeStatement(
  { store }: Engine,
  account: number,
  { id, statement_date, period_start, opening_balance, closing_balance, exported_to }: SeededStatement,
  created_at: string,
): void {
  store.statements.add(account, {
    id,
    statement_date,
    period_start,
    opening_balance,
    closing_balance,
    exported_to,
    created_at,
  })
}

/** Sends the event that a statement's PDF can be downloaded for the first time. */
export function announceStatement(
  engine: Engine,
  tenant: number,
  client_id: string,
  {
    id,
    account_id,
    source,
    statement_date,
  }: Pick<SeededStatement, 'id' | 'account_id' | 'source' | 'statement_date'>,
): void {
  emit(engine, tenant, 'statement.available', {
    statement: { id, account_id, source, statement_date, client_id },
  })
}

/** Months that ended since the last statement get theirs. */
export function storeNewStatements(engine: Engine, row: ConnectionRow, account: AccountRow): void {
  const latest = engine.store.statements.latest(account.seq)
  if (!latest) return
  const through = addDays(today(engine), -1)
  const from = addDays(latest.statement_date, 1)
  if (lastOfMonth(from) > through) return
  const statements = monthlyStatements({
    account,
    transactions: settledRows(engine, account, from, through),
    openingBalance: latest.closing_balance,
    from,
    through,
  })
  for (const statement of statements) {
    storeStatement(engine, account.seq, statement, isoNow(engine))
    announceStatement(engine, row.tenant, row.client_id, statement)
  }
}

/** Stores a statement from the end of the last one to `through`. False when there is nothing to cover. */
export function storeStatementThrough(
  engine: Engine,
  row: ConnectionRow,
  account: AccountRow,
  through: string,
): boolean {
  const latest = engine.store.statements.latest(account.seq)
  if (!latest || latest.statement_date >= through) return false
  const from = addDays(latest.statement_date, 1)
  const amounts = settledRows(engine, account, from, through).map(({ amount }) => amount)
  const statement = {
    id: `stmt_${account.source}_${engine.ids.hex('statement', 16)}`,
    statement_date: through,
    account_id: account.id,
    source: account.source,
    exported_to: null,
    period_start: from,
    opening_balance: latest.closing_balance,
    closing_balance: sumMoney([latest.closing_balance, ...amounts], account.iso_currency_code),
  }
  storeStatement(engine, account.seq, statement, isoNow(engine))
  announceStatement(engine, row.tenant, row.client_id, statement)
  return true
}

function settledRows({ store }: Engine, account: AccountRow, from: string, to: string) {
  const rows = store.transactions.settledBetween(account.seq, from, to)
  return rows.map((row) => ({ ...row, account_id: account.id, pending: false }))
}
