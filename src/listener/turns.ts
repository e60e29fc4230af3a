/**
 * Lets bodies in very many chunks be read in turns, one of them in each turn of the event loop: a chunk costs a few
 * microseconds however small it is, and a socket may bring ten thousand of them at once.
 */
import type { IncomingMessage } from 'node:http'

/** A body of chunks of a kilobyte or more never gets there. */
const CHUNKS_PER_TURN = 1000

const waiting: (() => void)[] = []

/** Counts the chunks of a request; to be called for each. */
export function turnsOf(request: IncomingMessage): () => void {
  let chunks = 0
  let waits = false
  const resume = () => {
    chunks = 0
    waits = false
    request.socket.resume()
  }
  return () => {
    if (++chunks < CHUNKS_PER_TURN || waits) return
    waits = true
    // The request goes on flowing, so that no chunk is kept as one, and must not start its socket again by itself.
    request._read = () => undefined
    request.socket.pause()
    waiting.push(resume)
    if (waiting.length === 1) setImmediate(nextTurn)
  }
}

function nextTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(nextTurn)
}
