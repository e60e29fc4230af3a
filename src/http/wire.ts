/** A request and its answer between the layers: composed here, sent and read there, understood above. */
import type { Download, Retry } from '../contract/endpoint.ts'
import type { OperationRef } from './errors.ts'
import type { ReplyHeaders } from './options.ts'

/** Bytes to send: as they are, or opened anew for each attempt with a length known beforehand. */
export type WireBody =
  | { readonly bytes: Uint8Array }
  | { readonly length: number; readonly open: () => AsyncIterable<Uint8Array> }

/** When a failed request may be sent again, once it is known whether an Idempotency-Key goes with it. */
export type Repeats = Exclude<Retry, 'with-key'>

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
export interface Answer {
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
