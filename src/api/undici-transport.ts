/**
 * Sends a request with undici, directly or through a proxy. undici is loaded at the first request, and only the parts that
 * a request needs: the whole package takes three times as long to load.
 */
import { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { unlessAborted } from './deadline.ts'
import type { HttpRequest, Transport, TransportOptions } from './http.ts'

/** Bytes: Node's own limit. Asking Node for it would load its HTTP client. */
const maxHeaderSize = 16 * 1024

/** Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0, left in a shell for another program, has no effect. */
const tls = { rejectUnauthorized: true }

type Ask = (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>

export function undiciTransport(options: TransportOptions): Transport {
  const sockets = new OpenSockets()
  let dispatcher: Dispatcher | undefined
  let opening: Promise<Ask> | undefined
  let closed = false

  const open = async (): Promise<Ask> => {
    const [{ default: request }, opened] = await Promise.all([
      import('undici/lib/api/api-request.js'),
      options.proxy ? throughProxy(options, options.proxy, sockets) : direct(options, sockets),
    ])
    dispatcher = opened
    if (closed) await dispatcher.destroy()
    return (asked) => request.call(opened, asked)
  }

  return {
    async send(request, signal) {
      opening ??= open()
      const ask = await opening
      // undici notices an abort only once it is connected.
      const reply = await unlessAborted(
        ask({
          method: request.method as Dispatcher.HttpMethod,
          path: request.target,
          origin: options.origin,
          headers: request.headers,
          body: request.body === undefined ? null : bodyOf(request.body),
          signal,
          headersTimeout: options.timeouts.headersMs,
          bodyTimeout: options.timeouts.idleMs,
        }),
        signal,
      )
      // A body that is destroyed unread emits an error, which would end the process without a listener.
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

function bodyOf(body: NonNullable<HttpRequest['body']>): NonNullable<Dispatcher.RequestOptions['body']> {
  // undici accepts any async iterable, though its types ask for a Readable.
  return 'bytes' in body ? body.bytes : (body.open() as unknown as NodeJS.ReadableStream as never)
}

async function direct(options: TransportOptions, sockets: OpenSockets): Promise<Dispatcher> {
  const [{ default: Pool }, { default: buildConnector }] = await Promise.all([
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/core/connect.js'),
  ])
  const connect = buildConnector({ ...tls, timeout: options.timeouts.connectMs, allowH2: false })
  return new Pool(options.origin, { connect: sockets.watch(connect), allowH2: false, maxHeaderSize })
}

/** A proxy needs undici's own `connect`, which only the whole package brings along. */
async function throughProxy(
  options: TransportOptions,
  proxy: URL,
  sockets: OpenSockets,
): Promise<Dispatcher> {
  const { Pool, ProxyAgent } = await import('undici')
  const watched = (origin: URL, poolOptions: object): Dispatcher => {
    const { connect, ...rest } = poolOptions as { connect: buildConnector.connector }
    return new Pool(origin, { ...rest, connect: sockets.watch(connect) })
  }
  return new ProxyAgent({
    uri: proxy.href,
    allowH2: false,
    connectTimeout: options.timeouts.connectMs,
    requestTls: tls,
    proxyTls: tls,
    factory: watched,
    clientFactory: watched,
  })
}

/** Keeps every socket from its creation on, so that closing also ends a connection that is still being made. */
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
