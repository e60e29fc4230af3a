/** What the listener and the inbox say about a delivery, as facts that are safe to show. */
import type { Delivery } from '../../inbox/delivery-rows.ts'
import { describeBody } from '../../listener/describe-body.ts'
import type { ForwardOutcome, ReceivedDelivery } from '../../listener/events.ts'
import type { DeliveryFacts, ForwardSeen } from '../state/delivery-row.ts'
import { clipped } from './clipped.ts'

/** Milliseconds after which a forward that nobody noted will not be noted: its listener is gone. */
const LOST = 60_000

/** A delivery of the listener inside; `settled` when nothing more will become of it. */
export function factsOfReceived(
  delivery: ReceivedDelivery,
  safe: (text: string) => string,
  settled: { forward: ForwardOutcome | undefined } | undefined,
): DeliveryFacts {
  const shown = clipped(safe)
  const { id, receivedAt, livemode, verified, duplicate, event } = delivery
  return {
    id,
    receivedAt,
    eventId: maybe(delivery.eventId, shown),
    type: maybe(delivery.type, shown),
    livemode,
    subject: maybe(delivery.subject, shown),
    mentions: mentionsOf(event, shown),
    verified,
    reason: maybe(delivery.reason, shown),
    duplicate,
    replayOf: undefined,
    docUrl: maybe(docUrlOf(event), shown),
    settled: settled !== undefined,
    forward: settled?.forward && seen(settled.forward, shown),
    from: 'listener',
  }
}

/** A delivery of the inbox, whoever stored it; `now` is Unix milliseconds. */
export function factsOfStored(
  delivery: Delivery,
  safe: (text: string) => string,
  now: number,
): DeliveryFacts {
  const shown = clipped(safe)
  const { subject, event } = describeBody(delivery.body, {})
  const lost = now - delivery.receivedAt > LOST
  const last = delivery.forwards.at(-1)
  const forward = last === undefined ? undefined : seen(last, shown)
  return {
    id: delivery.id,
    receivedAt: delivery.receivedAt,
    eventId: maybe(delivery.eventId, shown),
    type: maybe(delivery.type, shown),
    livemode: delivery.livemode,
    subject: maybe(subject, shown),
    mentions: mentionsOf(event, shown),
    verified: delivery.verified,
    reason: maybe(delivery.reason, shown),
    duplicate: delivery.duplicate,
    replayOf: delivery.replayOf,
    docUrl: maybe(docUrlOf(event), shown),
    settled: forward !== undefined || delivery.forwardTo === undefined || lost,
    // A duplicate may have been left out on purpose; anything else was interrupted.
    forward: forward ?? (lost && !delivery.duplicate ? interrupted(delivery.forwardTo, shown) : undefined),
    from: 'inbox',
  }
}

function interrupted(url: string | undefined, shown: (text: string) => string): ForwardSeen | undefined {
  if (url === undefined) return undefined
  return { url: shown(url), status: undefined, durationMs: 0, error: 'interrupted' }
}

function seen(
  forward: {
    url: string
    status?: number | undefined
    durationMs: number
    error?: string | undefined
  },
  shown: (text: string) => string,
): ForwardSeen {
  return {
    url: shown(forward.url),
    status: forward.status,
    durationMs: forward.durationMs,
    error: maybe(forward.error, shown),
  }
}

/** The ids in the envelope's data by which an operation may be concerned. */
function mentionsOf(event: unknown, shown: (text: string) => string): readonly string[] {
  const found = new Set<string>()
  for (const resource of ['connection', 'account', 'statement']) {
    const record = at(at(event, 'data'), resource)
    for (const key of ['id', 'connection_id', 'account_id', 'client_id']) {
      const id = at(record, key)
      if (typeof id === 'string') found.add(shown(id))
    }
  }
  return [...found]
}

function docUrlOf(event: unknown): string | undefined {
  const data = at(event, 'data')
  const error = at(at(data, 'account'), 'error') ?? at(at(data, 'connection'), 'last_error')
  const url = at(error, 'doc_url')
  return typeof url === 'string' ? url : undefined
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

function maybe(text: string | undefined, shown: (text: string) => string): string | undefined {
  return text === undefined ? undefined : shown(text)
}
