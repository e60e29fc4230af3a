import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventTooLarge, eventsOf, type StreamEvent } from './event-stream.ts'

async function eventsIn(chunks: readonly (string | Uint8Array)[], max = 1000): Promise<StreamEvent[]> {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  return Array.fromAsync(eventsOf(body(), max))
}

const stream =
  ': a comment\r\n\r\nid: 7\nretry: 1500\ndata: {"a":\ndata:1}\n\nevent: ping\ndata: other\n\ndata: "ä"\r\rdata: cut'

test('data of several lines is joined, comments and other types of events are left out, an unfinished event is dropped', async () => {
  expect(await eventsIn([stream])).toEqual([
    { data: '{"a":\n1}', lastEventId: '7', retryMs: 1500 },
    { data: '"ä"', lastEventId: '7', retryMs: 1500 },
  ])
})

test('an event that only has an id is reported, for a stream that breaks after it', async () => {
  expect(await eventsIn(['id: 1\ndata:\n\n'])).toEqual([{ data: '', lastEventId: '1', retryMs: undefined }])
})

test('an id that no header can carry back is ignored', async () => {
  expect(await eventsIn(['id: a\u0001\ndata: 1\n\n'])).toEqual([
    { data: '1', lastEventId: undefined, retryMs: undefined },
  ])
})

test('the same events come of any chunks', async () => {
  const bytes = Buffer.from(stream)
  const whole = await eventsIn([stream])
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length })), async (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), bytes.length]
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
      expect(await eventsIn(chunks)).toEqual(whole)
    }),
  )
})

test.each([
  ['one line', [`data: ${'x'.repeat(1000)}`, `${'x'.repeat(20)}`]],
  ['many lines', Array.from({ length: 600 }, () => 'data: x\n')],
])('an event of more than the maximum, in %s, is refused before it is complete', async (_, chunks) => {
  await expect(eventsIn(chunks)).rejects.toThrow(EventTooLarge)
})

test('comments that keep a stream alive do not count', async () => {
  const comments = Array.from({ length: 500 }, () => ': keep-alive\n')
  expect(await eventsIn([...comments, '\ndata: 1\n\n'])).toHaveLength(1)
})
