import { expect, test } from 'vitest'
import { EventEnvelope, events, eventTypes, exampleEvent } from './events.ts'

const given = {
  uuid: '3f0c1b2a-0000-4000-8000-000000000001',
  createdAt: '2026-05-22T10:00:00Z',
  livemode: false,
}

test.each(eventTypes)('the example of %s fits its envelope and its payload', (type) => {
  const event = exampleEvent(type, given)
  expect(EventEnvelope.parse(event)).toEqual(event)
  expect(events[type].data.parse(event.data)).toEqual(event.data)
})

test('account refreshes and statements go by a bare UUID, the others by evt_<id>', () => {
  const bare = eventTypes.filter((type) => exampleEvent(type, given).event_id === given.uuid)
  expect(bare).toEqual(['account.refresh.completed', 'account.refresh.failed', 'statement.available'])
  expect(exampleEvent('connection.active', given).event_id).toMatch(/^evt_[0-9a-f]{24}$/)
})
