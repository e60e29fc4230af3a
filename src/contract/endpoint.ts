/**
 * Declares an operation of the API as data. The caller's types, the emulator's handlers and the coverage table derive
 * from these declarations; nothing about an operation is written twice.
 */
import type { z } from 'zod'
import type { KnownErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'
import type { Download, Upload } from './values.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Named schemas: of a path's parameters, of a query string, of a JSON body's fields. */
export type Fields = Readonly<Record<string, z.ZodType>>

/** How a request is authenticated. `portal-body` signs the raw body, `portal-user` the X-Portal-Idp-User-Id value. */
export type Auth = 'bearer' | 'portal-body' | 'portal-user' | 'none'

/**
 * When a failed request may be sent again. `safe`: after any failure that could pass (reads and deletes). `with-key`: the
 * same, but only with an Idempotency-Key. `if-refused`: only when the service did not act on it (a refused connection, a
 * 429). `never`: not even then; only the user may ask again.
 */
export type Retry = 'safe' | 'with-key' | 'if-refused' | 'never'

/** The service's treatment of an Idempotency-Key: `honoured`, `ignored` (reserved), or `unspecified` by the reference. */
export type IdempotencyKey = 'honoured' | 'ignored' | 'unspecified'

/** A response that is a file: PDF bytes, an image, an HTML page. */
export interface FileBody {
  readonly file: readonly string[]
}

/** A response without a body. */
export interface EmptyBody {
  readonly empty: true
}

/** A success body whose shape the schema describes, a file, or nothing. */
export type SuccessBody = z.ZodType | FileBody | EmptyBody

export const empty: EmptyBody = { empty: true }

/** A success body made of bytes. `mediaTypes` are those the reference names; the real Content-Type is authoritative. */
export function file(...mediaTypes: readonly string[]): FileBody {
  return { file: mediaTypes }
}

export interface Endpoint {
  readonly method: Method
  /** Relative to `{base_url}`, which ends in `/v3`. Parameters are in braces: `/accounts/{account_id}`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly params?: Fields
  readonly query?: Fields
  /** Header parameters of the operation itself (not authentication, not Idempotency-Key). */
  readonly headers?: Fields
  readonly body?: Fields
  /** The name of the multipart field that carries a file. Excludes `body`. */
  readonly upload?: string
  /** One entry: the success status and its body. */
  readonly success: Readonly<Record<number, SuccessBody>>
  readonly scope: Scope | null
  /** Codes it can answer with beside those that follow from the rest of the declaration (refusals.ts). */
  readonly codes?: readonly KnownErrorCode[]
  readonly auth?: Auth
  readonly retry: Retry
  readonly idempotencyKey?: IdempotencyKey
  /** Returns the pagination envelope and takes `limit` and `cursor`. */
  readonly paged?: boolean
  /** `assumed`: the reference names the operation but does not show its method and path. Overridable in the settings (overrides.ts). */
  readonly origin: 'documented' | 'assumed'
  /** What else is assumed where the reference is silent, such as shapes and parameters. */
  readonly assumes?: string
}

/** Declares an operation. Returns its argument with the literal types kept. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration
}

type Simplify<T> = { [K in keyof T]: T[K] } & {}
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: undefined extends z.input<F[K]> ? K : never
}[keyof F]
type InputOf<F> = F extends Fields
  ? { [K in Exclude<keyof F, OptionalKeys<F>>]: z.input<F[K]> } & {
      [K in OptionalKeys<F>]?: z.input<F[K]> | undefined
    }
  : unknown

type UploadOf<E> = E extends { upload: infer U extends string } ? { [K in U]: Upload } : unknown
type Of<E, K extends PropertyKey> = E extends { [P in K]: infer V } ? InputOf<V> : unknown

/** The arguments of a call: path parameters, query, header parameters and body fields in one flat object. */
export type Input<E extends Endpoint> = Simplify<
  Of<E, 'params'> & Of<E, 'query'> & Of<E, 'headers'> & Of<E, 'body'> & UploadOf<E>
>

type OutputOf<S> = S extends z.ZodType ? z.output<S> : S extends FileBody ? Download : undefined

/** The result of a call: the parsed body, a Download, or undefined for an empty one. */
export type Output<E extends Endpoint> = OutputOf<E['success'][keyof E['success']]>

/** The single success status of an operation and its body. */
export function successOf(declaration: Endpoint): { readonly status: number; readonly body: SuccessBody } {
  const [entry] = Object.entries(declaration.success)
  if (!entry) throw new TypeError(`${declaration.method} ${declaration.path} declares no success`)
  return { status: Number(entry[0]), body: entry[1] }
}

export function isFile(body: SuccessBody): body is FileBody {
  return 'file' in body
}

export function isEmpty(body: SuccessBody): body is EmptyBody {
  return 'empty' in body
}

/** `bearer` unless the declaration says otherwise: a Bearer key is required on every endpoint by default. */
export function authOf(declaration: Endpoint): Auth {
  return declaration.auth ?? 'bearer'
}
