/**
 * Signs the portal's calls: hex HMAC-SHA256 under the bootstrap secret, over the raw request body, or over the value
 * of X-Portal-Idp-User-Id for the GET of the status. Pure, and nothing here needs Node.
 */
import { hmacHex, hmacMatches, joinBytes } from './hmac.ts'

/** The exact bytes of the body, or the user id as text. */
export type PortalPayload = Uint8Array | string

/** Value of X-Portal-Bootstrap-Signature. Throws TypeError for an empty secret. */
export function signPortal(request: { secret: string; payload: PortalPayload }): Promise<string> {
  return hmacHex(request.secret, joinBytes(request.payload))
}

/** Whether the signature is the payload's, compared in constant time. An empty secret verifies nothing. */
export async function verifyPortal(request: {
  secret: string
  payload: PortalPayload
  signature: string
}): Promise<boolean> {
  if (request.secret === '') return false
  return hmacMatches(request.secret, request.signature, joinBytes(request.payload))
}
