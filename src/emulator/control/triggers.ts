/** Carries out what a user ordered to happen. */
import { connectionAt } from '../engine/connections.ts'
import type { Engine } from '../engine/engine.ts'
import { emitTest } from '../engine/events.ts'
import { reviewApplication } from '../engine/portal.ts'
import { notFound, Problem } from '../engine/problem.ts'
import { changes } from './changes.ts'
import { findConnection } from './connection-lookup.ts'
import type { TriggerOrder } from './trigger-order.ts'

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
