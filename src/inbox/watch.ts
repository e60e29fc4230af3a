import { setTimeout as delay } from 'node:timers/promises'
import type { Deliveries } from './deliveries.ts'
import type { Delivery } from './delivery-rows.ts'

/**
 * Every delivery stored from now on, by any process, in order; ends when the signal is aborted. `after` starts behind
 * that id instead. Looks every `intervalMs` milliseconds.
 */
export async function* watchDeliveries(
  deliveries: Pick<Deliveries, 'after' | 'lastId'>,
  options: { signal: AbortSignal; after?: number; intervalMs?: number },
): AsyncGenerator<Delivery, void, undefined> {
  const { signal, intervalMs = 200 } = options
  let last = options.after ?? deliveries.lastId()
  while (!signal.aborted) {
    const found = deliveries.after(last)
    for (const delivery of found) {
      last = delivery.id
      yield delivery
      if (signal.aborted) return
    }
    if (found.length === 0) await delay(intervalMs, undefined, { signal }).catch(() => undefined)
  }
}
