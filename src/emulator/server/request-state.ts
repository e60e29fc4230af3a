/** What the server knows of a request while it answers it. */
import type { FastifyRequest } from 'fastify'
import type { Fault } from '../control/faults.ts'
import type { Key } from '../engine/keyring.ts'

export interface RequestState {
  /** Sent as X-LS-Trace-Id, and in the envelope of a refusal. A replay takes that of the first answer. */
  traceId: string
  key: Key | undefined
  fault: Fault | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
}

/** The key that was identified. Throws when none was: a route without authentication asked for it. */
export function keyOf({ state: { key } }: FastifyRequest): Key {
  if (!key) throw new Error('no key was identified')
  return key
}
