import { expect, test } from 'vitest'
import { testInbox } from '../../test/support/test-inbox.ts'

const { now, open, delivery } = testInbox()

test('an event is claimed by one at a time, until the outcome is recorded, the claim is over or the clock is set back', () => {
  const { deliveries } = open()
  const other = open().deliveries
  const event = { eventId: 'evt_1', environment: 'sandbox' }
  const first = deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }))
  const second = other.record(delivery('evt_1', { forwardTo: 'http://x/' }))
  const claimFirst = (at = now) => deliveries.claim(event, first.id, { at, forMs: 30_000 })
  const claimSecond = (at = now) => other.claim(event, second.id, { at, forMs: 30_000 })
  expect(claimFirst()).toBe('claimed')
  expect(claimSecond()).toBe('running')
  other.recordForward(second.id, { url: 'http://x/', durationMs: 1 })
  expect(claimSecond(now + 29_999)).toBe('running')
  deliveries.recordForward(first.id, { url: 'http://x/', status: 500, durationMs: 1 })
  expect(claimSecond()).toBe('claimed')
  expect(claimFirst(now + 30_000)).toBe('claimed')
  expect(claimSecond(now - 60_000)).toBe('claimed')
  other.recordForward(second.id, { url: 'http://x/', status: 200, durationMs: 1 })
  expect(claimSecond(now + 60_000)).toBe('accepted')
  // A repeat of what a target has accepted is not to be forwarded.
  expect(deliveries.get(event.eventId).map(({ forwardTo }) => forwardTo)).toContain(undefined)
  expect(claimFirst()).toBe('accepted')
  expect(other.claim({ ...event, environment: 'live' }, second.id, { at: now, forMs: 0 })).toBe('running')
})
