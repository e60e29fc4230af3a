/** Real changes of state, ordered by hand: each happens as if its cause had, with its event. */
import { z } from 'zod'
import { errorCodes, type KnownErrorCode } from '../../contract/errors.ts'
import { eventTypes } from '../../contract/events.ts'
import { Capability, CapabilityStatus } from '../../contract/shapes.ts'
import { addDays } from '../catalog/calendar.ts'
import type { ConnectionTrigger } from '../engine/connection-status.ts'
import { changeStatus, connectionAt, errorFor, trackedOf } from '../engine/connections.ts'
import { type Engine, today } from '../engine/engine.ts'
import { emitTest } from '../engine/events.ts'
import { finishWidget } from '../engine/linking.ts'
import { type MemberStatus, meaningOf, memberStatuses } from '../engine/member-status.ts'
import { fail } from '../engine/operations.ts'
import { reviewApplication } from '../engine/portal.ts'
import { notFound, Problem } from '../engine/problem.ts'
import { startSync } from '../engine/refresh.ts'
import { settle } from '../engine/settlement.ts'
import { failReports, observeCapability, storeStatementThrough } from '../engine/sync.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { findConnection } from './connection-lookup.ts'

const otherTriggers = [
  /** AGGREGATOR_B's member status changes: `member_status` says to what. */
  'member.status',
  /** The bank settles a Connection's oldest pending charge, or the one named: `way`. */
  'transaction.settled',
  /** The user opened an account at the bank: a refresh finds it, on AGGREGATOR_A a reauthorize. */
  'account.opened',
  /** The desktop app is open now, or the choice about it is made. */
  'desktop_app.connected',
  /** What a waiting refresh did cannot be found out. */
  'refresh.outcome_not_observable',
  /** A reviewer decides an application for access. */
  'portal.reviewed',
] as const

const codes = Object.keys(errorCodes) as KnownErrorCode[]

/** Which change, of what. `connection` takes either form of id. */
export const TriggerOrder = z.strictObject({
  type: z.enum([...eventTypes, ...otherTriggers]),
  environment: z.enum(['sandbox', 'live']).optional(),
  connection: z.string().optional(),
  /** The reason, for requires_action and failed. */
  code: z.enum(codes as [KnownErrorCode, ...KnownErrorCode[]]).optional(),
  member_status: z.enum(memberStatuses as [MemberStatus, ...MemberStatus[]]).optional(),
  capability: Capability.optional(),
  status: CapabilityStatus.optional(),
  transaction: z.string().optional(),
  way: z.enum(['in_place', 'reissued']).optional(),
  subscription: z.string().optional(),
  user: z.string().optional(),
  application: z.enum(['SANDBOX', 'LIVE']).optional(),
  decision: z.enum(['PENDING', 'NEEDS_INFO', 'APPROVED', 'DENIED']).optional(),
  denial_code: z.string().optional(),
})
export type TriggerOrder = z.infer<typeof TriggerOrder>

export interface Triggered {
  readonly triggered: string
  readonly connection_id?: string
  readonly status?: string
}

/** Makes the change. Throws a Problem when it is not possible as things stand. */
export function trigger(engine: Engine, order: TriggerOrder): Triggered {
  if (order.type === 'portal.reviewed') return review(engine, order)
  if (order.type === 'webhook.test') return testFire(engine, order)
  if (order.connection === undefined) throw missing('connection')
  const row = findConnection(engine.store, order.connection, order.environment)
  change(engine, row, order)
  const { id, status } = connectionAt(engine, row.seq)
  return { triggered: order.type, connection_id: id, status }
}

function change(engine: Engine, row: ConnectionRow, order: TriggerOrder): void {
  const { store } = engine
  switch (order.type) {
    case 'connection.active':
      if (row.reached_active === 0) finishWidget(engine, row.seq)
      else move(engine, row, 'reauthorized')
      return
    case 'connection.requires_action': {
      const [cause, code] = requiresAction(row, order.code)
      return move(engine, row, cause, code)
    }
    case 'connection.failed':
      return move(engine, row, 'outage', order.code ?? 'institution_unavailable')
    case 'connection.disconnected':
      return move(engine, row, 'source_stopped')
    case 'member.status': {
      if (row.source !== 'AGGREGATOR_B') throw refused('Only AGGREGATOR_B has member statuses.')
      const { trigger: cause, error } = meaningOf(order.member_status ?? 'DENIED')
      return move(engine, row, cause, error)
    }
    case 'connection.capability_changed':
      return flip(engine, row, order)
    case 'account.refresh.completed':
      return startSync(engine, row)
    case 'account.refresh.failed':
      return failReports(engine, row)
    case 'statement.available': {
      const [account] = store.accounts.ofConnection(row.seq)
      const made = account && storeStatementThrough(engine, row, account, addDays(today(engine), -1))
      if (!made) throw refused('The account has no statement yet, or one up to yesterday already.')
      return
    }
    case 'transaction.settled':
      return settleOne(engine, row, order)
    case 'account.opened':
      return store.connections.change(row.seq, { unshared_accounts: row.unshared_accounts + 1 })
    case 'desktop_app.connected':
      return store.connections.change(row.seq, { recovered: 1 })
    case 'refresh.outcome_not_observable':
      for (const { seq } of store.operations.waitingRefreshes(row.seq)) {
        fail(engine, seq, errorFor(engine, 'refresh_outcome_not_observable'))
      }
  }
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

/** Observed as often as it takes to be believed. */
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
    return way === undefined ? settle(engine, seq, charge.id) : settle(engine, seq, charge.id, way)
  }
  throw refused('The Connection has no such pending charge.')
}

function review(engine: Engine, order: TriggerOrder): Triggered {
  const { environment = 'sandbox', application = 'LIVE', user, decision = 'APPROVED', denial_code } = order
  if (user === undefined) throw missing('user')
  const { status } = reviewApplication(engine, environment, application, user, decision, denial_code)
  return { triggered: order.type, status }
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

function missing(param: string): Problem {
  const errors = [{ param, message: 'is needed for this trigger', code: 'required' }]
  return new Problem('validation_failed', `${param}: is needed for this trigger`, { param, errors })
}

function refused(message: string): Problem {
  return new Problem('invalid_request', message)
}
