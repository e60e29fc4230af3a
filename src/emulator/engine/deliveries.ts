/** Records attempts to deliver an event, and schedules the next one with exponential backoff. */
import type { DeliveryRow } from '../store/deliveries.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { type Engine, isoNow } from './engine.ts'
import { day } from './schedule.ts'

export interface Attempt {
  readonly succeeded: boolean
  /** The status of the response, or the reason why there was none. */
  readonly detail: string
}

/** Records an attempt. A later success never clears `last_failure_at`. */
export function recordAttempt(
  engine: Engine,
  delivery: DeliveryRow,
  subscription: SubscriptionRow,
  { succeeded, detail }: Attempt,
): void {
  const { store, clock, schedule, settings } = engine
  const attempts = delivery.attempts + 1
  const age = clock.now() - Date.parse(delivery.created_at)
  const attempted_at = isoNow(engine)
  store.deliveries.addAttempt({
    tenant: delivery.tenant,
    event_id: delivery.event_id,
    event_type: delivery.type,
    subscription_id: subscription.id,
    attempted_at,
    latency_ms: Math.max(0, age),
    succeeded,
    detail,
  })
  store.subscriptions.change(
    subscription.seq,
    succeeded ? { last_success_at: attempted_at } : { last_failure_at: attempted_at },
  )
  const wait = succeeded ? undefined : retryDelay(attempts, age, settings.retryMs)
  const state = succeeded ? 'delivered' : wait === undefined ? 'given_up' : 'pending'
  store.deliveries.change(delivery.seq, { attempts, state })
  if (wait !== undefined) schedule.add(wait, { kind: 'deliver', delivery: delivery.seq })
}

/** The secret replaced by a rotation, while it is still valid: 24 hours. */
export function previousSecret(
  { clock }: Engine,
  { previous_secret, rotated_at }: SubscriptionRow,
): string | undefined {
  if (!previous_secret || !rotated_at) return undefined
  return clock.now() < Date.parse(rotated_at) + day ? previous_secret : undefined
}

/**
 * Milliseconds from the attempt that failed to the next one, or undefined when the 24 hours since the event are used
 * up. `attempts` have been made; `age` is the time since the event was created.
 */
export function retryDelay(attempts: number, age: number, first: number): number | undefined {
  const delay = first * 2 ** (attempts - 1)
  return age + delay <= day ? delay : undefined
}
