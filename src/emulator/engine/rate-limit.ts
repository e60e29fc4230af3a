/** The request rate limit: a bucket per key that holds a minute's worth of requests and fills steadily. */
import { minute, second } from './engine.ts'
import { Problem } from './problem.ts'

export interface RateLimiter {
  /** Counts a request. Throws `rate_limit_exceeded` when the key's bucket is empty. */
  take(key: string, now: number): void
}

/** `perMinute` undefined: every request passes. */
export function createRateLimiter(perMinute: number | undefined): RateLimiter {
  if (perMinute === undefined) return { take: () => undefined }
  // In whole numbers, so that nothing is lost to rounding: a request costs a minute, a millisecond brings `perMinute`.
  const full = perMinute * minute
  const buckets = new Map<string, { credit: number; at: number }>()
  return {
    take(key, now) {
      const bucket = buckets.get(key) ?? { credit: full, at: now }
      bucket.credit = Math.min(full, bucket.credit + Math.max(0, now - bucket.at) * perMinute)
      bucket.at = now
      buckets.set(key, bucket)
      if (bucket.credit < minute) {
        const retryAfter = Math.max(1, Math.ceil((minute - bucket.credit) / perMinute / second))
        throw new Problem('rate_limit_exceeded', 'Too many requests with this key.', { retryAfter })
      }
      bucket.credit -= minute
    },
  }
}
