/** The reference's table "Connection status" as data, and the changes that AGGREGATOR_B's member statuses stand for. */
import type { ConnectionStatus } from '../../contract/connections.ts'
import type { KnownErrorCode } from '../../contract/errors.ts'
import type { EventType } from '../../contract/events.ts'
import type { ConnectionSource } from '../../contract/shapes.ts'

interface Row {
  readonly from: readonly ConnectionStatus[]
  readonly to: ConnectionStatus
  /** Null where the change is silent. */
  readonly event: Extract<EventType, `connection.${ConnectionStatus}`> | null
  readonly sources?: readonly ConnectionSource[]
}

/** The reference does not show these rows' prior states; every state of a link that was issued is assumed. */
const unshown = ['requires_action', 'active', 'failed', 'disconnected'] as const
/** Access that has ended does not end again, and nothing is found at a bank that is not asked any more. */
const notEnded = ['requires_action', 'active', 'failed'] as const

const table = {
  first_signal: { from: ['initiated'], to: 'requires_action', event: 'connection.requires_action' },
  widget_finished: { from: ['requires_action'], to: 'active', event: 'connection.active' },
  /** Reauthorize is not gated on status: its session can end in `active` from anywhere. */
  reauthorized: { from: unshown, to: 'active', event: 'connection.active' },
  recovered: { from: ['failed', 'requires_action'], to: 'active', event: 'connection.active' },
  /** GET and events follow the member's status, also back from a disconnect by the source. */
  member_healthy: {
    from: unshown,
    to: 'active',
    event: 'connection.active',
    sources: ['AGGREGATOR_B'],
  },
  credentials_rejected: { from: unshown, to: 'requires_action', event: 'connection.requires_action' },
  account_locked: { from: unshown, to: 'requires_action', event: 'connection.requires_action' },
  desktop_app_missing: {
    from: notEnded,
    to: 'requires_action',
    event: 'connection.requires_action',
    sources: ['FDE'],
  },
  /** The one silent change: GET shows it, no event does. */
  mfa_challenge: { from: ['active'], to: 'requires_action', event: null, sources: ['AGGREGATOR_A'] },
  outage: { from: unshown, to: 'failed', event: 'connection.failed' },
  reauthorize_failed: { from: unshown, to: 'failed', event: 'connection.failed' },
  deleted: { from: ['initiated', ...notEnded], to: 'disconnected', event: 'connection.disconnected' },
  source_stopped: { from: notEnded, to: 'disconnected', event: 'connection.disconnected' },
  own_refresh_failed: {
    from: notEnded,
    to: 'disconnected',
    event: 'connection.disconnected',
    sources: ['AGGREGATOR_A', 'FDE'],
  },
} as const satisfies Record<string, Row>

export type ConnectionTrigger = keyof typeof table

/** The status to which `trigger` leads from `from`, and the event it sends; undefined where the table has no such row. */
export function transition(
  trigger: ConnectionTrigger,
  from: ConnectionStatus,
  source: ConnectionSource,
): Pick<Row, 'to' | 'event'> | undefined {
  const row: Row = table[trigger]
  if (!row.from.includes(from) || row.sources?.includes(source) === false) return undefined
  return { to: row.to, event: row.event }
}

/** A change along a row of the table, and the code of the `last_error` it leaves. */
export interface StatusChange {
  readonly trigger: ConnectionTrigger
  readonly error?: KnownErrorCode
}

export const memberStatusChanges = {
  PREVENTED: { trigger: 'credentials_rejected', error: 'credentials_invalid' },
  DENIED: { trigger: 'credentials_rejected', error: 'credentials_invalid' },
  LOCKED: { trigger: 'account_locked', error: 'account_locked_by_institution' },
  DISCONNECTED: { trigger: 'source_stopped' },
  CLOSED: { trigger: 'source_stopped' },
  /** Healthy. */
  CONNECTED: { trigger: 'member_healthy' },
  /** Still syncing. */
  SYNCING: { trigger: 'member_healthy' },
} as const satisfies Record<string, StatusChange>

export type MemberStatus = keyof typeof memberStatusChanges

export const memberStatuses = Object.keys(memberStatusChanges) as readonly MemberStatus[]
