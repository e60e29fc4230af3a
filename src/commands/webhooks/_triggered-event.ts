/** Makes the events that `webhooks trigger` sends: an example of their type, or the user's own, with fields of their choice. */
import { randomUUID } from 'node:crypto'
import { UsageError } from '../../cli/errors/errors.ts'
import {
  EventEnvelope,
  type EventType,
  eventIdOf,
  events,
  eventTypes,
  exampleEvent,
} from '../../contract/events.ts'

export interface EventOrder {
  readonly type: string
  /** The bytes of a file with an event, sent exactly as they are unless something has to change. */
  readonly from: Uint8Array | undefined
  /** `path=value`, each. */
  readonly set: readonly string[]
  readonly livemode: boolean
  /** Milliseconds. */
  readonly now: number
}

export interface EventToSend {
  readonly eventId: string | undefined
  readonly type: string | undefined
  readonly body: Uint8Array
}

/**
 * Returns a function that makes the event of each number, with an id of its own.
 * @throws UsageError for an unknown type without a file, and for a field that cannot be set.
 */
export function eventSource(order: EventOrder, count: number): (number: number) => EventToSend {
  const { type, from, set } = order
  if (from === undefined && !isEventType(type)) {
    throw new UsageError(`There is no event type ${type}`, {
      code: 'unknown_event_type',
      hint: `Event types: ${eventTypes.join(', ')}. To send another: --from FILE`,
    })
  }
  if (from !== undefined && set.length === 0 && count === 1) return () => asItIs(from, type)
  const template = from === undefined ? undefined : parsed(from)
  return () => {
    const event = template === undefined ? example(order) : { ...structuredClone(template), type }
    if (count > 1 || event['event_id'] === undefined) event['event_id'] = eventIdOf(type, randomUUID())
    for (const field of set) setField(event, field)
    return {
      eventId: text(event['event_id']),
      type: text(event['type']),
      body: new TextEncoder().encode(JSON.stringify(event)),
    }
  }
}

/** One sentence for each departure of an event from the reference; none for a body that is not a JSON object. */
export function unlikeTheReference(body: Uint8Array): string[] {
  const event = tryParse(body)
  if (event === undefined) return []
  const envelope = EventEnvelope.safeParse(event)
  const type = event['type']
  const data = isEventType(type) ? events[type].data.safeParse(event['data']) : undefined
  return [
    ...(envelope.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(data?.error?.issues ?? []).map(({ path, message }) => `${['data', ...path].join('.')}: ${message}`),
  ]
}

type Json = Record<string, unknown>

function example({ type, livemode, now }: EventOrder): Json {
  const createdAt = new Date(now).toISOString()
  return exampleEvent(type as EventType, { uuid: randomUUID(), createdAt, livemode }) as unknown as Json
}

function asItIs(body: Uint8Array, type: string): EventToSend {
  const event = tryParse(body)
  return { eventId: text(event?.['event_id']), type: text(event?.['type']) ?? type, body }
}

function parsed(bytes: Uint8Array): Json {
  const event = tryParse(bytes)
  if (event !== undefined) return event
  throw new UsageError('What --from gives is no JSON object, so it can only be sent as it is, once', {
    code: 'not_an_event',
    hint: 'Leave out --set and --count',
  })
}

function tryParse(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

function isEventType(type: unknown): type is EventType {
  return (eventTypes as readonly unknown[]).includes(type)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Sets `a.b.0=value` in a JSON object, replacing an earlier value; missing objects on the path are created. The value is JSON
 * where it reads as JSON (`true`, `3`, `null`, `{…}`, `"3"`), else text.
 * @throws UsageError when it is not an assignment, or its path leads through anything but an object or a list.
 */
export function setField(target: Record<string, unknown>, assignment: string): void {
  const equals = assignment.indexOf('=')
  if (equals < 1) {
    throw new UsageError(`"${assignment}" sets no field`, {
      hint: 'Write it like --set data.connection.status=failed',
    })
  }
  const steps = assignment.slice(0, equals).split('.')
  const last = steps.pop() ?? ''
  let holder: object = target
  for (const step of steps) {
    if (!Object.hasOwn(holder, step)) define(holder, step, {})
    const next = (holder as Record<string, unknown>)[step]
    if (typeof next !== 'object' || next === null) {
      throw new UsageError(`"${assignment}" sets no field: ${step} is no object`, { code: 'invalid_field' })
    }
    holder = next
  }
  define(holder, last, readValue(assignment.slice(equals + 1)))
}

/** Defines a property; an assignment to `__proto__` would not. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
