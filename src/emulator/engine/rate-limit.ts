/** The request rate limit: a bucket per key that holds a minute's worth of requests and fills steadily. */
import { minute } from './engine.ts'
import { Problem } from './problem.ts'

export interface RateLimiter {
  /** Counts a request. Throws `rate_limit_exceeded` when the key's bucket is empty. */
  take(key: string, now: number): void
}

/** `perMinute` undefined: every request passes. */
export function createRateLimiter(perMinute: number | undefined): RateLimiter {
  if (perMinute === undefined) return { take: () => undefined }
  const buckets = new Map<string, { tokens: number; at: number }>()
  const wait = minute / perMinute
  return {
    take(key, now) {
      const bucket = buckets.get(key) ?? { tokens: perMinute, at: now }
      bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, now - bucket.at) / wait)
      bucket.at = now
      buckets.set(key, bucket)
      if (bucket.tokens < 1) {
        const retryAfter = Math.max(1, Math.ceil(((1 - bucket.tokens) * wait) / 1000))
        throw new Problem('rate_limit_exceeded', 'Too many requests with this key.', { retryAfter })
      }
      bucket.tokens -= 1
    },
  }
}
