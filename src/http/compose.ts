/** From an operation and its flat input to the request that goes over the wire. */
import { authOf, type Endpoint, isFile, successOf, type Upload } from '../contract/endpoint.ts'
import { maxIdempotencyKeyLength, headers as names } from '../contract/service.ts'
import { authorize } from './authorization.ts'
import type { Base } from './base.ts'
import { masked, maskedTarget } from './debug-log.ts'
import type { Place } from './endpoint-override.ts'
import { InputError, type OperationRef } from './errors.ts'
import { multipart } from './multipart.ts'
import type { ApiOptions, CallOptions } from './options.ts'
import { fillPath } from './path.ts'
import { queryString } from './query.ts'
import { repeatsOf } from './repeats.ts'
import type { WireBody, WireRequest } from './wire.ts'

export interface Operation {
  readonly ref: OperationRef
  readonly endpoint: Endpoint
  readonly place: Place
}

type Values = Readonly<Record<string, unknown>>

/** @throws InputError for input that cannot be sent; whatever the credential source rejects with. */
export async function compose(
  operation: Operation,
  input: Values,
  call: CallOptions,
  options: ApiOptions,
  base: Base,
): Promise<WireRequest> {
  const { endpoint, place, ref } = operation
  const params = pick(input, endpoint.params)
  const query = queryString(pick(input, endpoint.query))
  const target = base.root + fillPath(place.path, params) + query

  const content = contentOf(endpoint, input, call, options)
  const key = idempotencyKey(endpoint, call, options)
  const success = successOf(endpoint).body
  const streams = isFile(success)
  const own = headerValues(pick(input, endpoint.headers))
  const plain: Record<string, string> = {
    Accept: streams ? [...success.file, 'application/json;q=0.9'].join(', ') : 'application/json',
    // A file comes as it is, so that its length can be checked.
    'Accept-Encoding': streams ? 'identity' : 'gzip',
    'User-Agent': options.userAgent,
    ...(content
      ? { 'Content-Type': content.contentType, 'Content-Length': String(lengthOf(content.body)) }
      : {}),
    ...(key === undefined ? {} : { [names.idempotencyKey]: key }),
    ...own,
  }
  const body = content && 'bytes' in content.body ? content.body.bytes : new Uint8Array()
  return {
    operation: ref,
    method: place.method,
    target,
    shownTarget: base.root + fillPath(place.path, masked(params)) + maskedTarget(query),
    headers: { ...plain, ...(await authorize(authOf(endpoint), options, { body, headers: own })) },
    body: content?.body,
    reads: streams ? 'stream' : 'whole',
    repeats: repeatsOf(endpoint, place.method, key !== undefined),
  }
}

function pick(input: Values, fields: Endpoint['params']): Values {
  return Object.fromEntries(Object.keys(fields ?? {}).map((name) => [name, input[name]]))
}

function contentOf(
  endpoint: Endpoint,
  input: Values,
  call: CallOptions,
  { random }: ApiOptions,
): { body: WireBody; contentType: string } | undefined {
  const contentType = 'application/json'
  if (call.rawBody) return { body: { bytes: call.rawBody }, contentType }
  if (endpoint.body) {
    return {
      body: { bytes: new TextEncoder().encode(JSON.stringify(pick(input, endpoint.body))) },
      contentType,
    }
  }
  if (endpoint.upload === undefined) return undefined
  return multipart(endpoint.upload, input[endpoint.upload] as Upload, `bankapi-${random.uuid()}`)
}

function lengthOf(body: WireBody): number {
  return 'bytes' in body ? body.bytes.byteLength : body.length
}

/** Header parameters of the operation. Their text is checked here: a line break would begin another header. */
export function headerValues(values: Values): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(
    given.map(([name, value]) => {
      const text = String(value)
      if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\x20-\x7e]*$/.test(text)) return [name, text]
      throw new InputError('invalid_header', `${name} cannot be sent as a header`, {
        param: name,
        hint: 'A header is one line of printable ASCII',
      })
    }),
  )
}

/** The key given, or one made for this call where the service honours it; undefined where there is none. */
function idempotencyKey(endpoint: Endpoint, call: CallOptions, { random }: ApiOptions): string | undefined {
  const key = call.idempotencyKey
  if (key === undefined) return endpoint.idempotencyKey === 'honoured' ? random.uuid() : undefined
  if (endpoint.method !== 'POST' || endpoint.idempotencyKey === 'ignored') {
    return refuseKey('The service does not honour an Idempotency-Key here', 'Leave it out')
  }
  if (key.length === 0 || key.length > maxIdempotencyKeyLength || !/^[\x21-\x7e]+$/.test(key)) {
    const hint = `At most ${maxIdempotencyKeyLength} printable characters, no spaces`
    return refuseKey('The Idempotency-Key cannot be sent', hint)
  }
  return key
}

function refuseKey(message: string, hint: string): never {
  throw new InputError('invalid_idempotency_key', message, { param: names.idempotencyKey, hint })
}
