/** One account's report of a sync: its new rows, the state of its bank, and the event that tells. */
import type { ApiError } from '../../contract/errors.ts'
import { type Capability, capabilities } from '../../contract/shapes.ts'
import { accountOpenedLater } from '../catalog/accounts-for-link.ts'
import { addDays, lastOfMonth } from '../catalog/calendar.ts'
import { sumMoney } from '../catalog/money.ts'
import { monthlyStatements } from '../catalog/monthly-statements.ts'
import { transactionsSince } from '../catalog/new-transactions.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { announceStatement, storeAccount, storeStatement, storeTransaction } from './account-storage.ts'
import { observe, realized, type Tracked } from './capabilities.ts'
import {
  changeStatus,
  connectionAt,
  errorCodeOf,
  errorFor,
  eventConnection,
  trackedOf,
} from './connections.ts'
import { day, type Engine, isoNow, today } from './engine.ts'
import { emit } from './events.ts'
import { linkOf } from './linking.ts'
import { answerRefreshes } from './refresh.ts'
import { behaviourOf } from './trouble.ts'

/** Job: an account reports. The last one of a sync also tells how the bank is doing. */
export function reportAccount(engine: Engine, connection: number, account: number, last: boolean): void {
  const { store } = engine
  const row = connectionAt(engine, connection)
  const before = store.accounts.bySeq(account)
  // Access ended while the bank was being asked.
  if (!before || row.status === 'disconnected') return
  const failing = last && behaviourOf(row) === 'partial'
  const error = failing
    ? errorFor(engine, 'institution_unavailable', 'The bank did not report this account.')
    : undefined
  const added = failing ? 0 : takeIn(engine, row, before)
  if (last) endSync(engine, row)
  tell(engine, row, account, added, error)
  answerRefreshes(engine, row, account, error)
}

/** Every account fails to report, which answers the refreshes that wait. */
export function failReports(engine: Engine, row: ConnectionRow): void {
  const error = errorFor(engine, 'institution_unavailable', 'The bank did not report this account.')
  for (const { seq } of engine.store.accounts.ofConnection(row.seq)) {
    tell(engine, row, seq, 0, error)
    answerRefreshes(engine, row, seq, error)
  }
}

/** Stores what the account has new and returns how many transactions that was. */
function takeIn(engine: Engine, row: ConnectionRow, account: AccountRow): number {
  const { store } = engine
  const now = isoNow(engine)
  const yesterday = addDays(today(engine), -1)
  const reported = account.last_refreshed_at?.slice(0, 10) ?? yesterday
  const fresh = transactionsSince({
    account,
    from: reported < yesterday ? reported : yesterday,
    to: today(engine),
    random: engine.ids.random('new-transactions'),
  })
  for (const transaction of fresh) storeTransaction(engine, account.seq, transaction, now)
  const settled = fresh.filter(({ pending }) => !pending).map(({ amount }) => amount)
  const balance = account.current_balance
  const { iso_currency_code: currency, available_balance: available } = account
  const spent = fresh.map(({ amount }) => amount)
  store.accounts.change(account.seq, {
    current_balance: balance === null ? null : sumMoney([balance, ...settled], currency),
    // What is on hold cannot be spent either.
    available_balance: available === null ? null : sumMoney([available, ...spent], currency),
    oldest_transaction_date: store.transactions.dates(account.seq).oldest,
    last_refreshed_at: now,
    updated_at: now,
  })
  storeNewStatements(engine, row, account)
  return fresh.length
}

/** Months that ended since the last statement get theirs. */
function storeNewStatements(engine: Engine, row: ConnectionRow, account: AccountRow): void {
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

function tell(
  engine: Engine,
  connection: ConnectionRow,
  account: number,
  added: number,
  error: ApiError | undefined,
): void {
  const after = engine.store.accounts.bySeq(account)
  if (!after) return
  const { id, iso_currency_code, current_balance, available_balance } = after
  const whose = { id, connection_id: connection.id, client_id: connection.client_id }
  if (error) {
    emit(engine, connection.tenant, 'account.refresh.failed', { account: { ...whose, error } })
    return
  }
  const money = (amount: number) => ({ amount, iso_currency_code })
  emit(engine, connection.tenant, 'account.refresh.completed', {
    account: {
      ...whose,
      new_transaction_count: added,
      ...(current_balance === null ? {} : { current_balance: money(current_balance) }),
      ...(available_balance === null ? {} : { available_balance: money(available_balance) }),
      realized_capabilities: realized(connectionAt(engine, connection.seq).capabilities),
    },
  })
}

/** What the whole bank showed in a sync: its capabilities, accounts opened since, and that it is well again. */
function endSync(engine: Engine, row: ConnectionRow): void {
  const { store } = engine
  store.connections.change(row.seq, { last_refreshed_at: isoNow(engine), syncs: row.syncs + 1 })
  observeBank(engine, row)
  // On AGGREGATOR_A a new account has to be shared by the user: reauthorize.
  if (row.source !== 'AGGREGATOR_A') shareOpenedAccounts(engine, row)
  // The desktop app was there this time.
  if (row.status === 'requires_action' && errorCodeOf(row) === 'desktop_app_required') {
    changeStatus(engine, connectionAt(engine, row.seq), 'recovered')
  }
}

/** A flaky bank's balance fails in its first three syncs after the link and works from then on. */
function observeBank(engine: Engine, row: ConnectionRow): void {
  const flaky = behaviourOf(row) === 'flaky' && row.syncs < 3
  for (const capability of capabilities) {
    if (trackedOf(row)[capability].status === 'unsupported') continue
    observeCapability(engine, row.seq, capability, flaky && capability === 'balance' ? 'failed' : 'succeeded')
  }
}

/** Takes an observation in; tells of a real change on an active Connection. */
export function observeCapability(
  engine: Engine,
  connection: number,
  capability: Capability,
  status: Tracked['status'],
): void {
  const row = connectionAt(engine, connection)
  const tracked = trackedOf(row)
  const { after, change } = observe(tracked[capability], {
    status,
    at: isoNow(engine),
    nextRefreshAfter: isoNow(engine, day),
    ...(status === 'failed' ? { error: errorFor(engine, 'source_internal_error') } : {}),
  })
  engine.store.connections.change(connection, {
    capabilities: JSON.stringify({ ...tracked, [capability]: after }),
  })
  if (!change || row.status !== 'active') return
  emit(engine, row.tenant, 'connection.capability_changed', {
    connection: eventConnection(row),
    change: { capability, ...change },
  })
}

/** Accounts opened at the bank since the link join the Connection. */
export function shareOpenedAccounts(engine: Engine, row: ConnectionRow): void {
  const { store } = engine
  const held = store.accounts.ofConnection(row.seq).length
  const now = isoNow(engine)
  for (let count = 1; count <= row.unshared_accounts; count += 1) {
    const seed = accountOpenedLater(linkOf(engine, row), held + count)
    storeAccount(engine, { tenant: row.tenant, client: row.client, connection: row.seq }, seed, () => now)
  }
  store.connections.change(row.seq, { unshared_accounts: 0 })
}
