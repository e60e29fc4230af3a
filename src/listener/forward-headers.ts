/** Which headers travel through the listener, and which belong to one connection only (RFC 9110, 7.6.1). */
import type { HeaderPair } from '../inbox/private-headers.ts'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What each hop writes itself: the bytes are whole when they are sent on, and addressed to another host. */
const rewritten = new Set(['host', 'content-length', 'expect'])

/** Names and values in turn, as node and undici give them, as pairs. */
export function headerPairs(raw: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return pairs
}

/** The headers to send on, spelled and ordered as they came; those that Connection names stay behind, too. */
export function passedOn(headers: readonly HeaderPair[]): HeaderPair[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
  const left = new Set([...hopByHop, ...rewritten, ...named])
  return headers.filter(([name]) => !left.has(name.toLowerCase()))
}

/** The headers with the user's own ones in the place of those of the same name. */
export function withExtra(headers: readonly HeaderPair[], extra: readonly HeaderPair[]): HeaderPair[] {
  const replaced = new Set(extra.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...extra]
}
