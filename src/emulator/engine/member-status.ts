/** AGGREGATOR_B's member statuses, as GET and events show them. */
import type { KnownErrorCode } from '../../contract/errors.ts'
import type { ConnectionTrigger } from './connection-status.ts'

interface Meaning {
  readonly trigger: ConnectionTrigger
  readonly error?: KnownErrorCode
}

const meanings = {
  PREVENTED: { trigger: 'credentials_rejected', error: 'credentials_invalid' },
  DENIED: { trigger: 'credentials_rejected', error: 'credentials_invalid' },
  LOCKED: { trigger: 'account_locked', error: 'account_locked_by_institution' },
  DISCONNECTED: { trigger: 'source_stopped' },
  CLOSED: { trigger: 'source_stopped' },
  /** Healthy, or still syncing. */
  CONNECTED: { trigger: 'recovered' },
} as const satisfies Record<string, Meaning>

export type MemberStatus = keyof typeof meanings

export const memberStatuses = Object.keys(meanings) as readonly MemberStatus[]

export function meaningOf(status: MemberStatus): Meaning {
  return meanings[status]
}
