/** The wire itself: undici, opened at the first request, for one origin and straight or through one proxy. */
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { buildConnector, Dispatcher } from 'undici'
import { unlessAborted } from './deadline.ts'
import type { ReplyHeaders, Timeouts } from './options.ts'
import type { WireRequest } from './wire.ts'

export interface WireReply {
  readonly status: number
  readonly headers: ReplyHeaders
  /** As sent, so perhaps compressed. Fails when it is cut or stalls. */
  readonly body: Readable
}

export interface Transport {
  /** Rejects with undici's own errors, or with the signal's reason at once. */
  send(
    request: Pick<WireRequest, 'method' | 'target' | 'headers' | 'body'>,
    signal: AbortSignal,
  ): Promise<WireReply>
  close(): Promise<void>
  readonly closed: boolean
}

interface Place {
  readonly origin: string
  readonly proxy: URL | undefined
  readonly timeouts: Timeouts
}

/** Bytes: what Node allows. Asking Node for it would load its own HTTP client. */
const maxHeaderSize = 16 * 1024

/** Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0, left in a shell for some other program, changes nothing here. */
const tls = { rejectUnauthorized: true }

type Ask = (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>

export function createTransport(place: Place): Transport {
  const sockets = new OpenSockets()
  let dispatcher: Dispatcher | undefined
  let opening: Promise<Ask> | undefined
  let closed = false

  const open = async (): Promise<Ask> => {
    const [{ request }, opened] = await Promise.all([
      import('./undici.ts'),
      place.proxy ? throughProxy(place, place.proxy, sockets) : direct(place, sockets),
    ])
    dispatcher = opened
    if (closed) await dispatcher.destroy()
    return (options) => request.call(opened, options)
  }

  return {
    async send(request, signal) {
      opening ??= open()
      const ask = await opening
      // undici notices an abort only once a connection stands; nobody should wait for that.
      const reply = await unlessAborted(
        ask({
          method: request.method as Dispatcher.HttpMethod,
          path: request.target,
          origin: place.origin,
          headers: request.headers,
          body: request.body === undefined ? null : bodyOf(request.body),
          signal,
          headersTimeout: place.timeouts.headersMs,
          bodyTimeout: place.timeouts.idleMs,
        }),
        signal,
      )
      // Dropped unread, it reports that as an error event, which nobody else would hear.
      reply.body.on('error', () => {})
      return { status: reply.statusCode, headers: reply.headers, body: reply.body }
    },
    get closed() {
      return closed
    },
    async close() {
      closed = true
      await dispatcher?.destroy()
      sockets.destroy()
    },
  }
}

function bodyOf(body: NonNullable<WireRequest['body']>): NonNullable<Dispatcher.RequestOptions['body']> {
  // undici takes any async iterable, which its types say with Readable.
  return 'bytes' in body ? body.bytes : (body.open() as unknown as NodeJS.ReadableStream as never)
}

async function direct(place: Place, sockets: OpenSockets): Promise<Dispatcher> {
  const { Pool, buildConnector } = await import('./undici.ts')
  const connect = buildConnector({ ...tls, timeout: place.timeouts.connectMs, allowH2: false })
  return new Pool(place.origin, { connect: sockets.watch(connect), allowH2: false, maxHeaderSize })
}

/** A proxy needs undici's own `connect`, which only the whole package brings along. */
async function throughProxy(place: Place, proxy: URL, sockets: OpenSockets): Promise<Dispatcher> {
  const { Pool, ProxyAgent } = await import('./whole-undici.ts')
  const watched = (origin: URL, options: object): Dispatcher => {
    const { connect, ...rest } = options as { connect: buildConnector.connector }
    return new Pool(origin, { ...rest, connect: sockets.watch(connect) })
  }
  return new ProxyAgent({
    uri: proxy.href,
    allowH2: false,
    connectTimeout: place.timeouts.connectMs,
    requestTls: tls,
    proxyTls: tls,
    factory: watched,
    clientFactory: watched,
  })
}

/** Sockets from their first packet on, so that closing does not wait for a connection that is still being made. */
class OpenSockets {
  readonly #open = new Set<Socket>()

  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      const socket: unknown = connect(options, callback)
      if (socket instanceof Socket) {
        this.#open.add(socket)
        socket.once('close', () => this.#open.delete(socket))
      }
      return socket
    }
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy()
  }
}
