/** One account's report of a sync: its new rows, the state of its bank, and the event that tells. */
import type { ApiError } from '../../contract/errors.ts'
import { addDays } from '../catalog/calendar.ts'
import { sumMoney } from '../catalog/money.ts'
import { transactionsSince } from '../catalog/new-transactions.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { shareOpenedAccounts } from './account-discovery.ts'
import { storeTransaction } from './account-storage.ts'
import { observeBank } from './bank-observation.ts'
import { realized } from './capabilities.ts'
import { changeStatus, connectionAt, errorCodeOf, errorFor } from './connections.ts'
import { type Engine, isoNow, today } from './engine.ts'
import { emit } from './events.ts'
import { storeNewStatements } from './new-statements.ts'
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
    oldest_transaction_date: earliest(account.oldest_transaction_date, fresh),
    last_refreshed_at: now,
    updated_at: now,
  })
  storeNewStatements(engine, row, account)
  return fresh.length
}

function earliest(held: string | null, added: readonly { readonly date: string }[]): string | null {
  const dates = added.map(({ date }) => date)
  const [first = null] = (held === null ? dates : [...dates, held]).sort()
  return first
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
