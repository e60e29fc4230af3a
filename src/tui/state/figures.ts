/** Computes the figures of the header: deliveries per minute, the share that the target accepted, and how long it took. */
import type { DeliveryRow } from './delivery-row.ts'

/** Deliveries received in each minute, the newest last. */
export interface Rate {
  /** Minutes since 1970 of the newest. */
  readonly minute: number
  readonly perMinute: readonly number[]
}

export const MINUTES = 15
const MINUTE_MS = 60_000

export const noRate: Rate = { minute: 0, perMinute: [] }

/** The rate with one delivery more, received at this time. */
export function withDelivery(rate: Rate, receivedAt: number): Rate {
  const minute = Math.floor(receivedAt / MINUTE_MS)
  const moved = minute > rate.minute ? rateAt(rate, receivedAt) : rate
  const index = moved.perMinute.length - 1 - (moved.minute - minute)
  const count = moved.perMinute[index]
  return count === undefined ? moved : { ...moved, perMinute: moved.perMinute.with(index, count + 1) }
}

/** The rate as it is at this time: minutes without a delivery count as 0. */
export function rateAt(rate: Rate, now: number): Rate {
  const minute = Math.floor(now / MINUTE_MS)
  const passed = minute - rate.minute
  if (rate.perMinute.length > 0 && passed <= 0) return rate
  const kept = rate.perMinute.length === 0 ? [] : rate.perMinute.slice(Math.min(passed, MINUTES))
  const empty = Array.from({ length: MINUTES - kept.length }, () => 0)
  return { minute, perMinute: rate.perMinute.length === 0 ? empty : [...kept, ...empty] }
}

/** When the sparkline moves on, Unix milliseconds; undefined when it is flat and stays so. */
export function nextMinute({ perMinute }: Rate, now: number): number | undefined {
  return perMinute.some((count) => count > 0) ? (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS : undefined
}

export interface Answers {
  /** Share of forwarded deliveries that were answered 2xx, 0 to 1; undefined without any. */
  readonly accepted: number | undefined
  /** 95 % of the answers took at most this long, milliseconds. */
  readonly p95Ms: number | undefined
}

const known = new WeakMap<readonly DeliveryRow[], Answers>()

/** Of the deliveries that the list holds. */
export function answersOf(rows: readonly DeliveryRow[]): Answers {
  const answers = known.get(rows) ?? compute(rows)
  known.set(rows, answers)
  return answers
}

function compute(rows: readonly DeliveryRow[]): Answers {
  const forwards = rows.flatMap(({ forward }) => (forward === undefined ? [] : [forward]))
  const accepted = forwards.filter(({ status = 0 }) => status >= 200 && status < 300).length
  const times = forwards.filter(({ status }) => status !== undefined).map(({ durationMs }) => durationMs)
  times.sort((a, b) => a - b)
  return {
    accepted: forwards.length === 0 ? undefined : accepted / forwards.length,
    p95Ms: times[Math.ceil(times.length * 0.95) - 1],
  }
}
