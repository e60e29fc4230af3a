/** Checks whether the targets can be reached, and reports changes only. */
import { connect } from 'node:net'

export interface TargetHealth {
  /** Checks every target once. */
  start(): void
  /** Notes that a forward was answered, or could not connect. */
  seen(url: string, error: string | undefined): void
  stop(): void
}

export interface TargetHealthOptions {
  urls: readonly string[]
  onChange: (url: string, up: boolean, error: string) => void
  /** Between checks of a target that is down. */
  everyMs: number
}

/** Per origin, because routes may lead to several paths of one server. */
export function createTargetHealth({ urls, onChange, everyMs }: TargetHealthOptions): TargetHealth {
  const down = new Map<string, NodeJS.Timeout>()
  const stopped = new AbortController()

  function seen(url: string, error: string | undefined): void {
    if (error === undefined && down.size === 0) return
    const { origin } = new URL(url)
    if (stopped.signal.aborted || (error !== undefined) === down.has(origin)) return
    if (error === undefined) {
      clearInterval(down.get(origin))
      down.delete(origin)
    } else {
      const timer = setInterval(() => check(origin), everyMs)
      timer.unref()
      down.set(origin, timer)
    }
    onChange(origin, error === undefined, error ?? '')
  }

  function check(origin: string): void {
    void reach(origin, everyMs).then((error) => seen(origin, error))
  }

  return {
    start() {
      for (const origin of new Set(urls.map((url) => new URL(url).origin))) check(origin)
    },
    seen,
    stop() {
      stopped.abort()
      for (const timer of down.values()) clearInterval(timer)
    },
  }
}

/** Opens a connection and closes it. Resolves to undefined, or to the error's code. */
function reach(origin: string, timeoutMs: number): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replace(/[[\]]/g, '')
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: timeoutMs,
    })
    socket.unref()
    const done = (error?: string) => {
      socket.destroy()
      resolve(error)
    }
    socket.once('connect', () => done())
    socket.once('timeout', () => done('no answer to the connection attempt'))
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
  })
}
