/** Finds, creates, changes and deletes the subscription of a listener's address. */
import { items } from '../api/pages.ts'
import type { EventType } from '../contract/events.ts'
import type { Subscription, SubscriptionWithSecret } from '../contract/webhooks.ts'
import type { WorkflowContext } from './context.ts'

type Context = WorkflowContext<never>
type Paging = { readonly limit: number; readonly cursor?: string | undefined }

export interface NewSubscription {
  readonly url: string
  readonly eventTypes: readonly EventType[]
  readonly onUnreadable: (body: string) => Promise<void>
}

/** The subscription that delivers to an address, the newest where there are several. Throws what the calls throw. */
export async function findSubscription(
  { api, signal }: Context,
  url: string,
): Promise<Subscription | undefined> {
  let found: Subscription | undefined
  const page = (paging: Paging) => api.webhooks.list(paging, { signal })
  for await (const subscription of items<Paging, Subscription>(page, { limit: 500 })) {
    if (!isSameUrl(subscription.url, url)) continue
    if (found === undefined || Date.parse(subscription.created_at) >= Date.parse(found.created_at)) {
      found = subscription
    }
  }
  return found
}

/**
 * Subscribes an address. The answer has the signing secret only now: `onUnreadable` is called with one that cannot be read.
 * Throws what the call throws.
 */
export function subscribe(
  { api, signal }: Context,
  { url, eventTypes, onUnreadable }: NewSubscription,
): Promise<SubscriptionWithSecret> {
  return api.webhooks.create({ url, event_types: [...eventTypes] }, { signal, onUnreadable })
}

/** Changes the event types of a subscription, unless it has these already. Throws what the call throws. */
export async function setEventTypes(
  { api, signal }: Context,
  { id, event_types: before }: Subscription,
  eventTypes: readonly EventType[],
): Promise<void> {
  const same = before.length === eventTypes.length && eventTypes.every((type) => before.includes(type))
  if (same) return
  await api.webhooks.update({ subscription_id: id, event_types: [...eventTypes] }, { signal })
}

/** Deletes it. Not under the context's signal, because an interruption is the usual reason. */
export async function unsubscribe({ api }: Pick<Context, 'api'>, subscriptionId: string): Promise<void> {
  await api.webhooks.delete({ subscription_id: subscriptionId }, { signal: AbortSignal.timeout(5000) })
}

function isSameUrl(one: string, other: string): boolean {
  return (URL.parse(one)?.href ?? one) === (URL.parse(other)?.href ?? other)
}
