/**
 * Bounds the connections of the listener. Those that wait for their sender (silent, with an unfinished header or body, or
 * answered) give way to new ones, the oldest first; one whose delivery is being handled never does.
 */
import type { Socket } from 'node:net'

/** The service opens a few; a process may have some thousand, and forwards need some of them. */
const MAX_CONNECTIONS = 2000
/** Of one remote address; a proxy or a tunnel is one address for everybody. */
const MAX_PER_ADDRESS = 250

export interface ConnectionLimits {
  max?: number | undefined
  maxPerAddress?: number | undefined
  /** Addresses of proxies: like loopback, without a limit of their own. */
  trustedProxies?: readonly string[] | undefined
}

/** The connections of one remote address. */
interface Share {
  count: number
  readonly waiting: Set<Connection>
}

interface Connection {
  readonly socket: Socket
  readonly source: string
  /** Undefined for loopback and trusted proxies. */
  readonly share: Share | undefined
  /** Requests that have arrived completely and are not answered. */
  handled: number
}

export class Connections {
  readonly #max: number
  readonly #maxPerAddress: number
  readonly #unlimited: ReadonlySet<string>
  readonly #all = new Map<Socket, Connection>()
  /** The oldest first. */
  readonly #waiting = new Set<Connection>()
  readonly #shares = new Map<string, Share>()
  #handled = 0
  #onIdle: (() => void) | undefined

  constructor({ max, maxPerAddress, trustedProxies = [] }: ConnectionLimits = {}) {
    this.#max = max ?? MAX_CONNECTIONS
    this.#maxPerAddress = maxPerAddress ?? MAX_PER_ADDRESS
    this.#unlimited = new Set(trustedProxies.map(sourceOf))
  }

  /** Takes a new connection in; it, or an older one, is closed when there are too many. */
  add(socket: Socket): void {
    const source = sourceOf(socket.remoteAddress ?? '')
    const share = isLoopback(source) || this.#unlimited.has(source) ? undefined : this.#shareOf(source)
    const full =
      (share !== undefined && share.count >= this.#maxPerAddress && !this.#close(share.waiting)) ||
      (this.#all.size >= this.#max && !this.#close(this.#waiting))
    if (full) {
      socket.destroy()
      return
    }
    const connection = { socket, source, share, handled: 0 }
    this.#all.set(socket, connection)
    if (share !== undefined) {
      share.count++
      this.#shares.set(source, share)
    }
    this.#wait(connection)
    socket.once('close', () => this.#remove(connection))
  }

  /** Requests that have arrived completely and are not answered. */
  get handled(): number {
    return this.#handled
  }

  /** A request has arrived completely: it is handled until `answered` is called. */
  arrived(socket: Socket): void {
    this.#handled++
    const connection = this.#all.get(socket)
    if (connection === undefined || connection.handled++ > 0) return
    this.#waiting.delete(connection)
    connection.share?.waiting.delete(connection)
  }

  answered(socket: Socket): void {
    this.#handled--
    if (this.#handled === 0) this.#onIdle?.()
    const connection = this.#all.get(socket)
    if (connection !== undefined && --connection.handled === 0) this.#wait(connection)
  }

  /** Closes every connection that waits for its sender; resolves once no request is being handled. */
  async drain(): Promise<void> {
    for (const connection of [...this.#waiting]) {
      // An answer may still be leaving.
      if (connection.socket.writableLength === 0) this.#remove(connection).destroy()
    }
    if (this.#handled > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  /** Closes the oldest of them; false when there is none. */
  #close(waiting: ReadonlySet<Connection>): boolean {
    const [oldest] = waiting
    if (oldest === undefined) return false
    this.#remove(oldest).destroy()
    return true
  }

  #wait(connection: Connection): void {
    this.#waiting.add(connection)
    connection.share?.waiting.add(connection)
  }

  #remove(connection: Connection): Socket {
    const { socket, source, share } = connection
    if (!this.#all.delete(socket)) return socket
    this.#waiting.delete(connection)
    if (share !== undefined) {
      share.waiting.delete(connection)
      if (--share.count === 0) this.#shares.delete(source)
    }
    return socket
  }

  #shareOf(source: string): Share {
    return this.#shares.get(source) ?? { count: 0, waiting: new Set() }
  }
}

/** What counts as one address: an IPv4 address, and of IPv6 the network of 64 bits that one customer gets. */
export function sourceOf(address: string): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!bare.includes(':') || bare === '::1') return bare
  const [start = '', end = ''] = bare.toLowerCase().split('::')
  const groups = start === '' ? [] : start.split(':')
  const rest = end.split(':')
  const missing = Math.max(0, 8 - groups.length - rest.length)
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...rest]
  return `${all.slice(0, 4).join(':')}::/64`
}

function isLoopback(source: string): boolean {
  return source === '::1' || source.startsWith('127.')
}
