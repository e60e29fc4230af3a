/** Checks a request before its operation runs: Host, Content-Length, request rate, portal signature. */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Auth } from '../../contract/endpoint.ts'
import { headers } from '../../contract/service.ts'
import { isPrivateName } from '../../private-names.ts'
import { verifyPortal } from '../../signing/portal.ts'
import { ServiceError } from '../engine/errors.ts'
import { minute, second } from '../engine/schedule.ts'
import { bodyOf } from './request.ts'

/** Where the emulator listens, and the name that its links have; without one that of loopback. */
export interface BoundTo {
  readonly host: string
  readonly publicHost?: string | undefined
}

/**
 * A page that a browser loaded from elsewhere can make its own host name point to this machine (DNS rebinding). It
 * cannot make the browser send another Host header: only names that no such page has are answered. Those are the names of
 * loopback and the public host; bound wider than loopback also IP addresses and names that the public DNS cannot have.
 */
export function checkHost(
  host: string | undefined,
  { host: boundTo, publicHost }: BoundTo,
  status = 400,
): void {
  if (isLoopback(host)) return
  const name = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname
  if (name !== undefined && name === publicHost) return
  if (isWide(boundTo)) {
    // HTTP/1.0 has no Host, and no browser speaks it.
    if (host === undefined) return
    if (name !== undefined && (isPrivateName(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0)) return
  }
  throw new ServiceError('invalid_request', 'This Host is not answered here.', { param: 'Host', status })
}

/** Whether others than this machine can reach what listens at the address. */
function isWide(boundTo: string): boolean {
  return boundTo !== 'localhost' && boundTo !== '::1' && !/^127(\.\d+){3}$/.test(boundTo)
}

/** Whether it names this machine only, with any port. */
export function isLoopback(host: string | undefined): boolean {
  const name = host?.replace(/:\d*$/, '').toLowerCase()
  return name === '127.0.0.1' || name === 'localhost' || name === '[::1]'
}

/** A POST with no body must send `Content-Length: 0`, otherwise the load balancer answers 411. */
export function checkLength(method: string, headers: IncomingHttpHeaders): void {
  if (method !== 'POST') return
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw new ServiceError('length_required', 'A POST without a body must send Content-Length: 0.')
  }
}

export interface RateLimiter {
  /** Counts a request. Throws `rate_limit_exceeded` when the key's bucket is empty. */
  take(key: string, now: number): void
}

/** A bucket per key holds a minute's worth of requests and fills steadily. `perMinute` undefined: no limit. */
export function createRateLimiter(perMinute: number | undefined): RateLimiter {
  if (perMinute === undefined) return { take: () => undefined }
  // In whole numbers, so that nothing is lost to rounding: a request costs a minute, a millisecond brings `perMinute`.
  const full = perMinute * minute
  const buckets = new Map<string, { credit: number; at: number }>()
  return {
    take(key, now) {
      const bucket = buckets.get(key) ?? { credit: full, at: now }
      bucket.credit = Math.min(full, bucket.credit + Math.max(0, now - bucket.at) * perMinute)
      bucket.at = now
      buckets.set(key, bucket)
      if (bucket.credit < minute) {
        const retryAfter = Math.max(1, Math.ceil((minute - bucket.credit) / perMinute / second))
        throw new ServiceError('rate_limit_exceeded', 'Too many requests with this key.', { retryAfter })
      }
      bucket.credit -= minute
    },
  }
}

/** The portal signs the raw body, or the user's id for the status. Throws 401 (the code is assumed). */
export async function checkPortalSignature(
  request: FastifyRequest,
  auth: Extract<Auth, 'portal-body' | 'portal-user'>,
  secret: string,
): Promise<void> {
  const signature = request.headers[headers.portalSignature.toLowerCase()]
  const user = request.headers[headers.portalUser.toLowerCase()]
  const payload = auth === 'portal-body' ? bodyOf(request).bytes : user
  const verified =
    typeof signature === 'string' &&
    (typeof payload === 'string' || payload instanceof Uint8Array) &&
    (await verifyPortal({ secret, payload, signature }))
  if (!verified) {
    throw new ServiceError('unknown_api_key', `${headers.portalSignature} is missing or does not verify.`)
  }
}
