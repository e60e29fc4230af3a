/** Puts an account with its rows into the store: at the start, when a bank is linked, when one is opened later. */
import type { AccountSeed, StatementRow, TransactionRow } from '../catalog/world.ts'
import { type Engine, hour } from './engine.ts'
import { emit } from './events.ts'

export interface Owner {
  readonly tenant: number
  readonly client: number
  readonly connection: number | null
}

/** `recordedAt` says when a row dated so was recorded, for the metrics. Pending charges are put on the agenda to settle. */
export function storeAccount(
  engine: Engine,
  { tenant, client, connection }: Owner,
  seed: AccountSeed,
  recordedAt: (date: string) => string,
): number {
  const { store } = engine
  const { client_id: _client, connection_id: _connection, liabilities, ...account } = seed.account
  const seq = store.accounts.add(tenant, client, {
    ...account,
    connection,
    liabilities: liabilities && JSON.stringify(liabilities),
  })
  for (const transaction of seed.transactions) {
    storeTransaction(engine, seq, transaction, recordedAt(transaction.date))
  }
  for (const statement of seed.statements) {
    storeStatement(engine, seq, statement, recordedAt(statement.statement_date))
  }
  for (const { id, check_number, amount, pay_to, description, transaction_date, ocr } of seed.checks) {
    const read = ocr ? JSON.stringify(ocr) : null
    store.checks.add(seq, { id, check_number, amount, pay_to, description, transaction_date, ocr: read })
  }
  return seq
}

/** A charge on hold settles between 20 and 47 hours later. */
export function storeTransaction(
  engine: Engine,
  account: number,
  row: TransactionRow,
  created_at: string,
): void {
  const { account_id: _account, ...columns } = row
  engine.store.transactions.add(account, { ...columns, created_at })
  if (!row.pending) return
  const wait = 20 + (Number.parseInt(row.id.slice(-4), 16) % 28)
  engine.agenda.add(wait * hour, { kind: 'settle', account, transaction_id: row.id })
}

export function storeStatement(
  { store }: Engine,
  account: number,
  { id, statement_date, period_start, opening_balance, closing_balance, exported_to }: StatementRow,
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

/** Tells that a statement's PDF can be downloaded for the first time. */
export function announceStatement(
  engine: Engine,
  tenant: number,
  client_id: string,
  {
    id,
    account_id,
    source,
    statement_date,
  }: Pick<StatementRow, 'id' | 'account_id' | 'source' | 'statement_date'>,
): void {
  emit(engine, tenant, 'statement.available', {
    statement: { id, account_id, source, statement_date, client_id },
  })
}
