/** Decides which requests may be sent again, from the contract and the method. */
import type { Endpoint } from '../contract/endpoint.ts'
import type { Repeats } from './wire.ts'

/**
 * GET and DELETE are safe to send again; a POST or PATCH only when it was refused, unless it carries an Idempotency-Key
 * that the service honours. The method counts as well as the contract: the settings may have changed it.
 */
export function repeatsOf(endpoint: Endpoint | undefined, method: string, hasKey: boolean): Repeats {
  if (endpoint?.retry === 'never') return 'never'
  if (method === 'GET' || method === 'DELETE') return 'safe'
  return hasKey && endpoint?.retry === 'with-key' ? 'safe' : 'if-refused'
}
