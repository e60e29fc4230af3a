/** Counts deliveries per minute, hour or day, and how fast their target answered. */
import { BankapiError } from '../errors.ts'
import type { DeliveryOutcome } from './delivery-rows.ts'

export type Period = 'minute' | 'hour' | 'day'

interface Counts {
  readonly deliveries: number
  /** The target answered 2xx. */
  readonly accepted: number
  /** It answered something else, or nothing. */
  readonly failed: number
  readonly not_verified: number
  readonly not_forwarded: number
  /** Milliseconds until the target's answer; null where none came. */
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

export interface DeliveryPeriod extends Counts {
  readonly start: string
}

export interface DeliveryStats extends Counts {
  readonly since: string
  readonly until: string
  readonly by: Period
  /** Of what was forwarded, the share that was accepted; null where nothing was. */
  readonly success_rate: number | null
  /** Each period, also without a delivery, the oldest first. */
  readonly data: readonly DeliveryPeriod[]
}

export interface StatsOptions {
  /** Unix milliseconds. */
  readonly since: number
  readonly until: number
  readonly by: Period
  /** Hours and days of UTC instead of those here. */
  readonly utc: boolean
}

const MAX_PERIODS = 10_000

/** @throws BankapiError (exit 2) for more periods than anybody reads. */
export function deliveryStats(outcomes: readonly DeliveryOutcome[], options: StatsOptions): DeliveryStats {
  const { since, until, by, utc } = options
  const byStart = Map.groupBy(outcomes, ({ receivedAt }) => startOf(receivedAt, by, utc, 0))
  const data: DeliveryPeriod[] = []
  for (let start = startOf(since, by, utc, 0); start <= until; start = startOf(start, by, utc, 1)) {
    if (data.length >= MAX_PERIODS) {
      throw new BankapiError(`There are more than ${MAX_PERIODS} ${by}s since then`, {
        code: 'too_many_rows',
        exit: 'usage',
        hint: 'Ask for a later --since, or longer periods: --by day',
      })
    }
    data.push({ start: new Date(start).toISOString(), ...countsOf(byStart.get(start) ?? []) })
  }
  const counts = countsOf(outcomes)
  const forwarded = counts.accepted + counts.failed
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    by,
    ...counts,
    success_rate: forwarded === 0 ? null : Math.round((counts.accepted / forwarded) * 10_000) / 10_000,
    data,
  }
}

/** The start of the period of a time, or so many periods later. A day may have 23 or 25 hours. */
function startOf(time: number, by: Period, utc: boolean, later: number): number {
  const date = new Date(time)
  const set = utc ? 'setUTC' : 'set'
  const get = utc ? 'getUTC' : 'get'
  if (by === 'minute') return Math.floor(time / 60_000 + later) * 60_000
  if (by === 'hour') {
    // The hour of a zone that is half an hour away begins at half past.
    const start = date[`${set}Minutes`](0, 0, 0)
    return later === 0 ? start : start + later * 3_600_000
  }
  date[`${set}Date`](date[`${get}Date`]() + later)
  return date[`${set}Hours`](0, 0, 0, 0)
}

function countsOf(outcomes: readonly DeliveryOutcome[]): Counts {
  const verified = outcomes.filter((one) => one.verified)
  const of = (target: DeliveryOutcome['target']) => verified.filter((one) => one.target === target)
  const durations = verified.flatMap(({ durationMs }) => durationMs ?? []).toSorted((a, b) => a - b)
  return {
    deliveries: outcomes.length,
    accepted: of('accepted').length,
    failed: of('failed').length,
    not_verified: outcomes.length - verified.length,
    not_forwarded: of('nowhere').length,
    p50_ms: percentile(durations, 0.5),
    p95_ms: percentile(durations, 0.95),
  }
}

/** The smallest that at least this share does not exceed, in whole milliseconds. */
function percentile(sorted: readonly number[], share: number): number | null {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
  return value === undefined ? null : Math.round(value)
}
