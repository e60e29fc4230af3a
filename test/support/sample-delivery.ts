import type { NewDelivery } from '../../src/inbox/delivery-rows.ts'

/** An ordinary verified delivery of an event, as a listener records it. */
export function sampleDelivery(eventId: string, changes: Partial<NewDelivery> = {}): NewDelivery {
  return {
    receivedAt: Date.UTC(2026, 8, 21),
    environment: 'sandbox',
    method: 'POST',
    path: '/',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(eventId),
    eventId,
    type: 'connection.active',
    livemode: false,
    shape: 'event',
    verified: true,
    ...changes,
  }
}
