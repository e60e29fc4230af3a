/**
 * The behaviour of an institution: one hook for each question that the engine asks it. A hook answers with data and
 * changes nothing itself. The engine asks nothing about a Connection that has recovered: it behaves like any other.
 */
import type { KnownErrorCode } from '../../contract/errors.ts'
import type { Capability, CapabilityStatus } from '../../contract/shapes.ts'
import {
  type ConnectionTrigger,
  memberStatusChanges,
  type StatusChange,
} from '../engine/connection-status.ts'
import type { ErrorDetails } from '../engine/errors.ts'
import type { ConnectionRow } from '../store/connections.ts'

/** The part of a Connection that a hook may depend on. */
export type ConnectionState = Pick<ConnectionRow, 'source' | 'status' | 'syncs'>

/** A refresh that ends with this error without an account reporting. */
export interface RefreshRefusal {
  readonly code: KnownErrorCode
  /** False where the bank was not contacted: refusals at the desktop-app check. */
  readonly usesBudget: boolean
  readonly details?: ErrorDetails
  /** The change of status that goes with it; most refusals change none. */
  readonly trigger?: ConnectionTrigger
}

/** How a bank refuses the sign-in of a first link: the credentials, for good, or only for now. */
export type SignInRefusal = 'denied' | 'locked' | 'closed' | 'unavailable'

export interface InstitutionBehaviour {
  /** How its page refuses the sign-in; a link made without the page has the change of `afterLinking` instead. */
  readonly signInRefusal?: SignInRefusal
  /** The security question of its sign-in page, if it asks one. */
  readonly securityQuestion?: string
  /** The change of status shortly after the link. */
  readonly afterLinking?: StatusChange
  /** The institution that a reauthorize link adds instead, where this one is served by another source now. */
  readonly movedTo?: string
  /** The error with which signing in again fails, and the reason on its page; without it signing in succeeds. */
  readonly reauthorizeError?: { readonly code: KnownErrorCode; readonly reason: string }
  /** Refuses every refresh, requested or daily. */
  readonly refreshRefusal?: RefreshRefusal
  /** The error with which the service's own refresh fails, though one that is requested would not. */
  readonly ownRefreshError?: KnownErrorCode
  /** Whether the daily refresh finds the bank working again. While not, it finds the change of `afterLinking` again. */
  hasRecovered(connection: ConnectionState): boolean
  /** The report of one account in a sync; `last` is the last account of the Connection. `none`: it never comes. */
  accountReport(connection: ConnectionState, last: boolean): 'succeeded' | 'failed' | 'none'
  /** The state in which a sync sees a capability that the source supports. */
  observedCapability(connection: ConnectionState, capability: Capability): CapabilityStatus
}

/** Links, refreshes, and is found recovered by the daily refresh after an outage. */
export const ordinaryBehaviour: InstitutionBehaviour = {
  hasRecovered: () => true,
  accountReport: () => 'succeeded',
  observedCapability: () => 'succeeded',
}

/** The bank has locked the account: signing in again fails, and no day ends it. */
export const lockedBehaviour: Partial<InstitutionBehaviour> = {
  signInRefusal: 'locked',
  afterLinking: memberStatusChanges.LOCKED,
  hasRecovered: () => false,
  reauthorizeError: {
    code: 'account_locked_by_institution',
    reason: 'The bank has locked your account. Ask it to unlock it, then open the link again.',
  },
}
