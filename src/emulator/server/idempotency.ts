/** Idempotency-Key, where it is honoured: the first answer again for 24 hours, whatever it was. */
import { createHash } from 'node:crypto'
import { maxIdempotencyKeyLength } from '../../contract/service.ts'
import { day, type Engine } from '../engine/engine.ts'
import { Problem } from '../engine/problem.ts'

/** An answer as it was sent. */
export interface Answered {
  readonly status: number
  readonly body: string
  readonly traceId: string
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
  const errors = [{ param: 'Idempotency-Key', message, code: 'invalid_length' }]
  throw new Problem('validation_failed', `Idempotency-Key: ${message}`, { param: 'Idempotency-Key', errors })
}

/** One request is another's repetition when method, path and body are the same. */
export function fingerprintOf(method: string, url: string, body: Uint8Array): string {
  return createHash('sha256').update(`${method} ${url}\n`).update(body).digest('hex')
}

/** The answer to replay, or undefined when this is the first request, which is recorded as running. */
export function beginIdempotent(
  { store, clock }: Engine,
  { apiKey, key }: IdempotentRequest,
  fingerprint: string,
): Answered | undefined {
  const known = store.idempotentRequests.get(apiKey, key)
  if (!known || clock.now() - known.created_at >= day) {
    store.idempotentRequests.begin(apiKey, key, fingerprint, clock.now())
    return undefined
  }
  if (known.fingerprint !== fingerprint) throw new Problem('idempotency_conflict')
  if (known.status === null || known.body === null || known.trace_id === null) {
    const message = 'The first request with this Idempotency-Key is still running.'
    throw new Problem('idempotency_conflict', message, { retryAfter })
  }
  return { status: known.status, body: known.body, traceId: known.trace_id }
}

export function finishIdempotent(
  { store }: Engine,
  { apiKey, key }: IdempotentRequest,
  answer: Answered,
): void {
  store.idempotentRequests.finish(apiKey, key, answer.status, answer.body, answer.traceId)
}
