import type { IncomingMessage } from 'node:http'

/** A sender that ended before its body did. */
export class Incomplete extends Error {}

/** Bytes beyond the limit that are read and thrown away, so that the sender gets to read its 413. */
const PATIENCE = 64 * 1024 * 1024

/**
 * The exact bytes of a body. Of one that is larger than `limit`, `tooLarge` and no bytes, once the sender has sent
 * the rest or more of it than anybody should. Rejects with Incomplete.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<{ body: Uint8Array; tooLarge: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ body: Uint8Array; tooLarge: boolean }>()
  const tooLarge = { body: new Uint8Array(), tooLarge: true }
  const { expect, 'content-length': announced } = request.headers
  // This sender waits to be asked for the body, and is not.
  if (expect !== undefined && Number(announced) > limit) return Promise.resolve(tooLarge)
  let chunks: Uint8Array[] = []
  let length = 0
  request.on('data', (chunk: Uint8Array) => {
    length += chunk.byteLength
    if (length <= limit) chunks.push(chunk)
    else chunks = []
    if (length > limit + PATIENCE) resolve(tooLarge)
  })
  let ended = false
  request.once('end', () => {
    ended = true
    resolve(length > limit ? tooLarge : { body: Buffer.concat(chunks, length), tooLarge: false })
  })
  // An error costs a look at the stack: not for the requests that ended as they should.
  const cut = () => {
    if (!ended) reject(new Incomplete())
  }
  request.once('error', cut)
  request.once('close', cut)
  return promise
}
