/** Carries out triggers: changes of state ordered by hand, each with the event that the real change would send. */
import type { KnownErrorCode } from '../../contract/errors.ts'
import { addDays } from '../catalog/calendar.ts'
import { backfill } from '../engine/accounts.ts'
import {
  type ConnectionTrigger,
  memberStatusChanges,
  type StatusChange,
} from '../engine/connection-status.ts'
import { changeStatus, connectionAt, errorCodeOf, errorFor, trackedOf } from '../engine/connections.ts'
import { type Engine, today } from '../engine/engine.ts'
import { invalidFields, notFound, ServiceError } from '../engine/errors.ts'
import { emitTest } from '../engine/events.ts'
import { finishWidget } from '../engine/linking.ts'
import { fail } from '../engine/operations.ts'
import { orderPairing, pairingErrors } from '../engine/pairing.ts'
import { reviewApplication } from '../engine/portal.ts'
import { startSync } from '../engine/refresh.ts'
import { settle } from '../engine/settlement.ts'
import { storeStatementThrough } from '../engine/statements.ts'
import { failReports, observeCapability } from '../engine/sync.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { Environment } from '../store/customers.ts'
import type { Store } from '../store/store.ts'
import type { TriggerOrder } from './trigger-order.ts'

export interface Triggered {
  readonly triggered: string
  readonly connection_id?: string
  readonly status?: string
}

/** Makes the change. Throws a ServiceError when the present state does not allow it. */
export function trigger(engine: Engine, order: TriggerOrder): Triggered {
  if (order.type === 'portal.reviewed') return review(engine, order)
  if (order.type === 'desktop_app.pairing') return orderNextPairing(engine, order)
  if (order.type === 'webhook.test') return testFire(engine, order)
  if (order.connection === undefined) throw missing('connection')
  const row = findConnection(engine.store, order.connection, order.environment)
  changes[order.type](engine, row, order)
  const { id, status } = connectionAt(engine, row.seq)
  return { triggered: order.type, connection_id: id, status }
}

function review(engine: Engine, order: TriggerOrder): Triggered {
  const { environment = 'sandbox', application = 'LIVE', user, decision = 'APPROVED', denial_code } = order
  if (user === undefined) throw missing('user')
  const { status } = reviewApplication(engine, environment, application, user, decision, denial_code)
  return { triggered: order.type, status }
}

function orderNextPairing(engine: Engine, order: TriggerOrder): Triggered {
  const { type, environment = 'sandbox', code = 'pairing_code_invalid' } = order
  const error = pairingErrors.find((known) => known === code)
  if (!error)
    throw invalidFields([{ param: 'code', message: 'is no outcome of a pairing', code: 'invalid_value' }])
  orderPairing(engine, environment, error)
  return { triggered: type }
}

function testFire(engine: Engine, { type, subscription }: TriggerOrder): Triggered {
  for (const { seq } of engine.store.tenants.all()) {
    const row = subscription === undefined ? undefined : engine.store.subscriptions.get(seq, subscription)
    if (row) {
      emitTest(engine, row)
      return { triggered: type }
    }
  }
  throw notFound('webhook subscription')
}

function missing(param: string): ServiceError {
  return invalidFields([{ param, message: 'is needed for this trigger', code: 'required' }])
}

/** Makes one change of a Connection. Throws a ServiceError when its present state does not allow it. */
type Change = (engine: Engine, row: ConnectionRow, order: TriggerOrder) => void

