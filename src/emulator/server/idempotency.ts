/** Stores the response to a request with an Idempotency-Key and replays it for 24 hours, whatever it was. */
import { createHash } from 'node:crypto'
import { maxIdempotencyKeyLength } from '../../contract/service.ts'
import type { Engine } from '../engine/engine.ts'
import { invalidFields, ServiceError } from '../engine/errors.ts'
import { day } from '../engine/schedule.ts'

/** A response as it was sent. */
export interface StoredResponse {
  readonly status: number
  readonly body: string
  readonly traceId: string
  /** Those that only this answer has: Retry-After. */
  readonly headers: Readonly<Record<string, string>>
}

export interface IdempotentRequest {
  readonly apiKey: number
  readonly key: string
}

/** Seconds after which to ask again while the first request is still running. */
const retryAfter = 1

/** Throws `validation_failed` for a key that is too long or empty. */
export function checkIdempotencyKey(key: string): void {
  if (key.length >= 1 && key.length <= maxIdempotencyKeyLength) return
  const message = `has to be 1 to ${maxIdempotencyKeyLength} characters long`
  throw invalidFields([{ param: 'Idempotency-Key', message, code: 'invalid_length' }])
}

/** Equal for requests with the same method, path and body. */
export function fingerprintOf(method: string, url: string, body: Uint8Array): string {
  return createHash('sha256').update(`${method} ${url}\n`).update(body).digest('hex')
}

/** The response to replay, or undefined when this is the first request, which is recorded as running. */
export function beginIdempotent(
  { store, clock }: Engine,
  { apiKey, key }: IdempotentRequest,
  fingerprint: string,
): StoredResponse | undefined {
  const known = store.idempotentRequests.get(apiKey, key)
  if (!known || clock.now() - known.created_at >= day) {
    store.idempotentRequests.begin(apiKey, key, fingerprint, clock.now())
    return undefined
  }
  if (known.fingerprint !== fingerprint) throw new ServiceError('idempotency_conflict')
  if (known.status === null || known.body === null || known.trace_id === null) {
    throw new ServiceError('request_in_progress', undefined, { retryAfter })
  }
  const { status, body, trace_id: traceId, headers } = known
  return { status, body, traceId, headers: JSON.parse(headers) as StoredResponse['headers'] }
}

export function finishIdempotent(
  { store }: Engine,
  { apiKey, key }: IdempotentRequest,
  { status, body, traceId, headers }: StoredResponse,
): void {
  store.idempotentRequests.finish(apiKey, key, {
    status,
    body,
    trace_id: traceId,
    headers: JSON.stringify(headers),
  })
}
