/** Bytes that are no HTTP request: answered in the envelope, as far as somebody still listens. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { headers } from '../../contract/service.ts'
import { Problem } from '../engine/problem.ts'
import { refused } from './envelope.ts'

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

export function answerClientError(error: Error & { code?: string }, socket: Socket, portalUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const traceId = randomUUID()
  const problem = new Problem('invalid_request', 'The request could not be read.', { status })
  const body = JSON.stringify(refused(problem, traceId, portalUrl).body)
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `${headers.traceId}: ${traceId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
