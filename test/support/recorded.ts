/** Puts deliveries into the inbox of a home, as listeners would have recorded them. */
import { join } from 'node:path'
import type { ForwardResult, NewDelivery } from '../../src/inbox/delivery-rows.ts'
import { openInbox } from '../../src/inbox/open.ts'
import { sampleDelivery } from './sample-delivery.ts'

export type Recorded = Partial<NewDelivery> & { readonly forwards?: readonly ForwardResult[] }

/** Returns their numbers in the inbox. */
export function recorded(
  folder: string,
  deliveries: readonly (readonly [eventId: string, Recorded?])[],
): number[] {
  const inbox = openInbox({ path: join(folder, 'data', 'inbox.sqlite'), now: Date.now })
  try {
    return deliveries.map(([eventId, { forwards = [], ...changes } = {}]) => {
      const delivery = sampleDelivery(eventId, { environment: 'local', receivedAt: Date.now(), ...changes })
      const { id } = inbox.deliveries.record(delivery)
      for (const forward of forwards) inbox.deliveries.recordForward(id, forward)
      return id
    })
  } finally {
    inbox.close()
  }
}

/** A body of an event, with its data. */
export function eventBody(eventId: string, type: string, data: object): Buffer {
  const envelope = { event_id: eventId, type, created_at: '2026-09-21T08:00:00Z', api_version: '2026-05-22' }
  return Buffer.from(JSON.stringify({ ...envelope, livemode: false, data }))
}
