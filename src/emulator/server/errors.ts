/** Writes the error envelope, also for requests that Node would refuse by itself without one. */

import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { headers } from '../../contract/service.ts'
import { apiError, ServiceError } from '../engine/errors.ts'

export interface Refused {
  readonly status: number
  readonly body: { readonly error: object }
  readonly headers: Readonly<Record<string, string>>
}

/** The envelope of a ServiceError. */
export function refused(problem: ServiceError, traceId: string, portalUrl: string): Refused {
  const { retryAfter, allow } = problem.details
  return {
    status: problem.status,
    body: {
      error: { ...apiError(portalUrl, problem.code, problem.message, problem.details), trace_id: traceId },
    },
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(allow === undefined ? {} : { allow }),
    },
  }
}

/** The envelope of a 5xx, which the reference lists no code for: `internal_error` is assumed. */
export function broken(status: number, traceId: string, portalUrl: string): Refused {
  const error = {
    code: 'internal_error',
    message: 'The service failed to answer.',
    type: 'api_error',
    doc_url: `${portalUrl}/errors/internal_error`,
    category: 'API_ERROR',
    is_user_actionable: false,
    trace_id: traceId,
  }
  return { status, body: { error }, headers: {} }
}

/** What Fastify or Node refuses before a handler is reached, as a ServiceError; undefined for a failure of ours. */
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

/** Bytes that are no HTTP request. */
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
  const problem = new ServiceError('invalid_request', 'The request could not be read.', { status })
  const body = JSON.stringify(refused(problem, traceId, portalUrl).body)
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
