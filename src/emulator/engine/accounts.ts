/** Stores accounts with their rows: at the first start, when a bank is linked, when one is opened later. */
import { accountNumber } from '../catalog/account-seed.ts'
import { accountOpenedLater, accountsForLink } from '../catalog/accounts-for-link.ts'
import { addDays } from '../catalog/calendar.ts'
import { transactionsSince } from '../catalog/new-transactions.ts'
import type { AccountSeed, SeededTransaction } from '../catalog/seed-rows.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { institutionOf } from './connections.ts'
import { type Engine, isoNow, today } from './engine.ts'
import { hour } from './schedule.ts'
import { book } from './settlement.ts'
import { storeStatement } from './statements.ts'

export interface Owner {
  readonly tenant: number
  readonly client: number
  readonly connection: number | null
}

/** `recordedAt` says when a row dated so was recorded, for the metrics. Schedules pending charges to settle. */
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

export function storeTransaction(
  engine: Engine,
  account: number,
  row: SeededTransaction,
  created_at: string,
): void {
  const { account_id: _account, ...columns } = row
  engine.store.transactions.add(account, { ...columns, created_at })
  if (row.pending) scheduleSettlement(engine, account, row)
}

/** A charge on hold settles between 20 and 47 hours later. */
export function scheduleSettlement(engine: Engine, account: number, row: { readonly id: string }): void {
  const wait = 20 + (Number.parseInt(row.id.slice(-4), 16) % 28)
  engine.schedule.add(wait * hour, { kind: 'settle', account, transaction_id: row.id })
}

/** The accounts at the bank: offered on the widget, stored when it is finished. The same every time. */
export function accountsAtBank(engine: Engine, row: ConnectionRow): AccountSeed[] {
  return accountsForLink(linkOf(engine, row))
}

/** The input from which the catalog makes the accounts of a Connection. */
function linkOf(engine: Engine, row: ConnectionRow) {
  return {
    institution: { name: institutionOf(row).name, source: row.source },
    bankAccountId: row.bank_account_id,
    clientId: row.client_id,
    connectionId: row.id,
    today: today(engine),
    at: isoNow(engine),
    random: engine.ids.randomFor(`accounts:${row.tenant}:${row.id}:${row.syncs}`),
  }
}

/** The accounts opened at the bank since the link that are not shared yet. The same every time. */
export function openedAccounts(engine: Engine, row: ConnectionRow): AccountSeed[] {
  const { accounts } = engine.store
  const link = linkOf(engine, row)
  const opened: AccountSeed[] = []
  // One that a user left out is offered again, so ids of later ones may be taken.
  for (let position = 1; opened.length < row.unshared_accounts; position += 1) {
    const id = `acc_${row.source}_${accountNumber(row.bank_account_id, position)}`
    if (accounts.find(row.tenant, id) === undefined) opened.push(accountOpenedLater(link, position))
  }
  return opened
}

/** Accounts opened at the bank since the link join the Connection: all of them, or those that `adds` takes. */
export function shareOpenedAccounts(
  engine: Engine,
  row: ConnectionRow,
  adds: (id: string) => boolean = () => true,
): void {
  const { store } = engine
  const now = isoNow(engine)
  const joining = openedAccounts(engine, row).filter(({ account }) => adds(account.id))
  for (const seed of joining)
    storeAccount(engine, { tenant: row.tenant, client: row.client, connection: row.seq }, seed, () => now)
  store.connections.change(row.seq, { unshared_accounts: row.unshared_accounts - joining.length })
}

/** The days before what is held, which change no balance. False when nothing is held, or nothing was booked on them. */
export function backfill(engine: Engine, account: AccountRow, days = 31, quiet = false): boolean {
  const { oldest_transaction_date: oldest } = account
  if (oldest === null) return false
  const older = transactionsSince({
    account,
    from: addDays(oldest, -days - 1),
    to: addDays(oldest, -1),
    random: engine.ids.random('backfill'),
  }).map((row) => ({ ...row, pending: false }))
  for (const row of older) storeTransaction(engine, account.seq, row, isoNow(engine))
  book(engine, account.seq, 0, quiet)
  return older.length > 0
}
