/**
 * Remembers which events have been received, which a target has accepted, and which a listener is forwarding: kept longer than the
 * deliveries, so that an event sent again stays a repeat.
 */
import type { DatabaseConnection } from './connection.ts'
import type { Claim, ClaimOutcome, EventKey } from './inbox.ts'

export interface SeenEvents {
  /** Notes the event of a delivery; whether this is its first. */
  note(event: EventKey, deliveryId: number, at: number): boolean
  /** Takes the event for a delivery that is to be forwarded: of several at once, in any process, one gets it. */
  claim(event: EventKey, deliveryId: number, claim: Claim): ClaimOutcome
  /** Notes what a target answered to this delivery of an event, and ends its claim. */
  settle(deliveryId: number, accepted: boolean): void
}

/** A claim from further in the future was made before the clock was set back: it would not end in time. */
const MAX_CLOCK_STEP_MS = 60_000

export function createSeenEvents(connection: DatabaseConnection): SeenEvents {
  const insert = connection.statement(`
    INSERT INTO seen_events (id, environment, subscription, event_id, seen_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (event_id, environment, subscription) DO NOTHING`)
  const accepted = connection.statement(`
    SELECT accepted FROM seen_events WHERE event_id = ? AND environment = ? AND subscription = ?`)
  const take = connection.statement(`
    UPDATE seen_events SET claimed_by = ?4, claimed_at = ?5, claimed_until = ?6
    WHERE event_id = ?1 AND environment = ?2 AND subscription = ?3 AND NOT accepted
      AND (claimed_by IS NULL OR claimed_until <= ?5 OR claimed_at > ?5 + ${MAX_CLOCK_STEP_MS})`)
  const eventOf = connection.statement(`
    SELECT event_id, environment, subscription FROM deliveries WHERE id = ? AND verified AND shape <> 'no_envelope'`)
  const end = 'UPDATE seen_events SET accepted = accepted OR ?, claimed_by = nullif(claimed_by, ?) WHERE'
  const endOfFirst = connection.statement(`${end} id = ?`)
  const endOfRepeat = connection.statement(`${end} event_id = ? AND environment = ? AND subscription = ?`)

  return {
    note: ({ eventId, environment, subscription = '' }, deliveryId, at) =>
      insert().run(deliveryId, environment, subscription, eventId, at).changes === 1,
    claim(event, deliveryId, { at, forMs }) {
      const { eventId, environment, subscription = '' } = event
      const { changes } = take().run(eventId, environment, subscription, deliveryId, at, at + forMs)
      if (changes === 1) return 'claimed'
      return accepted().get(eventId, environment, subscription)?.['accepted'] === 1 ? 'accepted' : 'running'
    },
    settle(deliveryId, wasAccepted) {
      const outcome = [Number(wasAccepted), deliveryId] as const
      if (endOfFirst().run(...outcome, deliveryId).changes === 1) return
      // Two statements take half as long as one UPDATE … FROM.
      const event = eventOf().get(deliveryId) as
        | { event_id: string; environment: string; subscription: string }
        | undefined
      if (event === undefined) return
      endOfRepeat().run(...outcome, event.event_id, event.environment, event.subscription)
    },
  }
}
