/** The headers of a delivery: those to pass on, those of one connection only (RFC 9110, 7.6.1), and the signature. */
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

/** Written anew by each hop: the bytes are complete when they are forwarded, and go to another host. */
const rewritten = ['host', 'content-length', 'expect']

const notForwarded: ReadonlySet<string> = new Set([...hopByHop, ...rewritten])

/** Pairs of the names and values that node and undici give in turn. */
export function headerPairs(raw: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return pairs
}

/** The headers to forward, in their spelling and order; without those that Connection names. */
export function passedOn(headers: readonly HeaderPair[]): HeaderPair[] {
  const passed: HeaderPair[] = []
  let named: string[] = []
  for (const pair of headers) {
    const key = pair[0].toLowerCase()
    if (key === 'connection') named = named.concat(listed(pair[1]))
    if (!notForwarded.has(key)) passed.push(pair)
  }
  return named.length === 0 ? passed : passed.filter(([name]) => !named.includes(name.toLowerCase()))
}

/** The names in a Connection header, without those that are never forwarded. */
function listed(connection: string): string[] {
  const names = connection.toLowerCase().split(',')
  return names.map((name) => name.trim()).filter((name) => !notForwarded.has(name))
}

/** The headers, with the user's own replacing those of the same name. */
export function withExtra(
  headers: readonly HeaderPair[],
  extra: readonly HeaderPair[],
): readonly HeaderPair[] {
  if (extra.length === 0) return headers
  const replaced = new Set(extra.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...extra]
}

export interface ToSign {
  secret: string
  /** Unix seconds of this attempt. */
  at: number
  eventId: string | undefined
  type: string | undefined
  body: Uint8Array
}

/** The headers that the service gives a delivery. An id or type that no header can hold is left out. */
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
