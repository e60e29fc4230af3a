import { setTimeout as delay } from 'node:timers/promises'

/** The machine's clock. */
export const systemClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  },
}
