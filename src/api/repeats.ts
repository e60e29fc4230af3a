/** Which requests may be sent again, from the contract and the method. */
import type { Endpoint } from '../contract/endpoint.ts'
import type { Repeats } from './wire.ts'

/**
 * GET and DELETE freely; a POST or PATCH only when it cannot have been acted on, unless an Idempotency-Key that the
 * service honours goes with it; what the contract says is sent once, never.
 */
export function repeatsOf(endpoint: Endpoint | undefined, method: string, hasKey: boolean): Repeats {
  if (endpoint?.repeat === 'once') return 'never'
  if (method === 'GET' || method === 'DELETE') return 'freely'
  return hasKey && endpoint?.repeat === 'with-key' ? 'freely' : 'unsent'
}
