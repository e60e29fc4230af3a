import { expect, test } from 'vitest'
import { type EventOrder, eventSource, unlikeTheReference } from './_triggered-event.ts'

const order: EventOrder = {
  type: 'connection.active',
  from: undefined,
  set: [],
  livemode: false,
  now: Date.UTC(2026, 4, 22),
}
const bytes = (text: string) => new TextEncoder().encode(text)
const json = (body: Uint8Array) => JSON.parse(new TextDecoder().decode(body))
const make = (changes: Partial<EventOrder>, count = 1) => eventSource({ ...order, ...changes }, count)(0)

test('every event has an id of its own', () => {
  const source = eventSource(order, 3)
  expect(new Set([0, 1, 2].map((number) => source(number).eventId)).size).toBe(3)
})

test('fields are set as JSON where they read as JSON, else as text', () => {
  const set = [
    'data.connection.status=failed',
    'livemode=true',
    'data.n=3',
    'data.text="3"',
    'data.a.b=null',
    'data.x=',
  ]
  expect(json(make({ set }).body)).toMatchObject({
    livemode: true,
    data: { connection: { id: 'con_FDE_123', status: 'failed' }, n: 3, text: '3', a: { b: null }, x: '' },
  })
})

test('a field called __proto__ is a field, and changes no object', () => {
  const event = make({ set: ['__proto__.polluted=true', 'data.__proto__.polluted=true'] })
  expect(new TextDecoder().decode(event.body)).toContain('"__proto__":{"polluted":true}')
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('a field inside a text is refused', () => {
  expect(() => make({ set: ['type.a=1'] })).toThrow('type is no object')
  expect(() => make({ set: ['nothing'] })).toThrow('sets no field')
})

test('the bytes of a file go out as they are, whatever they are', () => {
  for (const text of ['{"event_id": "evt_9",\r\n "type":"x"}\n', 'not json', '\u0000', '[1]']) {
    expect(make({ from: bytes(text) }).body).toEqual(bytes(text))
  }
  expect(make({ from: bytes('{"event_id":"evt_9","type":"x"}') })).toMatchObject({
    eventId: 'evt_9',
    type: 'x',
  })
  expect(make({ from: bytes('nonsense'), type: 'x' })).toMatchObject({ eventId: undefined, type: 'x' })
})

test('several of one file get ids of their own, and what is no object cannot be changed', () => {
  const from = bytes('{"event_id":"evt_9","data":{"a":1}}')
  const source = eventSource({ ...order, from, set: ['data.a=2'] }, 2)
  expect(source(0).eventId).not.toBe(source(1).eventId)
  expect(json(source(0).body)).toMatchObject({ type: 'connection.active', data: { a: 2 } })
  expect(() => make({ from: bytes('[]'), set: ['a=1'] })).toThrow('no JSON object')
})

test('an unknown type is refused unless a file gives the event', () => {
  expect(() => make({ type: 'connection.initiated' })).toThrow('There is no event type connection.initiated')
})

test('what is not as the reference says is named', () => {
  expect(unlikeTheReference(make({}).body)).toEqual([])
  const wrong = unlikeTheReference(make({ set: ['data.connection.status=broken', 'created_at=now'] }).body)
  expect(wrong.map((sentence) => sentence.split(':')[0])).toEqual(['created_at', 'data.connection.status'])
  expect(unlikeTheReference(bytes('nonsense'))).toEqual([])
})
