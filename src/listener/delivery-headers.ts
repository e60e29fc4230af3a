/** Which headers travel through the listener, and which belong to one connection only (RFC 9110, 7.6.1). */
import { headers as names } from '../contract/service.ts'
import type { HeaderPair } from '../inbox/delivery-rows.ts'
import { signWebhook } from '../signing/webhook.ts'

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** What each hop writes itself: the bytes are whole when they are sent on, and addressed to another host. */
const rewritten = ['host', 'content-length', 'expect']

const left: ReadonlySet<string> = new Set([...hopByHop, ...rewritten])

/** Names and values in turn, as node and undici give them, as pairs. */
export function headerPairs(raw: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return pairs
}

/** The headers to send on, spelled and ordered as they came; those that Connection names stay behind, too. */
export function passedOn(headers: readonly HeaderPair[]): HeaderPair[] {
  const named = namedByConnection(headers)
  return headers.filter(([name]) => {
    const key = name.toLowerCase()
    return !left.has(key) && !named.includes(key)
  })
}

function namedByConnection(headers: readonly HeaderPair[]): string[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
}

/** The headers with the user's own ones in the place of those of the same name. */
export function withExtra(headers: readonly HeaderPair[], extra: readonly HeaderPair[]): HeaderPair[] {
  if (extra.length === 0) return [...headers]
  const replaced = new Set(extra.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...extra]
}

/** What a delivery is signed as. */
export interface ToSign {
  secret: string
  /** Unix seconds of this attempt. */
  at: number
  eventId: string | undefined
  type: string | undefined
  body: Uint8Array
}

/** The headers that the service gives a delivery. An id or type that fits into no header is left out. */
export async function signedHeaders({ secret, at, eventId, type, body }: ToSign): Promise<HeaderPair[]> {
  const timestamp = String(Math.floor(at))
  const all: [string, string | undefined][] = [
    [names.webhookEventId, eventId],
    [names.webhookEventType, type],
    [names.webhookTimestamp, timestamp],
    [names.webhookSignature, await signWebhook({ secret, timestamp, body })],
  ]
  return all.flatMap(([name, value]) =>
    value !== undefined && /^[\x20-\x7e]+$/.test(value) ? [[name, value] as const] : [],
  )
}
