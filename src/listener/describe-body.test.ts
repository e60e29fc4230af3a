import { expect, test } from 'vitest'
import { describeBody } from './describe-body.ts'

const bytes = (json: unknown) => Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
const describe = (json: unknown, headers: Parameters<typeof describeBody>[1] = {}) =>
  describeBody(bytes(json), headers)

const event = { event_id: 'evt_1', type: 'connection.active', livemode: false }
const named = { 'x-ls-webhook-event-id': 'evt_h', 'x-ls-webhook-event-type': 'type.h' }

test('an envelope says what it is, and the Connection, else the account or statement, that it is about', () => {
  const resources = { statement: { id: 'stm_1' }, account: { id: 'acc_1' }, connection: { id: 'con_1' } }
  const whole = { ...event, data: resources }
  expect(describe(whole)).toEqual({
    eventId: 'evt_1',
    type: 'connection.active',
    livemode: false,
    subject: 'con_1',
    shape: 'event',
    event: whole,
  })
  const { connection: _, ...others } = resources
  expect(describe({ ...event, data: others }).subject).toBe('acc_1')
  expect(describe({ ...event, data: { statement: { id: 'stm_1' } } }).subject).toBe('stm_1')
  for (const data of [undefined, null, 'text', {}, { connection: { id: 7 } }, { connection: { id: '' } }]) {
    expect(describe({ ...event, data }).subject).toBeUndefined()
  }
})

test('what the body lacks is read from the headers, and makes no envelope of it', () => {
  for (const json of [{}, [], 'no json', '"text"', 'null', { event_id: 7, type: '' }]) {
    expect(describe(json, named)).toMatchObject({ eventId: 'evt_h', type: 'type.h', shape: 'no_envelope' })
  }
  expect(describe({ event_id: 'evt_1' }, named)).toMatchObject({ eventId: 'evt_1', shape: 'no_envelope' })
  expect(describe({ type: 'connection.active' }, named)).toMatchObject({
    eventId: 'evt_h',
    type: 'connection.active',
    shape: 'no_envelope',
  })
  expect(describe(event, named)).toMatchObject({ eventId: 'evt_1', type: 'connection.active' })
  const empty = { 'x-ls-webhook-event-id': '', 'x-ls-webhook-event-type': ['a', 'b'] }
  expect(describe({}, empty)).toMatchObject({ eventId: undefined, type: undefined })
})

test('a type that the reference does not list is an unknown one; livemode is a boolean or nothing', () => {
  expect(describe({ ...event, type: 'bank.sneezed' }).shape).toBe('unknown_type')
  expect(describe({ ...event, livemode: true }).livemode).toBe(true)
  expect(describe({ ...event, livemode: 'true' }).livemode).toBeUndefined()
})

test('members that every object inherits are none of the body', () => {
  expect(describe('{"__proto__":{"event_id":"evt_1","type":"connection.active"}}').shape).toBe('no_envelope')
  expect(describe({ ...event, data: { constructor: 1 } }).subject).toBeUndefined()
})

test('a body that is no UTF-8, or begins with a byte order mark, is no JSON', () => {
  expect(
    describeBody(Buffer.concat([bytes(event).subarray(0, -2), Buffer.of(0xff, 0x22, 0x7d)]), {}),
  ).toMatchObject({ shape: 'no_envelope', event: undefined })
  expect(describe(`\u{feff}${JSON.stringify(event)}`).event).toBeUndefined()
})

test('JSON nested 200 deep is read, and no deeper: printing recurses', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(describe(nested(200)).event).toBeDefined()
  expect(describe(nested(201)).event).toBeUndefined()
})

test('of a body that did not verify 64 KiB are read, and no more; one that did is read whatever its size', () => {
  const text = JSON.stringify(event)
  const padded = (size: number) => bytes(text.padEnd(size))
  const limit = 64 * 1024
  expect(describeBody(padded(limit), {}, { verified: false }).eventId).toBe('evt_1')
  expect(describeBody(padded(limit + 1), {}, { verified: false }).eventId).toBeUndefined()
  expect(describeBody(padded(limit + 1), {}, { verified: true }).eventId).toBe('evt_1')
  expect(describeBody(padded(limit + 1), {}).eventId).toBe('evt_1')
})
