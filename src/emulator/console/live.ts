/** Tells open consoles that something has changed, by server-sent events. */
import type { ServerResponse } from 'node:http'

export interface Live {
  /** Tells this response of changes until it closes. False when too many listen already. */
  add(response: ServerResponse): boolean
}

const MAX_LISTENERS = 32
/** Between two looks at whether anything has changed, while somebody listens. */
const LOOK_MS = 200
/** A stream that says nothing for so long would be closed by some browsers and proxies. */
const QUIET_MS = 15_000

/** `changes` counts everything that was changed. */
export function createLive(changes: () => number): Live {
  const listeners = new Set<ServerResponse>()
  let timer: NodeJS.Timeout | undefined
  let seen = 0
  let quiet = 0

  function look(): void {
    const now = changes()
    quiet += LOOK_MS
    if (now === seen && quiet < QUIET_MS) return
    const text = now === seen ? ':\n\n' : 'data: changed\n\n'
    seen = now
    quiet = 0
    for (const listener of listeners) if (!listener.writableNeedDrain) listener.write(text)
  }

  return {
    add(response) {
      if (listeners.size >= MAX_LISTENERS) return false
      // What has changed between the page and this stream is told at once.
      response.write('retry: 1000\ndata: changed\n\n')
      listeners.add(response)
      if (timer === undefined) {
        seen = changes()
        timer = setInterval(look, LOOK_MS).unref()
      }
      response.once('close', () => {
        listeners.delete(response)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      return true
    },
  }
}
