/** Capability status from observations: health changes after several in a row, a sentinel after one. */
import type { RealizedCapabilities } from '../../contract/capabilities.ts'
import type { ApiError } from '../../contract/errors.ts'
import {
  type Capability,
  type CapabilityStatus,
  type ConnectionSource,
  capabilities,
} from '../../contract/shapes.ts'
import { day } from './schedule.ts'
import { withoutNulls } from './without-nulls.ts'

/** Observations in a row that a change to each status needs. */
const needed: Readonly<Record<CapabilityStatus, number>> = {
  failed: 3,
  succeeded: 2,
  unsupported: 1,
  skipped: 1,
  pending: 1,
}

export interface Tracked {
  readonly status: CapabilityStatus
  readonly last_success_at: string | null
  readonly next_refresh_after: string | null
  readonly last_error: ApiError | null
  /** The last status observed, and how many times in a row; not on the wire. */
  readonly seen: CapabilityStatus
  readonly times: number
}

export type TrackedCapabilities = Readonly<Record<Capability, Tracked>>

export interface Observation {
  readonly status: CapabilityStatus
  readonly at: string
  readonly nextRefreshAfter: string
  readonly error?: ApiError
}

export interface CapabilityChange {
  readonly previous_status: CapabilityStatus
  readonly current_status: CapabilityStatus
  readonly consecutive_observations: number
  readonly last_error?: ApiError
}

/** Takes one observation in. `change` is there only when the status really changed. */
export function observe(before: Tracked, seen: Observation): { after: Tracked; change?: CapabilityChange } {
  const times = seen.status === before.seen ? before.times + 1 : 1
  const believed = seen.status === before.status || times >= needed[seen.status]
  const status = believed ? seen.status : before.status
  const after: Tracked = {
    status,
    last_success_at: seen.status === 'succeeded' ? seen.at : before.last_success_at,
    next_refresh_after: seen.nextRefreshAfter,
    last_error: status === 'failed' ? (seen.error ?? before.last_error) : null,
    seen: seen.status,
    times,
  }
  if (status === before.status) return { after }
  const change: CapabilityChange = {
    previous_status: before.status,
    current_status: status,
    consecutive_observations: times,
    ...(status === 'failed' && after.last_error ? { last_error: after.last_error } : {}),
  }
  return { after, change }
}

type Promised = 'always' | 'sometimes' | 'never'

/** Promises of each source: assumed, except check images and available balances, which the reference gives. */
const promises: Readonly<Record<ConnectionSource, Readonly<Record<Capability, Promised>>>> = {
  AGGREGATOR_A: {
    transactions: 'always',
    balance: 'always',
    available_balance: 'never',
    statements: 'sometimes',
    check_images: 'never',
  },
  AGGREGATOR_B: {
    transactions: 'always',
    balance: 'always',
    available_balance: 'sometimes',
    statements: 'sometimes',
    check_images: 'never',
  },
  FDE: {
    transactions: 'always',
    balance: 'always',
    available_balance: 'never',
    statements: 'always',
    check_images: 'sometimes',
  },
}

export function expectedCapabilities(source: ConnectionSource): Record<Capability, { promise: Promised }> {
  const entries = capabilities.map((name) => [name, { promise: promises[source][name] }] as const)
  return Object.fromEntries(entries) as Record<Capability, { promise: Promised }>
}

/**
 * The state before the first observation: capabilities of the source are `pending`. With `linkedAt` the state right after
 * the link, which is observed twice (assumed): when the source calls back, and when the accounts are first read. Both
 * are over before the Connection is active, so neither has an event.
 */
export function firstCapabilities(source: ConnectionSource, linkedAt?: string): TrackedCapabilities {
  const entries = capabilities.map((name) => {
    const status = promises[source][name] === 'never' ? 'unsupported' : 'pending'
    const before: Tracked = {
      status,
      last_success_at: null,
      next_refresh_after: null,
      last_error: null,
      seen: status,
      times: 1,
    }
    return [name, status === 'pending' && linkedAt !== undefined ? linked(before, linkedAt) : before] as const
  })
  return Object.fromEntries(entries) as Record<Capability, Tracked>
}

function linked(before: Tracked, at: string): Tracked {
  const seen = { status: 'succeeded', at, nextRefreshAfter: nextDay(at) } as const
  return observe(observe(before, seen).after, seen).after
}

function nextDay(at: string): string {
  return new Date(Date.parse(at) + day).toISOString()
}

/** Wire forms by the stored text that they were made from: the same few are read again and again. */
const recent = new Map<string, RealizedCapabilities>()
const maxRecent = 1000

/** Observations as the wire shows them, from the JSON they are stored as. Not to be changed. */
export function realized(stored: string): RealizedCapabilities {
  const known = recent.get(stored)
  if (known) return known
  const entries = Object.entries(JSON.parse(stored) as TrackedCapabilities).map(
    ([name, { status, last_success_at, next_refresh_after, last_error }]) =>
      [name, { status, ...withoutNulls({ last_success_at, next_refresh_after, last_error }) }] as const,
  )
  const shown: RealizedCapabilities = Object.fromEntries(entries)
  if (recent.size >= maxRecent) recent.clear()
  recent.set(stored, shown)
  return shown
}

/** True when the source does not support it, or no longer: what was stored of it is not served (assumed). */
export function isUnsupported(stored: string | null, capability: Capability): boolean {
  return stored !== null && realized(stored)[capability]?.status === 'unsupported'
}