const changes: {
  readonly [Type in Exclude<
    TriggerOrder['type'],
    'webhook.test' | 'portal.reviewed' | 'desktop_app.pairing'
  >]: Change
} = {
  'connection.active'(engine, row) {
    if (row.reached_active === 0) finishWidget(engine, row.seq)
    else move(engine, row, 'reauthorized')
  },
  'connection.requires_action'(engine, row, { code }) {
    const [cause, reason] = requiresAction(row, code)
    move(engine, row, cause, reason)
  },
  'connection.failed': (engine, row, { code = 'institution_unavailable' }) =>
    move(engine, row, 'outage', code),
  /** With a code the service's own refresh failed (A and FDE), without one the source stopped. */
  'connection.disconnected': (engine, row, { code }) =>
    move(engine, row, code === undefined ? 'source_stopped' : 'own_refresh_failed', code),
  'connection.capability_changed': flip,
  'account.refresh.completed': (engine, row) => startSync(engine, row),
  'account.refresh.failed': failReports,
  'statement.available'(engine, row) {
    const [account] = engine.store.accounts.ofConnection(row.seq)
    const made = account && storeStatementThrough(engine, row, account, addDays(today(engine), -1))
    if (!made) throw refused('The account has no statement yet, or one up to yesterday already.')
  },
  /** AGGREGATOR_B's member status changes: `member_status` says to what. */
  'member.status'(engine, row, { member_status = 'DENIED' }) {
    if (row.source !== 'AGGREGATOR_B') throw refused('Only AGGREGATOR_B has member statuses.')
    const { trigger, error }: StatusChange = memberStatusChanges[member_status]
    move(engine, row, trigger, error)
    // Another status than LOCKED says that the lock is gone.
    if (trigger !== 'account_locked') engine.store.connections.change(row.seq, { locked: 0 })
    if (trigger === 'member_healthy') engine.store.connections.change(row.seq, { recovered: 1 })
  },
  /** The bank works again: an account it had locked is active at once, a failed one when the daily refresh finds it. */
  'bank.recovered'(engine, row) {
    engine.store.connections.change(row.seq, { recovered: 1, locked: 0 })
    // A link that the lock kept the user from finishing goes on in the widget.
    if (errorCodeOf(row) === 'account_locked_by_institution' && row.reached_active === 1)
      move(engine, row, 'recovered')
  },
  /** The bank settles the oldest pending charge, or the one named. */
  'transaction.settled': settleOne,
  /** The user opened an account at the bank: a refresh finds it, on AGGREGATOR_A a reauthorize. */
  'account.opened': ({ store }, { seq, unshared_accounts }) =>
    store.connections.change(seq, { unshared_accounts: unshared_accounts + 1 }),
  /** The source reports older history of the first account: its oldest date moves backwards. */
  'account.backfilled'(engine, row) {
    const [account] = engine.store.accounts.ofConnection(row.seq)
    if (!account || !backfill(engine, account)) throw refused('No account has history to add to.')
  },
  /** The desktop app is open now, or the choice about it is made. */
  'desktop_app.connected': ({ store }, { seq }) => store.connections.change(seq, { recovered: 1 }),
  /** The outcome of a waiting refresh cannot be observed. */
  'refresh.outcome_not_observable'(engine, row) {
    for (const { seq } of engine.store.operations.waitingRefreshes(row.seq)) {
      fail(engine, seq, errorFor(engine, 'refresh_outcome_not_observable'))
    }
  },
}

/** The row of the status table that leads to requires_action for this reason. */
function requiresAction(
  row: ConnectionRow,
  code: KnownErrorCode | undefined,
): [ConnectionTrigger, KnownErrorCode] | [ConnectionTrigger] {
  if (row.status === 'initiated') return ['first_signal']
  if (code === 'account_locked_by_institution') return ['account_locked', code]
  if (code === 'mfa_required' && row.source === 'AGGREGATOR_A') return ['mfa_challenge', code]
  return ['credentials_rejected', code ?? 'credentials_invalid']
}

function move(engine: Engine, row: ConnectionRow, cause: ConnectionTrigger, code?: KnownErrorCode): void {
  if (changeStatus(engine, row, cause, code && errorFor(engine, code))) return
  throw refused(`A Connection that is ${row.status} does not change that way.`)
}

/** Observes the new status as many times as a change needs. */
function flip(engine: Engine, row: ConnectionRow, { capability = 'balance', status }: TriggerOrder): void {
  const before = trackedOf(row)[capability].status
  const wanted = status ?? (before === 'failed' ? 'succeeded' : 'failed')
  for (
    let times = 0;
    times < 3 && trackedOf(connectionAt(engine, row.seq))[capability].status !== wanted;
    times += 1
  ) {
    observeCapability(engine, row.seq, capability, wanted)
  }
}

function settleOne(engine: Engine, row: ConnectionRow, { transaction, way }: TriggerOrder): void {
  for (const { seq } of engine.store.accounts.ofConnection(row.seq)) {
    const { transactions } = engine.store
    const charge =
      transaction === undefined ? transactions.oldestPending(seq) : transactions.ofAccount(seq, transaction)
    if (charge?.pending !== 1) continue
    settle(engine, seq, charge.id, way)
    return
  }
  throw refused('The Connection has no such pending charge.')
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message)
}

/** A Connection of any customer, by either form of id, in the sandbox before live. Throws `not_found`. */
export function findConnection(store: Store, id: string, environment?: Environment): ConnectionRow {
  for (const tenant of store.tenants.all()) {
    if (environment !== undefined && tenant.environment !== environment) continue
    const row = store.connections.find(tenant.seq, id)
    if (row) return row
  }
  throw notFound('Connection')
}
