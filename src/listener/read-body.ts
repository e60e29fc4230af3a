/** Reads the body of a delivery up to a limit. */
import type { IncomingMessage } from 'node:http'
import { GrowingBuffer } from '../growing-buffer.ts'
import { requestInTurns } from '../turns.ts'
import type { BodyMemory } from './body-memory.ts'

/** The sender closed the connection before the end of the body. */
export class Incomplete extends Error {}

/** There is no memory for the body now. */
export class Overloaded extends Error {}

export interface RequestBody {
  body: Uint8Array
  tooLarge: boolean
  /** Gives its memory back. */
  release: () => void
}

/** Beyond the limit, these are read and thrown away, so that the sender gets to read its 413. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/**
 * The exact bytes of a body; for one larger than `maxBytes`, `tooLarge` and no bytes, once the sender has sent the rest
 * or `MAX_DISCARDED_BYTES` of it. Rejects with Incomplete or Overloaded.
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, memory }: { maxBytes: number; memory: BodyMemory },
): Promise<RequestBody> {
  const { promise, resolve, reject } = Promise.withResolvers<RequestBody>()
  const { expect, 'content-length': contentLength } = request.headers
  const announced = Number(contentLength)
  const tooLarge = { body: new Uint8Array(), tooLarge: true, release: () => undefined }
  // With Expect, the sender waits for a 100 Continue before it sends the body: it gets none.
  if (expect !== undefined && announced > maxBytes) return Promise.resolve(tooLarge)

  let whole: Uint8Array | undefined
  let buffer: GrowingBuffer | undefined
  let length = 0
  let overloaded = false
  const overload = () => {
    overloaded = true
    whole = buffer = undefined
    reject(new Overloaded())
  }
  const held = memory.hold(overload)
  const countChunk = requestInTurns(request)
  request.on('data', (chunk: Uint8Array) => {
    countChunk()
    length += chunk.byteLength
    if (overloaded) return
    if (length > maxBytes) {
      held.release()
      whole = buffer = undefined
      if (length > maxBytes + MAX_DISCARDED_BYTES) resolve(tooLarge)
    } else if (!held.take(chunk.byteLength)) {
      held.drop()
    } else if (chunk.byteLength === announced) {
      // Most deliveries come in one piece: it is not copied.
      whole = chunk
    } else {
      buffer ??= new GrowingBuffer(maxBytes)
      buffer.append(chunk)
    }
  })
  let ended = false
  request.once('end', () => {
    ended = true
    held.arrived()
    if (length > maxBytes) resolve(tooLarge)
    else
      resolve({ body: whole ?? buffer?.bytes() ?? new Uint8Array(), tooLarge: false, release: held.release })
  })
  // Capturing a stack is slow: only for requests that did not end as they should.
  const cut = () => {
    if (ended) return
    held.release()
    reject(new Incomplete())
  }
  request.once('error', cut)
  request.once('close', cut)
  return promise
}
