/** Refreshes: accepted or refused, reported account by account, ended by the last report or the time-out. */
import type { ApiError } from '../../contract/errors.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { OperationRow } from '../store/operations.ts'
import { changeStatus, connectionAt, connectionOnWire, errorFor } from './connections.ts'
import { day, type Engine, today } from './engine.ts'
import { fail, operationAt, queueOperation, succeed } from './operations.ts'
import { Problem } from './problem.ts'
import { refusalOf } from './refresh-refusals.ts'
import { behaviourOf } from './trouble.ts'

/** Accepts `POST /connections/{connection_id}/refresh`. Throws a Problem when there is nothing to refresh or no budget. */
export function startRefresh(engine: Engine, connection: ConnectionRow): OperationRow {
  const { store, agenda, settings } = engine
  const accounts = store.accounts.ofConnection(connection.seq)
  if (connection.status === 'disconnected' || accounts.length === 0)
    throw new Problem('no_refreshable_accounts')
  if (store.operations.budgetUsed(connection.seq, today(engine)) >= settings.refreshBudget)
    throw overBudget(engine)

  const operation = queueOperation(engine, connection.tenant, 'account.refresh', connection.seq)
  const refusal = refusalOf(connection, behaviourOf(connection))
  if (refusal?.usesBudget !== false) store.operations.countRefresh(connection.seq, today(engine))
  if (refusal) {
    agenda.add(0, { kind: 'refuse_refresh', operation: operation.seq })
    return operation
  }
  for (const { seq } of accounts) store.operations.expectReport(operation.seq, seq)
  agenda.add(settings.refreshTimeoutMs, { kind: 'refresh_timeout', operation: operation.seq })
  startSync(engine, connection)
  return operation
}

/** Asks the bank: each account reports in its own time, the last one when the duration is over. */
export function startSync(engine: Engine, connection: ConnectionRow): void {
  if (behaviourOf(connection) === 'silent') return
  const accounts = engine.store.accounts.ofConnection(connection.seq)
  for (const [index, { seq }] of accounts.entries()) {
    const last = index === accounts.length - 1
    const wait = Math.floor((engine.settings.refreshDurationMs * (index + 1)) / accounts.length)
    engine.agenda.add(wait, { kind: 'account_report', connection: connection.seq, account: seq, last })
  }
}

function overBudget({ clock }: Engine): Problem {
  const untilMidnight = day - (clock.now() % day)
  return new Problem('rate_limit_exceeded', "The connection's refresh budget for today is used up.", {
    retryAfter: Math.ceil(untilMidnight / 1000),
  })
}

/** Job: a refresh refused at once. No webhook, but for the status that a missing desktop app changes. */
export function refuseRefresh(engine: Engine, operation: number): void {
  const { connection } = operationAt(engine, operation)
  if (connection === null) return
  const row = connectionAt(engine, connection)
  const refusal = refusalOf(row, behaviourOf(row))
  if (!refusal) {
    // The reason went away between the call and the refusal: the bank is asked after all.
    for (const { seq } of engine.store.accounts.ofConnection(connection)) {
      engine.store.operations.expectReport(operation, seq)
    }
    engine.agenda.add(engine.settings.refreshTimeoutMs, { kind: 'refresh_timeout', operation })
    startSync(engine, row)
    return
  }
  const error = errorFor(engine, refusal.code, undefined, refusal.details)
  fail(engine, operation, error)
  if (refusal.code === 'desktop_app_required') changeStatus(engine, row, 'desktop_app_missing', error)
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
