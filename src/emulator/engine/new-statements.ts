/** Statements that come into being after the link: a month ends, or one is made out of turn. */
import { addDays, lastOfMonth } from '../catalog/calendar.ts'
import { sumMoney } from '../catalog/money.ts'
import { monthlyStatements } from '../catalog/monthly-statements.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { announceStatement, storeStatement } from './account-storage.ts'
import { type Engine, isoNow, today } from './engine.ts'

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

/** A statement out of turn, from the end of the last one to `through`. False when there is nothing to cover. */
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
