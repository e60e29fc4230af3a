/** Computes HMAC-SHA256 with Web Crypto, so that the same code runs in Node, in browsers and in edge runtimes. */

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>
type Bytes = Uint8Array<ArrayBuffer>

/** Imported keys that are cached. A machine knows a handful; the limit is for a caller that invents secrets. */
const MAX_CACHED_KEYS = 64
const keys = new Map<string, Promise<HmacKey>>()

const algorithm = { name: 'HMAC', hash: 'SHA-256' } as const
const utf8 = new TextEncoder()

/** The signature of hmacMatches, for other implementations. */
export type HmacMatches = (
  secret: string,
  signature: string,
  message: Uint8Array,
) => boolean | Promise<boolean>

/** Hex HMAC-SHA256 of `message`, keyed with the whole secret as UTF-8. Throws TypeError for an empty secret. */
export async function hmacHex(secret: string, message: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.sign('HMAC', await keyOf(secret), owned(message))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Whether `signature` is the hex HMAC-SHA256 of `message` under `secret`. The runtime compares the digests in
 * constant time. Anything that is not 64 hex digits is no match.
 */
export async function hmacMatches(secret: string, signature: string, message: Uint8Array): Promise<boolean> {
  const digest = fromHex(signature)
  if (digest === undefined) return false
  return crypto.subtle.verify('HMAC', await keyOf(secret), digest, owned(message))
}

/** UTF-8 bytes of the parts, one after the other. */
export function joinBytes(...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => (typeof part === 'string' ? utf8.encode(part) : part))
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0))
  let end = 0
  for (const piece of pieces) {
    whole.set(piece, end)
    end += piece.byteLength
  }
  return whole
}

function keyOf(secret: string): Promise<HmacKey> {
  const known = keys.get(secret)
  if (known !== undefined) return known
  if (secret === '') throw new TypeError('A signing secret must not be empty.')
  const oldest = keys.size < MAX_CACHED_KEYS ? undefined : keys.keys().next().value
  if (oldest !== undefined) keys.delete(oldest)
  const key = crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['sign', 'verify'])
  keys.set(secret, key)
  return key
}

function fromHex(text: string): Bytes | undefined {
  if (!/^[0-9a-f]{64}$/i.test(text)) return undefined
  const bytes = new Uint8Array(32)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16)
  return bytes
}

/** Web Crypto does not accept a view of shared memory. */
function owned(bytes: Uint8Array): Bytes {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Bytes) : new Uint8Array(bytes)
}
