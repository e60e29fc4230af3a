/** The portal's signature in place of a key. */
import type { FastifyRequest } from 'fastify'
import type { Auth } from '../../contract/endpoint.ts'
import { headers } from '../../contract/service.ts'
import { verifyPortal } from '../../signing/portal.ts'
import { Problem } from '../engine/problem.ts'
import { bodyOf } from './bodies.ts'

/** Over the raw body, or over the user's id for the status. Throws 401 (the code is assumed). */
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
    throw new Problem('unknown_api_key', `${headers.portalSignature} is missing or does not verify.`)
  }
}
