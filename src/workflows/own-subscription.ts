import type { EventType } from '../contract/events.ts'
import type { WorkflowContext } from './context.ts'

export interface OwnSubscription {
  readonly id: string
  readonly signingSecret: string
  /** Removes it at the service. Rejects when that did not work; the reason is for the user. */
  remove(): Promise<void>
}

/** Subscribes an address for as long as somebody listens there. Throws what the call throws. */
export async function subscribe(
  { api, signal }: WorkflowContext<never>,
  options: { readonly url: string; readonly eventTypes: readonly EventType[] },
): Promise<OwnSubscription> {
  const created = await api.webhooks.create(
    { url: options.url, event_types: [...options.eventTypes] },
    { signal },
  )
  return {
    id: created.id,
    signingSecret: created.signing_secret,
    // Not under the signal: it is done because of an interruption.
    remove: async () => {
      await api.webhooks.delete({ subscription_id: created.id }, { signal: AbortSignal.timeout(5000) })
    },
  }
}
