/** Handlers of webhook subscriptions. */
import type { EventType } from '../../contract/events.ts'
import type { webhooks as contract, Subscription, SubscriptionWithSecret } from '../../contract/webhooks.ts'
import { emitTest } from '../engine/events.ts'
import { pageOf } from '../engine/paging.ts'
import { changeSubscription, rotateSecret, subscribe } from '../engine/subscriptions.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { type Handlers, subscriptionOf } from './handler.ts'

export const webhooks: Handlers<typeof contract> = {
  create: ({ url, event_types }, call) =>
    withSecret(subscriptionOf(call, subscribe(call.engine, call.tenant.seq, url, event_types))),

  list: (page, { engine, tenant }) =>
    pageOf(
      engine,
      ['subscriptions', tenant.seq],
      page,
      (slice) => engine.store.subscriptions.list(tenant.seq, slice),
      onWire,
    ),

  get: ({ subscription_id }, call) => onWire(subscriptionOf(call, subscription_id)),

  update({ subscription_id, url, event_types }, call) {
    changeSubscription(call.engine, subscriptionOf(call, subscription_id), url, event_types)
    return onWire(subscriptionOf(call, subscription_id))
  },

  delete({ subscription_id }, call) {
    call.engine.store.subscriptions.remove(subscriptionOf(call, subscription_id).seq)
    return undefined
  },

  rotateSecret({ subscription_id }, call) {
    rotateSecret(call.engine, subscriptionOf(call, subscription_id))
    return withSecret(subscriptionOf(call, subscription_id))
  },

  test: ({ subscription_id }, call) => ({
    event_id: emitTest(call.engine, subscriptionOf(call, subscription_id)),
  }),
}

/** `last_success_at` and `last_failure_at` are omitted, never null. */
function onWire(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    url: row.url,
    event_types: JSON.parse(row.event_types) as EventType[],
    status: 'active',
    created_at: row.created_at,
    ...(row.last_success_at === null ? {} : { last_success_at: row.last_success_at }),
    ...(row.last_failure_at === null ? {} : { last_failure_at: row.last_failure_at }),
  }
}

function withSecret(row: SubscriptionRow): SubscriptionWithSecret {
  return { ...onWire(row), signing_secret: row.signing_secret }
}
