/** Sends a request with `fetch`: the platform's own, or one that is given. */
import { Readable } from 'node:stream'
import { BankapiError } from '../errors.ts'
import { unlessAborted } from './deadline.ts'
import type { HttpBody, HttpReply, Transport, TransportOptions } from './http.ts'

export interface FetchTransportOptions extends TransportOptions {
  readonly fetch: typeof globalThis.fetch
  /** A Dispatcher of undici, which Node's `fetch` takes: for a proxy, or certificates. */
  readonly dispatcher?: object | undefined
}

/** fetch has no limit of its own for a connection: `timeouts.connectMs` is part of the time until the headers. */
export function fetchTransport(options: FetchTransportOptions): Transport {
  const { origin, fetch, dispatcher, timeouts } = options
  const closing = new AbortController()
  return {
    async send({ method, target, headers, body }, signal) {
      const ending = AbortSignal.any([signal, closing.signal])
      const init = {
        method,
        headers,
        body: body === undefined ? null : bodyOf(body),
        duplex: 'half',
        redirect: 'manual',
        signal: ending,
        ...(dispatcher === undefined ? {} : { dispatcher }),
      } as const
      // The types of fetch know neither `duplex` nor `dispatcher`.
      // One that is given may not listen to its signal.
      const ask = async () => fetch(origin + target, init as RequestInit)
      const response = await unlessAborted(ask(), ending).catch(throwCause)
      return {
        status: response.status,
        headers: headersOf(response),
        body: bytesOf(response, timeouts.idleMs),
      }
    },
    get closed() {
      return closing.signal.aborted
    },
    async close() {
      closing.abort()
    },
  }
}

function bodyOf(body: HttpBody): Uint8Array<ArrayBuffer> | ReadableStream {
  if ('bytes' in body) return body.bytes as Uint8Array<ArrayBuffer>
  return Readable.toWeb(Readable.from(body.open())) as ReadableStream
}

/** Codes of failures that Deno tells apart in words alone. */
const worded: readonly (readonly [words: RegExp, code: string])[] = [
  [/Connection refused/, 'ECONNREFUSED'],
  [/dns error/, 'ENOTFOUND'],
  [/certificate/, 'CERT_NOT_TRUSTED'],
]

/** @throws the error of the body that was sent, which fetch wraps; else its own, with a code. */
function throwCause(failure: unknown): never {
  const cause = failure instanceof Error ? failure.cause : undefined
  if (cause instanceof BankapiError) throw cause
  const [, code] = worded.find(([words]) => cause instanceof Error && words.test(cause.message)) ?? []
  if (code === undefined || (cause as { code?: string }).code !== undefined) throw failure
  throw Object.assign(new Error('fetch failed', { cause }), { code })
}

/** Without those that do not hold any more once fetch has decompressed the body. */
function headersOf({ headers }: Response): HttpReply['headers'] {
  const all = Object.fromEntries(headers)
  const { 'content-encoding': encoding, 'content-length': _, ...others } = all
  return encoding !== undefined && /^(?:(?:x-)?gzip|deflate|br|zstd)$/i.test(encoding) ? others : all
}

/** The body, which fails when no byte comes for so long. */
function bytesOf({ body }: Response, idleMs: number): Readable {
  if (body === null) return Readable.from([])
  const bytes = Readable.from(chunksOf(body, idleMs), { objectMode: false })
  // A body that is destroyed unread emits an error, which would end the process without a listener.
  bytes.on('error', () => {})
  return bytes
}

async function* chunksOf(body: ReadableStream<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await within(idleMs, reader.read())
      if (done) return
      yield value
    }
  } finally {
    // Ends the request where the caller stopped early; it rejects where the body failed.
    await reader.cancel().catch(() => {})
  }
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new IdleTimeout('no byte came in time')), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

class IdleTimeout extends Error {
  /** The code of undici's error for the same. */
  readonly code = 'UND_ERR_BODY_TIMEOUT'
}
