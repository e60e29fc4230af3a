/** What is checked of every request before it means anything. */
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../engine/problem.ts'

/**
 * A page that a browser loaded from elsewhere can make its own host name point to this machine (DNS rebinding). It
 * cannot make the browser send another Host header: only the names of loopback are answered.
 */
export function checkHost(host: string | undefined): void {
  const name = host?.replace(/:\d*$/, '').toLowerCase()
  if (name === '127.0.0.1' || name === 'localhost' || name === '[::1]') return
  throw new Problem('invalid_request', 'This Host is not answered here.', { param: 'Host' })
}

/** A POST with no body must send `Content-Length: 0`, otherwise the load balancer answers 411. */
export function checkLength(method: string, headers: IncomingHttpHeaders): void {
  if (method !== 'POST') return
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw new Problem('length_required', 'A POST without a body must send Content-Length: 0.')
  }
}
