/** Sends any request below the base URL, with the rules of the operation it matches: `bankapi api GET /accounts`. */
import { authOf, type Endpoint } from '../contract/endpoint.ts'
import { isBelowRoot, type MethodAndPath } from '../contract/overrides.ts'
import { headers as names } from '../contract/service.ts'
import type { Download } from '../contract/values.ts'
import { type BaseAddress, fillPath, methodAndPathOf, type QueryValue, rawTarget } from './address.ts'
import { parseJson, throwForStatus } from './answer.ts'
import { authorize, headerValues } from './compose.ts'
import { masked, maskedTarget } from './debug-log.ts'
import { InputError, type OperationRef } from './errors.ts'
import type { HttpAnswer, HttpRequest } from './http.ts'
import type { ApiOptions, Reply } from './options.ts'
import { repeatsOf } from './retry.ts'

/** A path may start with `/v3` or not; it never leads to another origin. */
export interface RawRequest {
  readonly method: string
  /** `/accounts?client_id=…`, `/v3/accounts`, or the whole address as `poll_url` gives it. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>> | undefined
  /** Any but Authorization and those that belong to the connection. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: RawBody | undefined
}

export type RawBody =
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array; readonly contentType: string }

export interface RawResponse extends Reply {
  /** Parsed JSON, or bytes as they arrive, depending on the Content-Type of the answer. */
  readonly body:
    | { readonly kind: 'json'; readonly value: unknown }
    | { readonly kind: 'bytes'; readonly download: Download }
    | { readonly kind: 'empty' }
}

export interface Match {
  readonly ref: OperationRef
  readonly endpoint: Endpoint | undefined
  /** The path below the base as a log may show it. */
  readonly shownPath: string
}

/** Headers that the connection or the authentication owns. */
const ownHeaders = [
  'authorization',
  'proxy-authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  names.portalSignature.toLowerCase(),
]

/** @throws InputError for what cannot be sent; whatever the credential source rejects with. */
export async function composeRaw(
  request: RawRequest,
  options: ApiOptions,
  base: BaseAddress,
): Promise<{ httpRequest: HttpRequest; match: Match }> {
  const method = request.method.toUpperCase()
  if (!/^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(method)) {
    throw new InputError('invalid_parameter', `${method} is no method of this API`, {
      param: 'method',
      hint: 'GET, POST, PATCH or DELETE',
    })
  }
  const { target, path, query } = rawTarget(base, request.path, request.query ?? {})
  const match = await matching(method, path, options.overrides ?? {})
  const own = checked(request.headers ?? {})
  const content = contentOf(request.body)
  const hasKey = Object.keys(own).some((name) => name.toLowerCase() === names.idempotencyKey.toLowerCase())
  const auth = match.endpoint ? authOf(match.endpoint) : 'bearer'
  const body = content?.bytes ?? new Uint8Array()
  const httpRequest: HttpRequest = {
    operation: match.ref,
    method,
    target,
    shownTarget: base.root + match.shownPath + maskedTarget(query),
    headers: withDefaults(own, {
      Accept: 'application/json, */*;q=0.9',
      'Accept-Encoding': 'identity',
      'User-Agent': options.userAgent,
      ...(content
        ? { 'Content-Type': content.contentType, 'Content-Length': String(content.bytes.byteLength) }
        : {}),
      ...(await authorize(auth, options, { body, headers: own })),
    }),
    body: content ? { bytes: content.bytes } : undefined,
    reads: method === 'HEAD' ? 'whole' : 'by-type',
    repeats: method === 'HEAD' || method === 'OPTIONS' ? 'safe' : repeatsOf(match.endpoint, method, hasKey),
  }
  return { httpRequest, match }
}

/** @throws ApiResponseError, UnreadableResponseError */
export async function rawResponse(answer: HttpAnswer, match: Match, now: number): Promise<RawResponse> {
  await throwForStatus(answer, { operation: match.ref, endpoint: match.endpoint, now })
  const { status, headers, traceId, content } = answer
  const reply = { status, headers, traceId }
  if (content.kind === 'stream') return { ...reply, body: { kind: 'bytes', download: content.download } }
  if (content.bytes.byteLength === 0) return { ...reply, body: { kind: 'empty' } }
  return { ...reply, body: { kind: 'json', value: parseJson(answer, match.ref) } }
}

/** The operation whose method and path the request has; the one with the fewest parameters when several do. */
async function matching(
  method: string,
  path: string,
  overrides: NonNullable<ApiOptions['overrides']>,
): Promise<Match> {
  const { everyEndpoint } = await import('../contract/contract.ts')
  const matches = everyEndpoint().flatMap(({ area, name, endpoint }) => {
    const methodAndPath = methodAndPathOf(`${area}.${name}`, endpoint, overrides[`${area}.${name}`])
    const params = methodAndPath.method === method ? paramsIn(methodAndPath, path) : undefined
    return params ? [{ area, name, endpoint, methodAndPath, params }] : []
  })
  const [best] = matches.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)
  if (!best) return { ref: { method, path }, endpoint: undefined, shownPath: path }
  const { area, name, endpoint, methodAndPath, params } = best
  return {
    ref: { ...methodAndPath, area, name },
    endpoint,
    shownPath: fillPath(methodAndPath.path, masked(params)),
  }
}

function paramsIn({ path: template }: MethodAndPath, path: string): Record<string, string> | undefined {
  // A raw request goes below the base.
  if (isBelowRoot(template)) return undefined
  const wanted = template.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ''
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decodeURIComponent(value)
    else if (segment !== value) return undefined
  }
  return params
}

function checked(headers: Readonly<Record<string, string>>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (!ownHeaders.includes(name.toLowerCase())) continue
    throw new InputError('invalid_header', `${name} is set by bankapi itself`, {
      param: name,
      hint: 'Another key: bankapi login, or BANKAPI_API_KEY',
    })
  }
  return headerValues(headers)
}

/** The given headers, and each default that they do not name. */
function withDefaults(
  given: Record<string, string>,
  defaults: Record<string, string>,
): Record<string, string> {
  const named = new Set(Object.keys(given).map((name) => name.toLowerCase()))
  const missing = Object.entries(defaults).filter(([name]) => !named.has(name.toLowerCase()))
  return { ...Object.fromEntries(missing), ...given }
}

function contentOf(body: RawBody | undefined): { bytes: Uint8Array; contentType: string } | undefined {
  if (body === undefined || 'bytes' in body) return body
  const text: string | undefined = JSON.stringify(body.json)
  if (text !== undefined) return { bytes: new TextEncoder().encode(text), contentType: 'application/json' }
  throw new InputError('invalid_body', 'The body cannot be written as JSON', {
    hint: 'Give an object or a list',
  })
}
