/** Says in a few words how a delivery ended. */
import type { Delivery } from '../inbox/delivery-rows.ts'

/** `not verified: …`, `received`, `forwarded: 200`, `forward failed: …`, `not answered`. */
export function outcomeOf({ verified, reason, forwardTo, forwards }: Delivery): string {
  if (!verified) return `not verified: ${reason ?? 'unknown'}`
  const last = forwards.at(-1)
  if (last?.status !== undefined) return `forwarded: ${last.status}`
  if (last !== undefined) return `forward failed: ${last.error ?? 'no answer'}`
  return forwardTo === undefined ? 'received' : 'forward interrupted'
}
