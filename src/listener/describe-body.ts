/** Reads event id, type and subject from a delivery's body. Nothing read here is trusted before the signature verifies. */
import { type EventType, eventTypes } from '../contract/events.ts'
import { headers as serviceHeaders } from '../contract/service.ts'
import { isDeeperThan } from '../signing/json-depth.ts'
import type { ReceivedDelivery } from './events.ts'

export type Description = Pick<
  ReceivedDelivery,
  'eventId' | 'type' | 'livemode' | 'subject' | 'shape' | 'event'
>

/** Bodies nested deeper are not parsed, because printing them recurses. The service's events have four levels. */
const MAX_DEPTH = 200
/** Anybody can send them: a megabyte of JSON costs ten to read and show. The service's events have a few kilobytes. */
const MAX_UNVERIFIED_BYTES = 64 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const known: ReadonlySet<string> = new Set<EventType>(eventTypes)

/**
 * Reads the envelope, and from the headers what it lacks, so that a forged delivery is listed with its id and type too. A
 * large body that did not verify is not read.
 */
export function describeBody(
  body: Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { verified = true } = {},
): Description {
  const event = verified || body.byteLength <= MAX_UNVERIFIED_BYTES ? parse(body) : undefined
  const eventId = textAt(event, 'event_id')
  const type = textAt(event, 'type')
  const livemode = at(event, 'livemode')
  return {
    eventId: eventId ?? header(headers, serviceHeaders.webhookEventId),
    type: type ?? header(headers, serviceHeaders.webhookEventType),
    livemode: typeof livemode === 'boolean' ? livemode : undefined,
    subject: subjectOf(at(event, 'data')),
    shape: shapeOf(eventId, type),
    event,
  }
}

function shapeOf(eventId: string | undefined, type: string | undefined): Description['shape'] {
  if (eventId === undefined || type === undefined) return 'no_envelope'
  return known.has(type) ? 'event' : 'unknown_type'
}

function subjectOf(data: unknown): string | undefined {
  for (const resource of ['connection', 'account', 'statement']) {
    const id = textAt(at(data, resource), 'id')
    if (id !== undefined) return id
  }
  return undefined
}

function parse(body: Uint8Array): unknown {
  if (isDeeperThan(MAX_DEPTH, body)) return undefined
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    return undefined
  }
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

function textAt(value: unknown, key: string): string | undefined {
  const found = at(value, key)
  return typeof found === 'string' && found !== '' ? found : undefined
}

function header(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string | undefined {
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' && value !== '' ? value : undefined
}
