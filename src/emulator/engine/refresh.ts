/** Refreshes: requested by a caller or made daily by the service, answered account by account or by the time-out. */
import type { ApiError, KnownErrorCode } from '../../contract/errors.ts'
import type { RefreshRefusal } from '../institutions/behaviour.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { OperationRow } from '../store/operations.ts'
import type { StatusChange } from './connection-status.ts'
import {
  applyStatusChange,
  behaviourOf,
  changeStatus,
  connectionAt,
  connectionOnWire,
  errorCodeOf,
  errorFor,
} from './connections.ts'
import { type Engine, isoNow, today } from './engine.ts'
import { ServiceError } from './errors.ts'
import { fail, operationAt, queueOperation, succeed } from './operations.ts'
import { day, scheduleDailyRefresh } from './schedule.ts'

/** Accepts `POST /connections/{connection_id}/refresh`. Throws when there is nothing to refresh or no budget left. */
export function startRefresh(engine: Engine, connection: ConnectionRow): OperationRow {
  const { store, schedule, settings } = engine
  const accounts = store.accounts.ofConnection(connection.seq)
  if (connection.status === 'disconnected' || accounts.length === 0)
    throw new ServiceError('no_refreshable_accounts')
  if (budgetUsed(engine, connection) >= settings.refreshBudget) throw overBudget(engine)

  const operation = queueOperation(engine, connection.tenant, 'account.refresh', connection.seq)
  const refusal = refusalOf(connection)
  if (refusal?.usesBudget !== false) store.operations.countRefresh(connection.seq, today(engine))
  if (refusal) schedule.add(0, { kind: 'refuse_refresh', operation: operation.seq })
  else askBank(engine, connection, operation.seq)
  return operation
}

/** From here on each account's report answers the operation, or the time-out does. */
function askBank(engine: Engine, connection: ConnectionRow, operation: number): void {
  const { store, schedule, settings } = engine
  for (const { seq } of store.accounts.ofConnection(connection.seq)) {
    store.operations.expectReport(operation, seq)
  }
  schedule.add(settings.refreshTimeoutMs, { kind: 'refresh_timeout', operation })
  startSync(engine, connection)
}

/** Schedules the report of each account, spread over the duration of a refresh; `own`: when the service's own began. */
export function startSync(engine: Engine, connection: ConnectionRow, own?: string): void {
  const accounts = engine.store.accounts.ofConnection(connection.seq)
  for (const [index, { seq }] of accounts.entries()) {
    const last = index === accounts.length - 1
    const wait = Math.floor((engine.settings.refreshDurationMs * (index + 1)) / accounts.length)
    const job = { kind: 'account_report', connection: connection.seq, account: seq, last } as const
    engine.schedule.add(wait, own === undefined ? job : { ...job, own })
  }
}

/** Refreshes used today: by the Connection, or by all of its customer's. */
function budgetUsed(engine: Engine, { seq, tenant }: ConnectionRow): number {
  const { store, settings } = engine
  return settings.refreshBudgetScope === 'customer'
    ? store.operations.budgetUsedByCustomer(tenant, today(engine))
    : store.operations.budgetUsed(seq, today(engine))
}

function overBudget({ clock, settings }: Engine): ServiceError {
  const untilMidnight = day - (clock.now() % day)
  const whose = settings.refreshBudgetScope === 'customer' ? 'The' : "The connection's"
  return new ServiceError('rate_limit_exceeded', `${whose} refresh budget for today is used up.`, {
    retryAfter: Math.ceil(untilMidnight / 1000),
  })
}

/** Codes of `last_error` with which a refresh fails at once, as the bank would refuse again: assumed. */
const lastingErrors: readonly KnownErrorCode[] = [
  'credentials_invalid',
  'account_locked_by_institution',
  'mfa_required',
  'institution_unavailable',
]

/** The refusal of a refresh made now, or undefined when the bank will be asked. */
function refusalOf(connection: ConnectionRow): RefreshRefusal | undefined {
  const { refreshRefusal } = behaviourOf(connection)
  if (refreshRefusal || connection.status === 'active') return refreshRefusal
  const code = lastingErrors.find((known) => known === errorCodeOf(connection))
  return code && { code, usesBudget: true }
}

/** Job: a refresh refused at once. No webhook, but for a change of status that goes with the refusal. */
export function refuseRefresh(engine: Engine, operation: number): void {
  const { connection } = operationAt(engine, operation)
  if (connection === null) return
  const row = connectionAt(engine, connection)
  const refusal = refusalOf(row)
  if (!refusal) {
    // The reason went away between the call and the refusal.
    askBank(engine, row, operation)
    return
  }
  const error = errorFor(engine, refusal.code, undefined, refusal.details)
  fail(engine, operation, error)
  if (refusal.trigger) changeStatus(engine, row, refusal.trigger, error)
}

