import type { Subscription } from '../../contract/webhooks.ts'
import type { Field } from '../fields.ts'

export const subscriptionFields: readonly Field<Subscription>[] = [
  { key: 'id', kind: 'id' },
  { key: 'url', priority: 3 },
  { key: 'event_types', header: 'events', priority: 2 },
  { key: 'status', kind: 'status', priority: 1 },
  {
    key: 'delivering',
    kind: 'status',
    priority: 4,
    get: ({ last_failure_at, last_success_at }) => deliveryState(last_failure_at, last_success_at),
  },
  { key: 'last_success_at', header: 'last success', kind: 'time' },
  { key: 'last_failure_at', header: 'last failure', kind: 'time' },
]

/** A failure newer than the last success means deliveries are failing now; a subscription's status never says so. */
function deliveryState(failure: string | undefined, success: string | undefined): string | undefined {
  if (failure === undefined && success === undefined) return undefined
  if (failure === undefined) return 'delivered'
  return success !== undefined && Date.parse(success) >= Date.parse(failure) ? 'delivered' : 'failed'
}
