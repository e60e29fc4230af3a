/** Undoes what proxies and frameworks do to a body, to find the bytes that may have been signed. */
import { joinBytes } from './hmac.ts'
import { isDeeperThan } from './json-depth.ts'

/** Larger bodies are not rewritten; no event of the service is near this size. */
const MAX_REWRITTEN_BYTES = 256 * 1024
/** JSON that is nested deeper is not written anew: each level makes an indented line longer. */
const MAX_JSON_DEPTH = 64

const LF = 0x0a
const CR = 0x0d
const SPACES = new Set([0x09, LF, CR, 0x20])
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

type Undo = (body: Uint8Array, json: unknown) => Uint8Array | string | undefined

/** Likely changes first. `phrase` continues the sentence "it verifies after …". */
const changes = {
  final_newline_added: { phrase: 'removing the final newline', undo: withoutFinalNewline },
  final_newline_removed: { phrase: 'adding a final newline', undo: (body) => joinBytes(body, '\n') },
  white_space_added: { phrase: 'removing the white space at the end', undo: withoutTrailingSpace },
  lf_became_crlf: { phrase: 'turning CRLF line ends into LF', undo: withoutCarriageReturns },
  crlf_became_lf: { phrase: 'turning LF line ends into CRLF', undo: withCarriageReturns },
  byte_order_mark_added: { phrase: 'removing the byte order mark', undo: withoutByteOrderMark },
  json_loosened: { phrase: 're-serialising the JSON compactly', undo: (_, json) => compact(json) },
  json_compacted: {
    phrase: 're-serialising the JSON with a space after each colon and comma',
    undo: (_, json) => spaced(json),
  },
  json_unindented: {
    phrase: 're-serialising the JSON with an indent of two spaces',
    undo: (_, json) => JSON.stringify(json, undefined, 2),
  },
  json_unescaped: {
    phrase: 're-serialising the JSON compactly, escaping what is not ASCII',
    undo: (_, json) => ascii(compact(json)),
  },
  json_unescaped_and_compacted: {
    phrase: 're-serialising the JSON with a space after each colon and comma, escaping what is not ASCII',
    undo: (_, json) => ascii(spaced(json)),
  },
} as const satisfies Record<string, { phrase: string; undo: Undo }>

export type BodyChange = keyof typeof changes

/** How the change is undone, for the sentence "it verifies after …". */
export function undoing(change: BodyChange): string {
  return changes[change].phrase
}

/** The bodies that could have become this one, likely ones first; each is made on demand. */
export function* bodiesBefore(body: Uint8Array): Generator<{ change: BodyChange; bytes: Uint8Array }> {
  if (body.byteLength > MAX_REWRITTEN_BYTES) return
  const json = parse(body)
  for (const [change, { undo }] of Object.entries(changes) as [BodyChange, { undo: Undo }][]) {
    const before = attempt(() => undo(body, json))
    if (before === undefined) continue
    const bytes = joinBytes(before)
    if (!same(bytes, body)) yield { change, bytes }
  }
}

function withoutFinalNewline(body: Uint8Array): Uint8Array | undefined {
  if (body.at(-1) !== LF) return undefined
  return body.subarray(0, body.at(-2) === CR ? -2 : -1)
}

function withoutTrailingSpace(body: Uint8Array): Uint8Array {
  let end = body.length
  while (SPACES.has(body[end - 1] ?? 0)) end--
  return body.subarray(0, end)
}

function withoutCarriageReturns(body: Uint8Array): Uint8Array {
  return body.filter((byte, at) => byte !== CR || body[at + 1] !== LF)
}

function withCarriageReturns(body: Uint8Array): Uint8Array {
  const lines = body.reduce((count, byte, at) => count + Number(byte === LF && body[at - 1] !== CR), 0)
  const grown = new Uint8Array(body.length + lines)
  let end = 0
  for (const [at, byte] of body.entries()) {
    if (byte === LF && body[at - 1] !== CR) grown[end++] = CR
    grown[end++] = byte
  }
  return grown
}

function withoutByteOrderMark(body: Uint8Array): Uint8Array | undefined {
  return BYTE_ORDER_MARK.every((byte, at) => body[at] === byte) ? body.subarray(3) : undefined
}

function parse(body: Uint8Array): unknown {
  if (isDeeperThan(MAX_JSON_DEPTH, body)) return undefined
  return attempt(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown)
}

/** Not every body is JSON. */
function attempt<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch {
    return undefined
  }
}

function compact(json: unknown): string {
  return JSON.stringify(json)
}

/** As Python's json.dumps writes it: `{"a": [1, 2]}`. */
function spaced(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(spaced).join(', ')}]`
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  const members = Object.entries(json).map(([key, value]) => `${JSON.stringify(key)}: ${spaced(value)}`)
  return `{${members.join(', ')}}`
}

function ascii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
