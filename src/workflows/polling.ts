/** How long to wait before reading an operation again, in milliseconds. */

const shortest = 500
const longest = 10_000

/**
 * Grows with the time already spent, so that quick work is noticed quickly and slow work is not hammered.
 * `estimatedSeconds` is the server's best-effort floor: up to it the reads stay further apart, a twentieth of it at
 * the most, because nothing is expected sooner.
 */
export function pollDelay(elapsedMs: number, estimatedSeconds: number | undefined): number {
  const floorMs = (estimatedSeconds ?? 0) * 1000
  const most = elapsedMs < floorMs ? Math.max(shortest, Math.min(longest, floorMs / 20)) : longest
  return Math.min(Math.max(elapsedMs / 4, shortest), most)
}
