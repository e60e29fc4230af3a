/** Sends a request and receives its answer: undici, opened at the first request, for one origin, directly or through a proxy. */
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { buildConnector, Dispatcher } from 'undici'
import type { Download } from '../contract/endpoint.ts'
import type { OperationRef } from './errors.ts'
import type { ReplyHeaders, Timeouts } from './options.ts'

/** Bytes to send: as they are, or opened anew for each attempt with a length known beforehand. */
export type WireBody =
  | { readonly bytes: Uint8Array }
  | { readonly length: number; readonly open: () => AsyncIterable<Uint8Array> }

/**
 * When a failed request may be sent again. `freely`: after any failure that could pass. `unsent`: only when the
 * service cannot have acted on it (a 429, a refused connection). `never`: not at all.
 */
export type Repeats = 'freely' | 'unsent' | 'never'

export interface WireRequest {
  readonly operation: OperationRef
  readonly method: string
  /** Path and query, encoded, from the root of the origin. */
  readonly target: string
  /** The same for a log: no session id, no token. */
  readonly shownTarget: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: WireBody | undefined
  /** How a success is taken: whole, as a stream, or by its Content-Type (JSON whole, anything else as a stream). */
  readonly reads: 'whole' | 'stream' | 'by-type'
  readonly repeats: Repeats
}

/** The answer to one attempt. An error status always comes whole. */
export interface WireAnswer {
  readonly status: number
  readonly headers: ReplyHeaders
  readonly traceId: string | undefined
  readonly content:
    | { readonly kind: 'whole'; readonly bytes: Uint8Array }
    | { readonly kind: 'stream'; readonly download: Download; readonly discard: () => void }
}

/** The first value of a header; names are lower case. */
export function header(headers: ReplyHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value[0] : value
}

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

interface MethodAndPath {
  readonly origin: string
  readonly proxy: URL | undefined
  readonly timeouts: Timeouts
}

/** Bytes: what Node allows. Asking Node for it would load its own HTTP client. */
const maxHeaderSize = 16 * 1024

/** Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0, left in a shell for some other program, changes nothing here. */
const tls = { rejectUnauthorized: true }

type Ask = (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>

export function createTransport(place: MethodAndPath): Transport {
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

async function direct(place: MethodAndPath, sockets: OpenSockets): Promise<Dispatcher> {
  const { Pool, buildConnector } = await import('./undici.ts')
  const connect = buildConnector({ ...tls, timeout: place.timeouts.connectMs, allowH2: false })
  return new Pool(place.origin, { connect: sockets.watch(connect), allowH2: false, maxHeaderSize })
}

/** A proxy needs undici's own `connect`, which only the whole package brings along. */
async function throughProxy(place: MethodAndPath, proxy: URL, sockets: OpenSockets): Promise<Dispatcher> {
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

export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  #timer: NodeJS.Timeout | undefined
  #expired = false

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer
    if (outer?.aborted) this.#follow()
    else outer?.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether it was the time that ran out. */
  get expired(): boolean {
    return this.#expired
  }

  /** Starts the time anew: from now on `ms` milliseconds are left. */
  allow(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#expired = true
      this.#controller.abort(new Error('the time allowed ran out'))
    }, ms)
    // What is waited for holds the process by its socket; a download that nobody reads shall not.
    this.#timer.unref()
  }

  /** Forgets the timer and the caller's signal. */
  end(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#outer?.reason)
  }
}

/** Settles like the promise, or rejects with the signal's reason as soon as it is aborted. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
