/**
 * Which events have been received, and which a target has accepted: kept longer than the deliveries, so that an event
 * sent again stays a repeat.
 */
import type { Connection } from './connection.ts'

export interface EventKey {
  eventId: string
  environment: string
  subscription?: string | undefined
}

export interface SeenEvents {
  /** Whether this is the first time. */
  note(event: EventKey, at: number): boolean
  /** Whether a target has answered 2xx to any delivery of this event. */
  wasAccepted(event: EventKey): boolean
  /** Notes what a target answered to this delivery of an event. */
  settle(deliveryId: number, accepted: boolean): void
}

export function createSeenEvents(connection: Connection): SeenEvents {
  const insert = connection.statement(`
    INSERT INTO seen_events (environment, subscription, event_id, seen_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (event_id, environment, subscription) DO NOTHING`)
  const accepted = connection.statement(`
    SELECT accepted FROM seen_events WHERE event_id = ? AND environment = ? AND subscription = ?`)
  const accept = connection.statement(`
    UPDATE seen_events SET accepted = 1 FROM deliveries
    WHERE deliveries.id = ? AND deliveries.verified AND deliveries.shape <> 'no_envelope'
      AND seen_events.event_id = deliveries.event_id AND seen_events.environment = deliveries.environment
      AND seen_events.subscription = deliveries.subscription`)

  return {
    note: ({ eventId, environment, subscription = '' }, at) =>
      insert().run(environment, subscription, eventId, at).changes === 1,
    wasAccepted({ eventId, environment, subscription = '' }) {
      return accepted().get(eventId, environment, subscription)?.['accepted'] === 1
    },
    settle(deliveryId, wasAccepted) {
      if (wasAccepted) accept().run(deliveryId)
    },
  }
}
