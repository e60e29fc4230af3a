/** Turns a delivery of the inbox into JSON, whole or as a row of a list. */
import type { Delivery, RecordedForward } from '../../inbox/delivery-rows.ts'
import type { Field } from '../../output/fields.ts'

/** Which delivery it is. */
export interface DeliveryIdentity {
  /** The number in the inbox; `webhooks show` takes it in place of an event id. */
  readonly id: number
  readonly received_at: string
  readonly environment: string
  readonly subscription_id: string | null
  readonly event_id: string | null
  readonly type: string | null
}

/** One row of `webhooks events`. */
export interface DeliverySummary extends DeliveryIdentity {
  readonly livemode: boolean | null
  readonly verified: boolean
  /** Why it was refused: a code and a sentence. */
  readonly reason: string | null
  readonly detail: string | null
  readonly duplicate: boolean
  /** The id of the delivery that was sent again. */
  readonly replay_of: number | null
  /** The last attempt to forward it; null when there was none. */
  readonly forward: ForwardSummary | null
  /** The target; without `forward`, the listener ended before an answer came. */
  readonly forward_to: string | null
}

interface ForwardSummary {
  readonly url: string
  readonly status: number | null
  readonly duration_ms: number
  readonly error: string | null
}

/** A whole delivery, as `webhooks show` prints it. */
export interface DeliveryDocument extends Omit<DeliverySummary, 'forward'> {
  readonly method: string
  readonly path: string
  /** In the order received. The value of a credential is not kept. */
  readonly headers: readonly (readonly [string, string])[]
  /** The bytes as text where they are UTF-8, else null. */
  readonly body: string | null
  /** The exact bytes; of what did not verify, their beginning, and `detail` says so. */
  readonly body_base64: string
  /** The body as JSON, else null. */
  readonly event: unknown
  readonly forwards: readonly (ForwardSummary & {
    readonly headers: readonly (readonly [string, string])[]
    readonly body: string
  })[]
}

export function deliverySummary(delivery: Delivery): DeliverySummary {
  const last = delivery.forwards.at(-1)
  return { ...commonFields(delivery), forward: last === undefined ? null : forwardSummary(last) }
}

export function deliveryDocument(delivery: Delivery): DeliveryDocument {
  const text = decode(delivery.body)
  return {
    ...commonFields(delivery),
    method: delivery.method,
    path: delivery.path,
    headers: delivery.headers,
    body: text ?? null,
    body_base64: Buffer.from(delivery.body).toString('base64'),
    event: text === undefined ? null : parse(text),
    forwards: delivery.forwards.map((forward) => ({
      ...forwardSummary(forward),
      headers: forward.headers,
      body: new TextDecoder().decode(forward.body),
    })),
  }
}

export const identityFields: readonly Field<DeliveryIdentity>[] = [
  { key: 'received_at', header: 'received', kind: 'time', priority: 5 },
  // An id is never cut, and half a type says nothing.
  { key: 'type', kind: 'id', priority: 8 },
  {
    key: 'event_id',
    header: 'event',
    kind: 'id',
    priority: 9,
    get: ({ event_id, id }) => event_id ?? String(id),
  },
]

export const deliveryFields: readonly Field<DeliverySummary>[] = [
  ...identityFields,
  { key: 'verdict', priority: 7, get: verdictOf },
  { key: 'target', priority: 6, get: targetOf },
  { key: 'environment', priority: 2 },
]

/** A few words: whether it verified, and whether it is a duplicate or a replay. */
export function verdictOf({
  verified,
  reason,
  duplicate,
  replay_of,
}: DeliverySummary | DeliveryDocument): string {
  const marks = [...(duplicate ? ['duplicate'] : []), ...(replay_of === null ? [] : ['replay'])]
  return [verified ? 'verified' : (reason ?? 'not verified'), ...marks].join(', ')
}

function targetOf({ forward, forward_to }: DeliverySummary): string | undefined {
  if (forward !== null)
    return forward.status === null ? (forward.error ?? 'no answer') : String(forward.status)
  return forward_to === null ? undefined : 'interrupted'
}

export function identityOf(delivery: Delivery): DeliveryIdentity {
  return {
    id: delivery.id,
    received_at: new Date(delivery.receivedAt).toISOString(),
    environment: delivery.environment,
    subscription_id: delivery.subscription ?? null,
    event_id: delivery.eventId ?? null,
    type: delivery.type ?? null,
  }
}

function commonFields(delivery: Delivery): Omit<DeliverySummary, 'forward'> {
  return {
    ...identityOf(delivery),
    livemode: delivery.livemode ?? null,
    verified: delivery.verified,
    reason: delivery.reason ?? null,
    detail: delivery.detail ?? null,
    duplicate: delivery.duplicate,
    replay_of: delivery.replayOf ?? null,
    forward_to: delivery.forwardTo ?? null,
  }
}

function forwardSummary({ url, status, durationMs, error }: RecordedForward): ForwardSummary {
  return { url, status: status ?? null, duration_ms: Math.round(durationMs), error: error ?? null }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
