/** Reads deliveries of the inbox by their number, and follows them, whichever process stores them. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Delivery } from './delivery-rows.ts'
import type { Deliveries, Inbox } from './inbox.ts'

/**
 * Yields every delivery stored from now on, by any process, in order; ends when the signal is aborted. `after` starts
 * after that id instead. Reads every `intervalMs` milliseconds.
 */
export async function* watchDeliveries(
  deliveries: Pick<Deliveries, 'after' | 'lastId'>,
  options: { signal: AbortSignal; after?: number; intervalMs?: number },
): AsyncGenerator<Delivery, void, undefined> {
  const { signal, intervalMs = 200 } = options
  let last = options.after ?? (await deliveries.lastId())
  while (!signal.aborted) {
    const found = await deliveries.after(last)
    for (const delivery of found) {
      last = delivery.id
      yield delivery
      if (signal.aborted) return
    }
    if (found.length === 0) await delay(intervalMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The delivery with this number; undefined when it is not there, or not any more. */
export async function deliveryOf(
  { deliveries }: Pick<Inbox, 'deliveries'>,
  id: number,
): Promise<Delivery | undefined> {
  const [found] = await deliveries.after(id - 1, 1)
  return found?.id === id ? found : undefined
}
