/** Converts operations and deliveries of the service, the inbox and the listener to facts that are safe to show. */
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { KnownOperation } from '../../inbox/inbox.ts'
import { describeBody } from '../../listener/describe-body.ts'
import type { ForwardOutcome, ReceivedDelivery } from '../../listener/events.ts'
import type { WaitProgress } from '../../workflows/operations.ts'
import type { DeliveryFacts, ForwardSeen } from '../state/delivery-row.ts'
import type { OperationFacts } from '../state/operation-row.ts'

export type PolledOperation = WaitProgress['operation']

/** Facts about an operation as the service returned it. */
export function factsOfOperation(operation: PolledOperation, safe: (text: string) => string): OperationFacts {
  const shown = clipped(safe)
  const { id, type, status, error, result } = operation
  const startedAt = timeOf(operation.created_at)
  const completedAt = timeOf(operation.completed_at)
  return {
    id: shown(id),
    type: shown(type),
    status: shown(status),
    startedAt,
    completedAt,
    tookMs:
      startedAt === undefined || completedAt === undefined ? undefined : Math.max(0, completedAt - startedAt),
    outcome: outcomeOf(status, error, result, shown),
    docUrl: error?.doc_url === undefined ? undefined : shown(error.doc_url),
  }
}

/** Facts about an operation as this machine recorded it, which does not include its outcome. */
export function factsOfKnown(operation: KnownOperation, safe: (text: string) => string): OperationFacts {
  const shown = clipped(safe)
  const { id, type, subject, status, startedAt, completedAt, estimatedSeconds } = operation
  return {
    id: shown(id),
    type: type === undefined ? undefined : shown(type),
    subject: subject === undefined ? undefined : shown(subject),
    status: shown(status),
    startedAt,
    completedAt,
    estimatedSeconds,
  }
}

function outcomeOf(
  status: string,
  error: PolledOperation['error'],
  result: PolledOperation['result'],
  shown: (text: string) => string,
): string | undefined {
  if (status === 'failed') {
    if (!error) return 'failed'
    const accounts = error.accounts?.length ? ` (${error.accounts.length} accounts)` : ''
    return shown(`${error.code}${accounts}: ${error.message}`)
  }
  if (status === 'succeeded') return result ? shown(result.kind) : 'done'
  return undefined
}

function timeOf(text: string | null | undefined): number | undefined {
  const time = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** After this time an outcome that was not recorded never will be: the listener of that forward has ended. */
const FORWARD_LOST_MS = 60_000

/** Facts about a delivery of this process's listener; `settled` once its outcome is final. */
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

/** Facts about a delivery of the inbox, stored by any process; `now` is Unix milliseconds. */
export function factsOfStored(
  delivery: Delivery,
  safe: (text: string) => string,
  now: number,
): DeliveryFacts {
  const shown = clipped(safe)
  const { subject, event } = describeBody(delivery.body, {})
  const lost = now - delivery.receivedAt > FORWARD_LOST_MS
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
    forward: forward ?? (lost ? interrupted(delivery.forwardTo, shown) : undefined),
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

/** The ids in the event's data that an operation may be on. */
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

/** Of a cell: a row must not hold a long text of a hostile sender. */
const MAX_CHARACTERS = 300

/** Cuts a text, then makes it safe. */
function clipped(safe: (text: string) => string): (text: string) => string {
  return (text) => safe(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text)
}
