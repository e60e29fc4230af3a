/** One HTTP request and its answer, and the function that sends it: what every transport takes and returns. */
import type { Readable } from 'node:stream'
import type { Download } from '../contract/values.ts'
import type { OperationRef } from './errors.ts'
import type { ReplyHeaders, Timeouts } from './options.ts'

/** Bytes to send: as they are, or opened anew for each attempt with a length known beforehand. */
export type HttpBody =
  | { readonly bytes: Uint8Array }
  | { readonly length: number; readonly open: () => AsyncIterable<Uint8Array> }

/** When a failed request may be sent again, once it is known whether an Idempotency-Key goes with it. */
export type Repeats = 'safe' | 'if-refused' | 'never'

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
