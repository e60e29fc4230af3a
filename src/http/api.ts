/** The contract made callable: `await api.connections.refresh({ connection_id })`. */
import type { Contract } from '../contract/contract.ts'
import type { Download, Endpoint, Input, Output } from '../contract/endpoint.ts'
import type { ApiOptions, CallOptions, Reply } from './options.ts'
import type { QueryValue } from './query.ts'

type Arguments<E extends Endpoint> =
  object extends Input<E>
    ? [input?: Input<E>, options?: CallOptions]
    : [input: Input<E>, options?: CallOptions]

/** One operation as a function. Rejects with the errors of errors.ts, or with the reason of `options.signal`. */
export type Call<E extends Endpoint> = (...args: Arguments<E>) => Promise<Output<E>>

/** Any request below the base address. A path may start with `/v3` or not; it never leads to another origin. */
export interface RawRequest {
  readonly method: string
  /** `/accounts?client_id=…`, `/v3/accounts`, or the whole address as `poll_url` gives it. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>> | undefined
  /** Any but Authorization and those that belong to the connection. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?:
    | { readonly json: unknown }
    | { readonly bytes: Uint8Array; readonly contentType: string }
    | undefined
}

export interface RawResponse extends Reply {
  /** By the Content-Type of the answer: parsed JSON, or bytes as they arrive. */
  readonly body:
    | { readonly kind: 'json'; readonly value: unknown }
    | { readonly kind: 'bytes'; readonly download: Download }
    | { readonly kind: 'empty' }
}

type Callable<E> = E extends Endpoint ? Call<E> : never

export type Api = {
  readonly [A in keyof Contract]: { readonly [N in keyof Contract[A]]: Callable<Contract[A][N]> }
} & {
  /** Sends any request, with the authentication, retries and errors of the operation it matches. */
  request(request: RawRequest, options?: CallOptions): Promise<RawResponse>
  /** Drops every connection at once, so that the process can end. Calls after it fail. */
  close(): Promise<void>
}

export declare function createApi(options: ApiOptions): Api
