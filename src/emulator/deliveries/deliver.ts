/** Makes one attempt to deliver an event to a subscription, with a fresh signature. */
import { headers } from '../../contract/service.ts'
import { signWebhook } from '../../signing/webhook.ts'
import { type Attempt, previousSecret } from '../engine/deliveries.ts'
import type { Engine } from '../engine/engine.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import type { Sender } from './send.ts'

/** A fault ordered for a delivery. Durations in milliseconds on the wall clock. */
export interface DeliveryFault {
  readonly status?: number
  readonly delay_ms?: number
  readonly drop?: boolean
  readonly truncate?: boolean
}

export interface Deliverer {
  readonly sender: Sender
  /** Milliseconds since the epoch: receivers compare the timestamp with their own clocks, so it is the wall clock. */
  readonly wall: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly faultFor: (eventType: string, url: string) => DeliveryFault | undefined
}

/** Returns the outcome; never throws for a failed delivery. */
export async function deliver(
  { sender, wall, sleep, faultFor }: Deliverer,
  engine: Engine,
  delivery: DeliveryRow,
  subscription: SubscriptionRow,
  signal: AbortSignal,
): Promise<Attempt> {
  const begun = wall()
  const taken = () => ({ at: new Date(begun).toISOString(), ms: Math.max(0, wall() - begun) })
  const body = new TextEncoder().encode(delivery.body)
  const fault = faultFor(delivery.type, subscription.url)
  if (fault?.delay_ms) await sleep(fault.delay_ms, signal)
  if (fault?.drop) return { succeeded: false, detail: 'dropped by a fault', ...taken() }
  if (fault?.status !== undefined) {
    const succeeded = fault.status >= 200 && fault.status < 300
    return { succeeded, detail: `${fault.status} by a fault`, ...taken() }
  }
  const timestamp = String(Math.floor(wall() / 1000))
  const previous = previousSecret(engine, subscription)
  const sign = (secret: string) => signWebhook({ secret, timestamp, body })
  const signed = {
    [headers.webhookEventId]: delivery.event_id,
    [headers.webhookEventType]: delivery.type,
    [headers.webhookTimestamp]: timestamp,
    [headers.webhookSignature]: await sign(subscription.signing_secret),
    ...(previous === undefined ? {} : { [headers.webhookSignaturePrev]: await sign(previous) }),
  }
  const sent = fault?.truncate ? body.subarray(0, Math.floor(body.length / 2)) : body
  const outcome = await sender.send({ url: subscription.url, body: sent, headers: signed }, signal)
  return { ...outcome, headers: signed, ...taken() }
}
