/** Composes the HTTP request of an operation: address, headers, authentication and body. */
import { type Auth, authOf, type Endpoint, isFile, successOf } from '../contract/endpoint.ts'
import type { MethodAndPath } from '../contract/overrides.ts'
import { maxIdempotencyKeyLength, headers as names } from '../contract/service.ts'
import type { Upload } from '../contract/values.ts'
import { type BaseAddress, fillPath, queryString, templateAt } from './address.ts'
import { unlessAborted } from './deadline.ts'
import { masked, maskedTarget } from './debug-log.ts'
import { InputError, type OperationRef } from './errors.ts'
import type { HttpBody, HttpRequest } from './http.ts'
import type { ApiOptions, CallOptions } from './options.ts'
import { repeatsOf } from './retry.ts'

export interface ContractOperation {
  readonly ref: OperationRef
  readonly endpoint: Endpoint
  readonly methodAndPath: MethodAndPath
}

type Values = Readonly<Record<string, unknown>>

/** @throws InputError for input that cannot be sent; whatever the credential source rejects with. */
export async function compose(
  operation: ContractOperation,
  input: Values,
  call: CallOptions,
  options: ApiOptions,
  base: BaseAddress,
): Promise<HttpRequest> {
  const { endpoint, methodAndPath, ref } = operation
  const params = pick(input, endpoint.params)
  const query = queryString(pick(input, endpoint.query))
  const template = templateAt(base, methodAndPath.path)
  const target = fillPath(template, params) + query

  const content = contentOf(endpoint, input, call, options)
  const key = idempotencyKey(endpoint, call, options)
  const success = successOf(endpoint).body
  const streams = isFile(success)
  const own = headerValues(pick(input, endpoint.headers))
  const plain: Record<string, string> = {
    Accept: streams ? [...success.file, 'application/json;q=0.9'].join(', ') : 'application/json',
    // A file is not compressed, so that its length can be checked.
    'Accept-Encoding': streams ? 'identity' : 'gzip',
    'User-Agent': options.userAgent,
    ...(content
      ? { 'Content-Type': content.contentType, 'Content-Length': String(lengthOf(content.body)) }
      : {}),
    ...(key === undefined ? {} : { [names.idempotencyKey]: key }),
    ...own,
  }
  const body = content && 'bytes' in content.body ? content.body.bytes : new Uint8Array()
  const authorized = authorize(authOf(endpoint), options, { body, headers: own })
  const authorization = await (call.signal ? unlessAborted(authorized, call.signal) : authorized)
  return {
    operation: ref,
    method: methodAndPath.method,
    target,
    shownTarget: fillPath(template, masked(params)) + maskedTarget(query),
    headers: { ...plain, ...authorization },
    body: content?.body,
    reads: streams ? 'stream' : 'whole',
    repeats: repeatsOf(endpoint, methodAndPath.method, key !== undefined),
  }
}

function pick(input: Values, fields: Endpoint['params']): Values {
  return Object.fromEntries(Object.keys(fields ?? {}).map((name) => [name, input[name]]))
}

function contentOf(
  endpoint: Endpoint,
  input: Values,
  call: CallOptions,
  { random, uploadEncoding = 'multipart' }: ApiOptions,
): Content | undefined {
  const contentType = 'application/json'
  if (call.rawBody) return { body: { bytes: call.rawBody }, contentType }
  if (endpoint.body) {
    return {
      body: { bytes: new TextEncoder().encode(JSON.stringify(pick(input, endpoint.body))) },
      contentType,
    }
  }
  if (endpoint.upload === undefined) return undefined
  const upload = uploadOf(endpoint.upload, input[endpoint.upload])
  return uploadEncoding === 'raw'
    ? raw(endpoint.upload, upload)
    : multipart(endpoint.upload, upload, `bankapi-${random.uuid()}`)
}

/** @throws InputError for what is no file with its name and type. */
function uploadOf(param: string, value: unknown): Upload {
  const { filename, contentType, content } = (value ?? {}) as Partial<Upload>
  if (typeof filename === 'string' && typeof contentType === 'string' && content instanceof Blob) {
    return { filename, contentType, content }
  }
  throw new InputError('invalid_parameter', `${param} is no file`, {
    param,
    hint: 'Give its filename, its contentType, and its content as a Blob',
  })
}

function lengthOf(body: HttpBody): number {
  return 'bytes' in body ? body.bytes.byteLength : body.length
}

/** The header parameters of the operation. @throws InputError for a line break, which would begin another header. */
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

/** The idempotency key given, or one made for this call where the service honours it; else undefined. */
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

export interface Signable {
  /** The exact bytes of the body that are sent. */
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** The headers to add. Rejects with what the credential source rejects with, or InputError. */
export async function authorize(
  auth: Auth,
  source: Pick<ApiOptions, 'credential' | 'portalSecret'>,
  request: Signable,
): Promise<Record<string, string>> {
  if (auth === 'none') return {}
  if (auth === 'bearer') return { Authorization: `Bearer ${headerSafe(await source.credential())}` }

  const secret = (await source.portalSecret?.()) ?? ''
  if (secret === '') {
    throw new InputError('portal_secret_missing', 'The portal bootstrap secret is missing', {
      hint: 'Portal calls are signed with it: put it in BANKAPI_PORTAL_SECRET',
    })
  }
  const { signPortal } = await import('../signing/portal.ts')
  const payload = auth === 'portal-body' ? request.body : portalUser(request.headers)
  return { [names.portalSignature]: await signPortal({ secret, payload }) }
}

function portalUser(headers: Readonly<Record<string, string>>): string {
  const wanted = names.portalUser.toLowerCase()
  const [, value = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? []
  if (value !== '') return value
  throw new InputError('missing_parameter', `${names.portalUser} is missing`, {
    param: names.portalUser,
    hint: `Say whose status: ${names.portalUser}`,
  })
}

function headerSafe(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new InputError('invalid_credential', 'The API key holds characters that no key has', {
    hint: 'Store it again, without spaces or line breaks: bankapi login',
  })
}

type Content = { readonly body: HttpBody; readonly contentType: string }

/** The bytes of the file alone. */
function raw(field: string, upload: Upload): Content {
  const body = { length: upload.content.size, open: () => contentOfFile(field, upload) }
  return { body, contentType: mediaTypeOf(upload) }
}

/** `boundary` must not occur in the file; a random UUID will not. */
function multipart(field: string, upload: Upload, boundary: string): Content {
  const text = new TextEncoder()
  const head = text.encode(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="${quoted(field)}"; filename="${quoted(upload.filename)}"\r\n` +
      `Content-Type: ${mediaTypeOf(upload)}\r\n\r\n`,
  )
  const tail = text.encode(`\r\n--${boundary}--\r\n`)
  const length = head.byteLength + upload.content.size + tail.byteLength

  async function* open(): AsyncGenerator<Uint8Array> {
    yield head
    yield* contentOfFile(field, upload)
    yield tail
  }
  return { body: { length, open }, contentType: `multipart/form-data; boundary=${boundary}` }
}

async function* contentOfFile(
  field: string,
  { filename, content }: Upload,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of content.stream()) yield chunk as Uint8Array
  } catch (cause) {
    throw new InputError('unreadable_upload', `${filename} could not be read to its end`, {
      param: field,
      hint: 'It may have changed while it was sent: try again',
      cause,
    })
  }
}

function mediaTypeOf({ contentType }: Upload): string {
  return contentType.replaceAll(/[^\x20-\x7e]/g, '')
}

/** As browsers do (WHATWG HTML, multipart form data). */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
