/** Records attempts to deliver an event, and schedules the next one with exponential backoff. */
import type { DeliveryRow } from '../store/deliveries.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { type Engine, isoNow } from './engine.ts'
import { notFound } from './errors.ts'
import { day } from './schedule.ts'

/** Attempts that are kept with what was sent and what came back. */
const MAX_SENT = 1000

export interface Attempt {
  readonly succeeded: boolean
  /** The status of the response, or the reason why there was none. */
  readonly detail: string
  /** ISO, by the wall clock. */
  readonly at: string
  readonly ms: number
  /** Undefined when nothing was sent. */
  readonly headers?: Readonly<Record<string, string>>
  /** The beginning of the response's body. */
  readonly answer?: string
}

/** Records an attempt. A later success never clears `last_failure_at`. */
export function recordAttempt(
  engine: Engine,
  delivery: DeliveryRow,
  subscription: SubscriptionRow,
  { succeeded, detail, at, ms, headers, answer }: Attempt,
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
  store.sent.add(
    {
      delivery: delivery.seq,
      attempt: attempts,
      at,
      ms,
      detail,
      headers: headers === undefined ? null : JSON.stringify(headers),
      answer: answer ?? null,
    },
    MAX_SENT,
  )
  store.subscriptions.change(
    subscription.seq,
    succeeded ? { last_success_at: attempted_at } : { last_failure_at: attempted_at },
  )
  const wait = succeeded ? undefined : retryDelay(attempts, age, settings.retryMs)
  const state = succeeded ? 'delivered' : wait === undefined ? 'given_up' : 'pending'
  store.deliveries.change(delivery.seq, { attempts, state })
  if (wait !== undefined) schedule.add(wait, { kind: 'deliver', delivery: delivery.seq })
}

/** Delivers an event once more to the same subscription, as a delivery of its own. Throws `not_found`. */
export function redeliver({ store, schedule, ...engine }: Engine, seq: number): number {
  const delivery = store.deliveries.repeat(seq, isoNow(engine))
  if (delivery === undefined) throw notFound('delivery')
  schedule.add(0, { kind: 'deliver', delivery })
  return delivery
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
