/** Bounds the requests of one connection that wait for their answer: a sender that pipelines gets no more memory and time. */
import type { IncomingMessage, RequestListener } from 'node:http'

const MAX_UNANSWERED = 4

/** A handler of requests that closes a connection whose sender does not wait for four answers. */
export function limitPipelining(handle: RequestListener): RequestListener {
  const unanswered = new WeakMap<IncomingMessage['socket'], number>()
  return (request, response) => {
    const { socket } = request
    // Node goes on with the requests that came in one piece with the one too many.
    if (socket.destroyed) return
    const count = unanswered.get(socket) ?? 0
    if (count >= MAX_UNANSWERED) {
      leaveRest(socket)
      socket.destroy()
      return
    }
    unanswered.set(socket, count + 1)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    handle(request, response)
  }
}

/**
 * Stops the parser at this request: of those that came in one piece with it, Node would make an object each, although the
 * socket is destroyed. Undocumented: a test shows that Node still has it. Without it the same happens, later.
 */
function leaveRest(
  socket: IncomingMessage['socket'] & { parser?: { onIncoming: () => number } | null },
): void {
  // What Node itself returns for an upgrade: what follows is no HTTP.
  if (socket.parser) socket.parser.onIncoming = () => 2
}
