/** Interprets an answer: returns the data of a success, throws ApiResponseError for an error status. */
import type { z } from 'zod'
import { type Endpoint, isEmpty, isFile, successOf } from '../contract/endpoint.ts'
import type { ApiError } from '../contract/errors.ts'
import {
  ApiResponseError,
  type OperationRef,
  type UnreadableReason,
  UnreadableResponseError,
} from './errors.ts'
import { type HttpAnswer, header } from './http.ts'
import { retryAfterMs } from './retry.ts'

/**
 * Levels of objects and lists that an answer may have: those of the API have fewer than ten, and what writes JSON, YAML
 * and tables calls itself for each.
 */
const MAX_DEPTH = 100

interface Context {
  readonly operation: OperationRef
  readonly endpoint: Endpoint | undefined
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly now: number
}

/**
 * The data of a success, unchanged: an object, a Download, or undefined where no body is expected.
 * @throws ApiResponseError from 400 on, UnreadableResponseError for a body that is not a JSON object.
 */
export async function dataOf(
  answer: HttpAnswer,
  context: Context & { readonly endpoint: Endpoint },
): Promise<unknown> {
  await throwForStatus(answer, context)
  const { body } = successOf(context.endpoint)
  if (isEmpty(body)) return undefined
  if (answer.content.kind === 'stream') {
    if (isFile(body)) refuseOtherFile(answer, body.file, context.operation)
    return answer.content.download
  }
  const data = parseJson(answer, context.operation)
  if (!isObject(data)) throw wrongType(answer, context.operation, 'is not a JSON object')
  if (context.endpoint.paged && !(Array.isArray(data['data']) && data['data'].every(isObject))) {
    throw wrongType(answer, context.operation, 'is no list: data is not an array of objects')
  }
  return data
}

/** @throws ApiResponseError from 400 on, UnreadableResponseError for any other status that is not a success. */
export async function throwForStatus(answer: HttpAnswer, context: Context): Promise<void> {
  const { status } = answer
  if (status >= 400) throw await errorOf(answer, context)
  if (status < 200 || status >= 300) {
    throw unreadable('status', answer, context.operation, `The service answered with status ${status}`)
  }
}

/** The body parsed. @throws UnreadableResponseError when it is not JSON, or nested too deep. */
export function parseJson(answer: HttpAnswer, operation: OperationRef): unknown {
  const bytes = answer.content.kind === 'whole' ? answer.content.bytes : new Uint8Array()
  const value = parsed(bytes, answer, operation)
  if (isWithin(MAX_DEPTH, value)) return value
  const { area, name, method, path } = operation
  throw unreadable(
    'too_deep',
    answer,
    operation,
    `The answer to ${area === undefined ? `${method} ${path}` : `${area}.${name}`} is nested ${depthOf(value)} levels deep, ` +
      `and more than ${MAX_DEPTH} are not read`,
  )
}

function parsed(bytes: Uint8Array, answer: HttpAnswer, operation: OperationRef): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    const type = header(answer.headers, 'content-type')?.split(';', 1)[0]
    const what =
      bytes.byteLength === 0 ? 'an empty body' : type && !type.includes('json') ? type : 'something else'
    throw unreadable(
      'not_json',
      answer,
      operation,
      `The service answered ${answer.status} with ${what} instead of JSON`,
    )
  }
}

/** Whether a value has at most this many levels of objects and lists. */
function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  // In place, without a list of the values: every answer is looked through.
  if (Array.isArray(value)) {
    for (const item of value) if (!isWithin(levels - 1, item)) return false
    return true
  }
  for (const key in value) {
    if (!isWithin(levels - 1, (value as Record<string, unknown>)[key])) return false
  }
  return true
}

/** Level by level: recursion would end where this is needed. */
function depthOf(value: unknown): number {
  let depth = 0
  let level = [value]
  while (true) {
    level = level.filter((one) => typeof one === 'object' && one !== null)
    if (level.length === 0) return depth
    depth++
    level = level.flatMap((one) => Object.values(one as object))
  }
}

/** @throws UnreadableResponseError for HTML or JSON where a file was requested: nobody wants that saved. */
function refuseOtherFile(answer: HttpAnswer, expected: readonly string[], operation: OperationRef): void {
  const type = header(answer.headers, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!['text/html', 'application/json'].includes(type) || expected.includes(type)) return
  if (answer.content.kind === 'stream') answer.content.discard()
  throw wrongType(answer, operation, `is ${type}, not ${expected.join(' or ')}`)
}

async function errorOf(answer: HttpAnswer, { operation, endpoint, now }: Context): Promise<ApiResponseError> {
  const { status, headers } = answer
  const { error, envelope } = await explained(answer)
  return new ApiResponseError({
    error,
    envelope,
    httpStatus: status,
    traceId: answer.traceId ?? error.trace_id,
    operation,
    assumedEndpoint: endpoint?.origin === 'assumed' && (status === 404 || status === 405),
    replayed: header(headers, 'idempotent-replayed') === 'true',
    retryAfterMs: retryAfterMs(headers, now),
  })
}

/** The envelope's error, read leniently: a field of the wrong type is left out, an unknown one is kept. */
async function explained(answer: HttpAnswer): Promise<{ error: ApiError; envelope: boolean }> {
  const { ApiError } = await import('../contract/errors.ts')
  const { status } = answer
  const made = {
    code: `http_${status}`,
    message: `The service answered with HTTP status ${status}, without an explanation`,
  }
  let body: unknown
  try {
    body =
      answer.content.kind === 'whole' ? JSON.parse(new TextDecoder().decode(answer.content.bytes)) : undefined
  } catch {
    // Not an error envelope: the error is made from the status.
  }
  const given = isObject(body) && isObject(body['error']) && isWithin(MAX_DEPTH, body) ? body['error'] : {}
  const envelope = typeof given['code'] === 'string' || typeof given['message'] === 'string'
  if (!envelope) return { error: made, envelope }

  const wrong = new Set(
    ApiError.safeParse({ ...made, ...given }).error?.issues.map(({ path }) => path[0]) ?? [],
  )
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)))
  return { error: { ...made, ...kept } satisfies z.infer<typeof ApiError>, envelope }
}

function wrongType(answer: HttpAnswer, operation: OperationRef, what: string): UnreadableResponseError {
  return unreadable(
    'wrong_type',
    answer,
    operation,
    `The service answered ${answer.status}, but the answer ${what}`,
  )
}

function unreadable(
  reason: UnreadableReason,
  answer: HttpAnswer,
  operation: OperationRef,
  message: string,
): UnreadableResponseError {
  const hint = 'Is the base URL the API’s, ending in /v3? bankapi doctor'
  const { status: httpStatus, traceId } = answer
  return new UnreadableResponseError({ reason, message, hint, operation, httpStatus, traceId })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
