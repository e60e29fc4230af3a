/** Takes in the report of one account: new rows, the capabilities observed, and the events. */
import type { ApiError } from '../../contract/errors.ts'
import { type Capability, capabilities } from '../../contract/shapes.ts'
import { addDays } from '../catalog/calendar.ts'
import { sumMoney } from '../catalog/money.ts'
import { transactionsSince } from '../catalog/new-transactions.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { shareOpenedAccounts, storeTransaction } from './accounts.ts'
import { isUnsupported, observe, realized, type Tracked } from './capabilities.ts'
import {
  behaviourOf,
  changeStatus,
  connectionAt,
  errorCodeOf,
  errorFor,
  eventConnection,
  trackedOf,
} from './connections.ts'
import { type Engine, isoNow, today } from './engine.ts'
import { emit } from './events.ts'
import { answerRefreshes, endOwnRefresh } from './refresh.ts'
import { day, type Job } from './schedule.ts'
import { storeNewStatements } from './statements.ts'

type AccountReport = Extract<Job, { kind: 'account_report' }>

/** Job: an account reports. The last one of a sync also brings the state of the bank. */
export function reportAccount(engine: Engine, { connection, account, last, own }: AccountReport): void {
  const { store } = engine
  const row = connectionAt(engine, connection)
  const before = store.accounts.bySeq(account)
  // Disconnected while the bank was being asked.
  if (!before || row.status === 'disconnected') return
  const report = behaviourOf(row).accountReport(row, last)
  if (report !== 'none') takeIn(engine, row, before, { failing: report === 'failed', last })
  if (last && own !== undefined) endOwnRefresh(engine, connection, own, report === 'none')
}

function takeIn(
  engine: Engine,
  row: ConnectionRow,
  account: AccountRow,
  { failing, last }: { readonly failing: boolean; readonly last: boolean },
): void {
  const error = failing
    ? errorFor(engine, 'institution_unavailable', 'The bank did not report this account.')
    : undefined
  // An account that went away has nothing to report.
  const there = account.gone === 0
  const added = failing || !there ? 0 : storeReport(engine, row, account)
  if (last) endSync(engine, row)
  if (there) emitReport(engine, row, account.seq, added, error)
  answerRefreshes(engine, row, account.seq, error)
}

/** Every account fails to report, which answers the refreshes that wait. */
export function failReports(engine: Engine, row: ConnectionRow): void {
  const error = errorFor(engine, 'institution_unavailable', 'The bank did not report this account.')
  for (const { seq } of engine.store.accounts.ofConnection(row.seq)) {
    emitReport(engine, row, seq, 0, error)
    answerRefreshes(engine, row, seq, error)
  }
}

/** Stores the new rows of an account and returns the number of new transactions. */
function storeReport(engine: Engine, row: ConnectionRow, account: AccountRow): number {
  const { store } = engine
  const now = isoNow(engine)
  const yesterday = addDays(today(engine), -1)
  const reported = account.last_refreshed_at?.slice(0, 10)
  const silent = row.replaced === 1 || isUnsupported(row.capabilities, 'transactions')
  const fresh = silent
    ? []
    : transactionsSince({
        account,
        from: reported === undefined || reported > yesterday ? yesterday : reported,
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
    // A pending charge lowers what is available.
    available_balance: available === null ? null : sumMoney([available, ...spent], currency),
    oldest_transaction_date: earliest(account.oldest_transaction_date, fresh),
    last_refreshed_at: now,
    updated_at: now,
  })
  if (row.replaced === 0) storeNewStatements(engine, row, account)
  return fresh.length
}

function earliest(held: string | null, added: readonly { readonly date: string }[]): string | null {
  const dates = added.map(({ date }) => date)
  const [first = null] = (held === null ? dates : [...dates, held]).sort()
  return first
}

function emitReport(
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

/** Takes in the state of the whole bank: its capabilities, accounts opened since, and its recovery. */
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

/** Takes in the state in which the bank's capabilities were seen. */
function observeBank(engine: Engine, row: ConnectionRow): void {
  const behaviour = behaviourOf(row)
  for (const capability of capabilities) {
    if (trackedOf(row)[capability].status === 'unsupported') continue
    observeCapability(engine, row.seq, capability, behaviour.observedCapability(row, capability))
  }
}

/** Takes an observation in, with the event of a real change on an active Connection. */
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
