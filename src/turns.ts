/**
 * Lets bodies in very many chunks be read in turns: a chunk costs a few microseconds however small it is, and a socket may
 * bring ten thousand of them at once.
 */
import type { IncomingMessage } from 'node:http'

/** A body of a mebibyte in chunks of a kilobyte or more never gets there. */
const CHUNKS_PER_TURN = 1000
/** Between two turns: what else there is to do gets most of the time. */
const PAUSE_MS = 40

interface Source {
  pause: () => void
  resume: () => void
}

const waiting: (() => void)[] = []
let running = false

/**
 * Returns a function to be called for each chunk: after many of them the source is paused until it is its turn. With `wait` it
 * waits for its first turn as well, ahead of the others.
 */
export function inTurns({ pause, resume }: Source, { wait = false } = {}): () => void {
  let chunks = 0
  let waits = wait
  const turn = () => {
    chunks = 0
    waits = false
    resume()
  }
  if (wait) {
    pause()
    waiting.unshift(turn)
  }
  return () => {
    if (++chunks < CHUNKS_PER_TURN || waits) return
    waits = true
    pause()
    waiting.push(turn)
    start()
  }
}

/**
 * The same for the body of a request. While others are in many chunks, one of unknown length waits for its first turn. One
 * with a Content-Length comes in pieces as large as the socket's, and needs no turns.
 */
export function requestInTurns(request: IncomingMessage): () => void {
  if (request.headers['transfer-encoding'] === undefined) return () => undefined
  const pause = () => {
    // The request goes on flowing, so that no chunk is kept as one, and must not start its socket again by itself.
    request._read = () => undefined
    request.socket.pause()
  }
  const resume = () => request.socket.resume()
  // Begins to read: a request that nobody reads is discarded by Node once it is answered, in one go.
  request.read(0)
  return inTurns({ pause, resume }, { wait: running })
}

function start(): void {
  if (running) return
  running = true
  setImmediate(nextTurn)
}

function nextTurn(): void {
  const turn = waiting.shift()
  if (turn === undefined) {
    running = false
    return
  }
  turn()
  setTimeout(nextTurn, PAUSE_MS)
}