/** Job: the service's own refresh, once a day. A disconnected Connection has none until it is reauthorized. */
export function refreshDaily(engine: Engine, connection: number): void {
  const before = connectionAt(engine, connection)
  if (before.status === 'disconnected') return
  const found = foundDaily(engine, before)
  if (found) applyStatusChange(engine, before, found)
  const row = connectionAt(engine, connection)
  // What only the user can repair waits for the user.
  if (row.status === 'active') refreshByItself(engine, row)
  if (connectionAt(engine, connection).status !== 'disconnected') scheduleDailyRefresh(engine, connection)
}

/** What the bank's behaviour shows at the daily refresh. A failed Connection is active again only when it recovered. */
function foundDaily(engine: Engine, row: ConnectionRow): StatusChange | undefined {
  const behaviour = behaviourOf(row)
  if (!behaviour.hasRecovered(row)) return behaviour.afterLinking
  return row.status === 'failed' && works(engine, row) ? { trigger: 'recovered' } : undefined
}

/** The bank is contacted, refuses nothing, and an account reports. */
function works({ store }: Engine, row: ConnectionRow): boolean {
  const { refreshRefusal, ownRefreshError, accountReport } = behaviourOf(row)
  if (refreshRefusal || ownRefreshError) return false
  const accounts = store.accounts.ofConnection(row.seq)
  return accounts.some((_, index) => accountReport(row, index === accounts.length - 1) === 'succeeded')
}

/** The service's own refresh, which fails where the bank refuses it, or no account reports. */
function refreshByItself(engine: Engine, row: ConnectionRow): void {
  const error = ownRefreshError(row)
  if (error)
    changeStatus(engine, row, 'own_refresh_failed', errorFor(engine, error.code, undefined, error.details))
  // Stopped at the desktop-app check the bank is not asked, so nothing failed.
  else if (!behaviourOf(row).refreshRefusal) startSync(engine, row, isoNow(engine))
}

function ownRefreshError(row: ConnectionRow): Pick<RefreshRefusal, 'code' | 'details'> | undefined {
  const { ownRefreshError: code, refreshRefusal } = behaviourOf(row)
  if (code) return { code }
  return refreshRefusal?.usesBudget ? refreshRefusal : undefined
}

/** The last account's turn in the service's own refresh, begun at `since`: where none has reported it failed. */
export function endOwnRefresh(engine: Engine, connection: number, since: string, silent: boolean): void {
  if (hasReported(engine, connection, since)) return
  const left = Date.parse(since) + engine.settings.refreshTimeoutMs - engine.clock.now()
  if (silent) engine.schedule.add(Math.max(0, left), { kind: 'own_refresh_timeout', connection, since })
  else failOwnRefresh(engine, connection, 'institution_unavailable')
}

/** Job: no account reported in time. */
export function timeOutOwnRefresh(engine: Engine, connection: number, since: string): void {
  if (!hasReported(engine, connection, since)) failOwnRefresh(engine, connection, 'refresh_timed_out')
}

function hasReported({ store }: Engine, connection: number, since: string): boolean {
  return store.accounts
    .ofConnection(connection)
    .some(({ last_refreshed_at: at }) => at !== null && at >= since)
}

function failOwnRefresh(engine: Engine, connection: number, code: KnownErrorCode): void {
  changeStatus(engine, connectionAt(engine, connection), 'own_refresh_failed', errorFor(engine, code))
}

/** An account's report answers every refresh that was waiting when it came, and no later one. */
export function answerRefreshes(
  engine: Engine,
  connection: ConnectionRow,
  account: number,
  error: ApiError | undefined,
): void {
  const { operations } = engine.store
  for (const { seq } of operations.waitingRefreshes(connection.seq)) {
    operations.report(seq, account, error ? 'failed' : 'succeeded', error ? JSON.stringify(error) : null)
    finishWhenAllReported(engine, connection, seq)
  }
}

function finishWhenAllReported(engine: Engine, connection: ConnectionRow, operation: number): void {
  const reports = engine.store.operations.reports(operation)
  if (reports.length === 0 || reports.some(({ outcome }) => outcome === null)) return
  const accounts = reports.flatMap(({ account_id, error }) => {
    if (!error) return []
    const { code, message } = JSON.parse(error) as ApiError
    return [{ id: account_id, code, message }]
  })
  if (accounts.length > 0) {
    fail(engine, operation, errorFor(engine, 'refresh_partially_failed', undefined, { accounts }))
    return
  }
  const row = connectionAt(engine, connection.seq)
  succeed(engine, operation, {
    kind: 'connection',
    connection: { ...connectionOnWire(row), _debug: { source_used: row.source } },
  })
}

/** Job: nobody reported in time. Nothing to do for a refresh that has its outcome. */
export function timeOutRefresh(engine: Engine, operation: number): void {
  fail(engine, operation, errorFor(engine, 'refresh_timed_out'))
}
