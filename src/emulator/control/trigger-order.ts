/** Schema of a trigger: a change of state that a user can order. */
import * as z from 'zod'
import { errorCodes, type KnownErrorCode } from '../../contract/errors.ts'
import { eventTypes } from '../../contract/events.ts'
import { Capability, CapabilityStatus } from '../../contract/shapes.ts'
import { type MemberStatus, memberStatuses } from '../engine/connection-status.ts'

const otherTriggers = [
  /** AGGREGATOR_B's member status changes: `member_status` says to what. */
  'member.status',
  /** The bank settles a Connection's oldest pending charge, or the one named: `way`. */
  'transaction.settled',
  /** The user opened an account at the bank: a refresh finds it, on AGGREGATOR_A a reauthorize. */
  'account.opened',
  /** The source reports an account's older history: its oldest date moves backwards. */
  'account.backfilled',
  /** The bank works again: an account it had locked is active at once, a failed one when the daily refresh finds it. */
  'bank.recovered',
  /** The desktop app is open now, or the choice about it is made. */
  'desktop_app.connected',
  /** The next pairing of the desktop app ends with `code`. */
  'desktop_app.pairing',
  /** The outcome of a waiting refresh cannot be observed. */
  'refresh.outcome_not_observable',
  /** A reviewer decides an application for access. */
  'portal.reviewed',
] as const

const codes = Object.keys(errorCodes) as KnownErrorCode[]

/** The change, and the row it changes. `connection` takes either form of id. */
export const TriggerOrder = z.strictObject({
  type: z.enum([...eventTypes, ...otherTriggers]),
  environment: z.enum(['sandbox', 'live']).optional(),
  connection: z.string().optional(),
  /** The reason, for requires_action and failed. */
  code: z.enum(codes as [KnownErrorCode, ...KnownErrorCode[]]).optional(),
  member_status: z.enum(memberStatuses as [MemberStatus, ...MemberStatus[]]).optional(),
  capability: Capability.optional(),
  status: CapabilityStatus.optional(),
  transaction: z.string().optional(),
  way: z.enum(['in_place', 'reissued']).optional(),
  subscription: z.string().optional(),
  user: z.string().optional(),
  application: z.enum(['SANDBOX', 'LIVE']).optional(),
  decision: z.enum(['PENDING', 'NEEDS_INFO', 'APPROVED', 'DENIED']).optional(),
  denial_code: z.string().optional(),
})
export type TriggerOrder = z.infer<typeof TriggerOrder>
