/** What Node would answer by itself, without the envelope: answered here, as far as somebody still listens. */
import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { headers } from '../../contract/service.ts'
import { Problem } from '../engine/problem.ts'
import { refused } from './envelope.ts'

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
  const problem = new Problem('invalid_request', 'The request could not be read.', { status })
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
