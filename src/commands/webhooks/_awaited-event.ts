/** Waits for a delivery in the inbox that fits: by type, and by a jq expression over the event. */
import { setTimeout as delay } from 'node:timers/promises'
import { UsageError } from '../../cli/errors/errors.ts'
import { type EventType, eventTypes } from '../../contract/events.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { matchesJq } from '../../output/formats/jq.ts'
import { OutputError } from '../../output/output-error.ts'

export interface AwaitedEvent {
  /** A type, or a pattern in which `*` stands for any text. */
  readonly type: string
  /** A jq expression; the event fits when any of its results is neither false nor null. */
  readonly where: string | undefined
  readonly environment: string | undefined
  /** Unix milliseconds: deliveries received since then count, too. */
  readonly since: number | undefined
  /** Whether a target has to have answered 2xx to it. */
  readonly accepted: boolean
}

export interface WatchedDeliveries {
  readonly found: Delivery | undefined
  /** Those received that do not fit. */
  readonly others: readonly Delivery[]
  /** Those that fit, and were not accepted in time. */
  readonly notAccepted: readonly Delivery[]
}

/** Deliveries that did not fit and are kept, for the message about them. */
const MAX_OTHERS = 1000

const POLL_MS = 50

/** Deliveries received before the start that are searched. */
const MAX_EARLIER = 10_000

/**
 * The first verified delivery that fits, replays from this machine aside; undefined when the signal aborts first.
 * @throws UsageError for a jq expression that does not compile.
 */
export async function awaitDelivery(
  { deliveries }: Pick<Inbox, 'deliveries'>,
  awaited: AwaitedEvent,
  signal: AbortSignal,
): Promise<WatchedDeliveries> {
  if (awaited.where !== undefined) await assertCompiles(awaited.where)
  let last = await startOf(deliveries, awaited.since)
  const others: Delivery[] = []
  const fitting = new Map<number, Delivery>()
  do {
    // What is there already is read, however short the time.
    const received = await deliveries.after(last)
    for (const delivery of received) {
      last = delivery.id
      if (delivery.replayOf !== undefined) continue
      if (awaited.environment !== undefined && delivery.environment !== awaited.environment) continue
      if (await fits(delivery, awaited)) {
        if (!awaited.accepted) return { found: delivery, others, notAccepted: [] }
        fitting.set(delivery.id, delivery)
      } else if (others.length < MAX_OTHERS) others.push(delivery)
    }
    // The answer of a target comes behind the delivery, or to a later one of the event.
    const found = await acceptedOf(deliveries, fitting)
    if (found !== undefined) return { found, others, notAccepted: [] }
    if (received.length === 0) await delay(POLL_MS, undefined, { signal }).catch(() => undefined)
  } while (!signal.aborted)
  return { found: undefined, others, notAccepted: [...fitting.values()] }
}

/** The first whose event a target has answered 2xx to. Each is replaced by what the inbox has of it now. */
async function acceptedOf(
  deliveries: Inbox['deliveries'],
  fitting: Map<number, Delivery>,
): Promise<Delivery | undefined> {
  const { isAccepted } = await import('../../inbox/delivery-rows.ts')
  for (const { id, eventId, environment, subscription } of fitting.values()) {
    const ofEvent = eventId === undefined ? await deliveries.after(id - 1, 1) : await deliveries.get(eventId)
    const same = ofEvent.filter(
      (one) =>
        (eventId !== undefined || one.id === id) &&
        one.environment === environment &&
        one.subscription === subscription,
    )
    const now = same.find((one) => one.id === id)
    if (now !== undefined) fitting.set(id, now)
    const accepted = same.find(({ verified, forwards }) => verified && forwards.some(isAccepted))
    if (accepted !== undefined) return accepted
  }
  return undefined
}

/** The id after which deliveries count. */
async function startOf(deliveries: Inbox['deliveries'], since: number | undefined): Promise<number> {
  const last = await deliveries.lastId()
  if (since === undefined) return last
  const [first] = await deliveries.list({ since, limit: MAX_EARLIER })
  return first === undefined ? last : first.id - 1
}

async function fits(delivery: Delivery, { type, where }: AwaitedEvent): Promise<boolean> {
  if (!delivery.verified || delivery.type === undefined) return false
  const { matchesType } = await import('../../listener/forward-url.ts')
  if (!matchesType(type, delivery.type)) return false
  if (where === undefined) return true
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(delivery.body))
    return await matchesJq(event, where)
  } catch {
    // The expression fails on this event, or the body is not JSON: a later one may fit.
    return false
  }
}

async function assertCompiles(program: string): Promise<void> {
  try {
    await matchesJq({}, program)
  } catch (error) {
    if (!(error instanceof OutputError)) throw error
    // An expression that fails on an empty object may work on an event.
    if (error.code !== 'jq_failed') throw new UsageError(error.message.replace('--jq', '--where'))
  }
}

/**
 * The event types that match names and patterns (`connection.*`); without any, all but `webhook.test`.
 * @throws UsageError for a pattern that matches none.
 */
export async function eventTypesMatching(patterns: readonly string[] | undefined): Promise<EventType[]> {
  if (patterns === undefined) return eventTypes.filter((type) => type !== 'webhook.test')
  const { matchesType } = await import('../../listener/forward-url.ts')
  const found = new Set<EventType>()
  for (const pattern of patterns) {
    const matching = eventTypes.filter((type) => matchesType(pattern, type))
    if (matching.length === 0) {
      throw new UsageError(`No event type is called ${pattern}`, {
        code: 'unknown_event_type',
        hint: `Event types: ${eventTypes.join(', ')}`,
      })
    }
    for (const type of matching) found.add(type)
  }
  return [...found]
}
