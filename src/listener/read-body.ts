/** Reads the body of a delivery up to a limit. */
import type { IncomingMessage } from 'node:http'

/** The sender closed the connection before the end of the body. */
export class Incomplete extends Error {}

/** Beyond the limit, these are read and thrown away, so that the sender gets to read its 413. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/**
 * The exact bytes of a body; for one larger than `maxBytes`, `tooLarge` and no bytes, once the sender has sent the rest
 * or `MAX_DISCARDED_BYTES` of it. Rejects with Incomplete.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ body: Uint8Array; tooLarge: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ body: Uint8Array; tooLarge: boolean }>()
  const tooLarge = { body: new Uint8Array(), tooLarge: true }
  const { expect, 'content-length': announced } = request.headers
  // With Expect, the sender waits for a 100 Continue before it sends the body: it gets none.
  if (expect !== undefined && Number(announced) > maxBytes) return Promise.resolve(tooLarge)
  let chunks: Uint8Array[] = []
  let length = 0
  request.on('data', (chunk: Uint8Array) => {
    length += chunk.byteLength
    if (length <= maxBytes) chunks.push(chunk)
    else chunks = []
    if (length > maxBytes + MAX_DISCARDED_BYTES) resolve(tooLarge)
  })
  let ended = false
  request.once('end', () => {
    ended = true
    resolve(length > maxBytes ? tooLarge : { body: Buffer.concat(chunks, length), tooLarge: false })
  })
  // Capturing a stack is slow: only for requests that did not end as they should.
  const cut = () => {
    if (!ended) reject(new Incomplete())
  }
  request.once('error', cut)
  request.once('close', cut)
  return promise
}
