/** Writes the error envelope, also for requests that Node or Fastify would refuse without one. */
import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { KnownErrorCode } from '../../contract/errors.ts'
import { headers } from '../../contract/service.ts'
import { apiError, ServiceError } from '../engine/errors.ts'

export interface Refused {
  readonly status: number
  readonly body: { readonly error: object }
  readonly headers: Readonly<Record<string, string>>
}

/** The envelope of a ServiceError. */
export function refused(error: ServiceError, traceId: string, portalUrl: string): Refused {
  const { retryAfter, allow } = error.details
  return {
    status: error.status,
    body: {
      error: { ...apiError(portalUrl, error.code, error.message, error.details), trace_id: traceId },
    },
    headers: {
      ...retryHeader(retryAfter),
      ...(allow === undefined ? {} : { allow }),
    },
  }
}

/** Something that cannot be done now, for a reason on this machine: a 5xx that says why. */
export class Unavailable extends Error {
  readonly status: number
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined

  constructor(message: string, status: number, retryAfter?: number) {
    super(message)
    this.name = 'Unavailable'
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** The envelope of a 5xx, which the reference lists no code for: `internal_error` is assumed. */
export function broken(
  { status, message, retryAfter }: { status: number; message?: string; retryAfter?: number | undefined },
  traceId: string,
  portalUrl: string,
): Refused {
  const error = {
    code: 'internal_error',
    message: message ?? 'The service failed to answer.',
    type: 'api_error',
    doc_url: `${portalUrl}/errors/internal_error`,
    category: 'API_ERROR',
    is_user_actionable: false,
    trace_id: traceId,
  }
  return { status, body: { error }, headers: retryHeader(retryAfter) }
}

function retryHeader(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

/** The code that an ordered status has: those of the reference, and what is assumed where it names none. */
const codeOfStatus: Readonly<Record<number, KnownErrorCode>> = {
  401: 'unknown_api_key',
  403: 'insufficient_scope',
  404: 'not_found',
  409: 'idempotency_conflict',
  411: 'length_required',
  413: 'payload_too_large',
  422: 'validation_failed',
  429: 'rate_limit_exceeded',
}

/** A status ordered by a fault, in the envelope that the service would use. */
export function ordered(status: number, traceId: string, portalUrl: string, retryAfter?: number): Refused {
  if (status >= 500 || status < 400) return broken({ status, retryAfter }, traceId, portalUrl)
  // A 409 that says when to come back is that of a request whose first try is still running.
  const isRunning = status === 409 && retryAfter !== undefined
  const code = isRunning ? 'request_in_progress' : (codeOfStatus[status] ?? 'invalid_request')
  const error = new ServiceError(code, 'A fault was ordered for this request.', {
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })
  return refused(error, traceId, portalUrl)
}

/** A refusal by Fastify or Node before a handler is reached, as a ServiceError; undefined for an unexpected error. */
export function serviceErrorOf(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error
  const { statusCode = 500, code } = error as { statusCode?: number; code?: string }
  if (statusCode === 413 || code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ServiceError('payload_too_large')
  if (statusCode === 415) {
    return new ServiceError('invalid_request', 'This media type is not taken here.', { status: 415 })
  }
  if (statusCode >= 400 && statusCode < 500) {
    return new ServiceError('invalid_request', 'The request could not be read.', { status: statusCode })
  }
  return undefined
}

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Answers bytes that are no HTTP request. */
export function answerClientError(
  error: Error & { readonly code?: string },
  socket: Duplex,
  portalUrl: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const traceId = randomUUID()
  const refusal = new ServiceError('invalid_request', 'The request could not be read.', { status })
  const body = JSON.stringify(refused(refusal, traceId, portalUrl).body)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `${headers.traceId}: ${traceId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Node refuses an expectation it does not know, and hangs up on a CONNECT. */
export function answerOddRequests(server: Server, portalUrl: () => string): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) => answerClientError(new Error('CONNECT'), socket, portalUrl()))
}
