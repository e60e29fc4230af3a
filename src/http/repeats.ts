/** Which requests may be sent again, from the contract and the method. */
import type { Endpoint } from '../contract/endpoint.ts'
import type { OperationRef } from './errors.ts'
import type { Repeats } from './wire.ts'

/**
 * GET and DELETE freely; a POST or PATCH only when it cannot have been acted on, unless an Idempotency-Key that the
 * service honours goes with it. Reauthorize never: each call may mint another link, and links are billable.
 */
export function repeatsOf(
  endpoint: Endpoint | undefined,
  { area, name }: OperationRef,
  method: string,
  hasKey: boolean,
): Repeats {
  if (area === 'connections' && name === 'reauthorize') return 'never'
  if (method === 'GET' || method === 'DELETE') return 'freely'
  return hasKey && endpoint?.repeat === 'with-key' ? 'freely' : 'unsent'
}
