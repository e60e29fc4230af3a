/** One HTTP request and its answer, and the function that sends it: what every transport takes and returns. */
import type { Readable } from 'node:stream'
import type { Download, Retry } from '../contract/endpoint.ts'
import type { OperationRef } from './errors.ts'

/** Limits in milliseconds. They run on real timers, because what they guard is a real socket. */
export interface Timeouts {
  /** TCP and TLS, and the proxy's tunnel. Default 10 s. */
  readonly connectMs: number
  /** From the last byte sent to the first of the answer. Default 30 s. */
  readonly headersMs: number
  /** Without a single byte, while a body arrives. Default 30 s. */
  readonly idleMs: number
  /** For the whole of a JSON body: ends a slow drip. Default 60 s. */
  readonly bodyMs: number
  /** For the whole of a file, in either direction. Default 30 min. */
  readonly fileMs: number
}

/** Names are lower case. */
export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Bytes to send: as they are, or opened anew for each attempt with a length known beforehand. */
export type HttpBody =
  | { readonly bytes: Uint8Array }
  | { readonly length: number; readonly open: () => AsyncIterable<Uint8Array> }

/** When a failed request may be sent again, once it is known whether an Idempotency-Key goes with it. */
export type Repeats = Exclude<Retry, 'with-key'>

export interface HttpRequest {
  readonly operation: OperationRef
  readonly method: string
  /** Path and query, encoded, from the root of the origin. */
  readonly target: string
  /** The same for a log: no session id, no token. */
  readonly shownTarget: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: HttpBody | undefined
  /** How the body of a success is read: whole, as a stream, or by its Content-Type (JSON whole, the rest as a stream). */
  readonly reads: 'whole' | 'stream' | 'by-type'
  readonly repeats: Repeats
}

/** The answer to one attempt. An error status always comes whole. */
export interface HttpAnswer {
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

export interface HttpReply {
  readonly status: number
  readonly headers: ReplyHeaders
  /** As sent, so perhaps compressed. Fails when it is cut or stalls. */
  readonly body: Readable
}

export interface Transport {
  /** Rejects with errors that failures.ts tells apart, or with the signal's reason at once. */
  send(
    request: Pick<HttpRequest, 'method' | 'target' | 'headers' | 'body'>,
    signal: AbortSignal,
  ): Promise<HttpReply>
  close(): Promise<void>
  readonly closed: boolean
}

export interface TransportOptions {
  readonly origin: string
  readonly proxy: URL | undefined
  readonly timeouts: Timeouts
}

/** Creates the transport of an origin. Nothing is loaded and no connection opened before the first request. */
export type CreateTransport = (options: TransportOptions) => Transport
