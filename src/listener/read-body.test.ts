import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { BodyMemory, type HeldBytes } from './body-memory.ts'
import { Incomplete, Overloaded, readBody } from './read-body.ts'

const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

function start(headers: IncomingMessage['headers'] = {}, { maxBytes = 10, memory = new BodyMemory() } = {}) {
  const request = Object.assign(new PassThrough(), { headers })
  const result = readBody(request as unknown as IncomingMessage, { maxBytes, memory })
  // A test that looks at it later must not meet an unhandled rejection.
  result.catch(() => undefined)
  return { request, result }
}

const text = ({ body }: { body: Uint8Array }) => Buffer.from(body).toString()
const settled = (result: Promise<unknown>) =>
  Promise.race([
    result.then(
      () => true,
      () => true,
    ),
    new Promise((resolve) => setImmediate(resolve, false)),
  ])

class CountingMemory extends BodyMemory {
  taken = 0
  released = 0

  override hold(onDropped: () => void): HeldBytes {
    const held = super.hold(onDropped)
    const take = (bytes: number) => {
      this.taken++
      return held.take(bytes)
    }
    const release = () => {
      this.released++
      held.release()
    }
    return { ...held, take, release }
  }
}

/** How much is left of the memory, by what another body can still take of it. */
function left(memory: BodyMemory, upTo: number): number {
  for (let bytes = upTo; bytes > 0; bytes--) {
    const held = memory.hold(() => undefined)
    if (held.take(bytes)) {
      held.release()
      return bytes
    }
  }
  return 0
}

test.each<[string, IncomingMessage['headers'], string[]]>([
  ['one piece', { 'content-length': '10' }, ['0123456789']],
  ['several pieces', { 'content-length': '10' }, ['0123', '456', '789']],
  ['pieces without a length', {}, ['0123456789']],
])('a body of exactly the limit comes whole, in %s', async (_, headers, pieces) => {
  const { request, result } = start(headers)
  for (const piece of pieces) request.write(piece)
  request.end()
  expect(await result).toMatchObject({ tooLarge: false })
  expect(text(await result)).toBe('0123456789')
})

test('no body is an empty one', async () => {
  const { request, result } = start()
  request.end()
  expect(text(await result)).toBe('')
})

test('one byte over the limit is too large: told when the rest has come, without bytes, and without memory', async () => {
  const memory = new CountingMemory(10)
  const { request, result } = start({}, { memory })
  request.write('0123456789')
  await new Promise(setImmediate)
  expect(memory.released).toBe(0)
  request.write('x')
  expect(await settled(result)).toBe(false)
  expect(memory.released).toBe(1)
  request.end('more')
  expect(await result).toMatchObject({ tooLarge: true, body: new Uint8Array() })
})

test('of a body that is too large 64 MiB are read, not more', async () => {
  const { request, result } = start({}, { maxBytes: 1 })
  const chunk = Buffer.alloc(1024 * 1024)
  for (let read = 0; read < MAX_DISCARDED_BYTES; read += chunk.byteLength) {
    if (!request.write(chunk)) await new Promise((resolve) => request.once('drain', resolve))
  }
  request.write('x')
  expect(await settled(result)).toBe(false)
  request.write('x')
  expect(await result).toMatchObject({ tooLarge: true })
})

test('with Expect one that is announced as too large is not read; one within the limit is', async () => {
  const refused = start({ expect: '100-continue', 'content-length': '11' })
  expect(await refused.result).toMatchObject({ tooLarge: true, body: new Uint8Array() })
  expect(refused.request.listenerCount('data')).toBe(0)
  const accepted = start({ expect: '100-continue', 'content-length': '10' })
  accepted.request.end('0123456789')
  expect(text(await accepted.result)).toBe('0123456789')
  const announced = start({ 'content-length': '11' })
  expect(await settled(announced.result)).toBe(false)
})

test.each(['error', 'close'] as const)(
  'one that ends with %s is incomplete, and gives its memory back',
  async (end) => {
    const memory = new CountingMemory(10)
    const { request, result } = start({}, { memory })
    request.write('01234')
    await new Promise(setImmediate)
    expect(memory.released).toBe(0)
    request.destroy(end === 'error' ? new Error('reset') : undefined)
    await expect(result).rejects.toBeInstanceOf(Incomplete)
    expect(memory.released).toBeGreaterThan(0)
  },
)

test('the memory of a whole one is kept until it is released, and does not give way', async () => {
  const memory = new BodyMemory(10)
  const { request, result } = start({}, { memory })
  request.end('01234')
  const whole = await result
  expect(left(memory, 10)).toBe(5)
  request.destroy()
  await new Promise(setImmediate)
  expect(left(memory, 10)).toBe(5)
  whole.release()
  expect(left(memory, 10)).toBe(10)
})

test('one that is still arriving gives way to the next, and stays refused', async () => {
  const memory = new BodyMemory(10)
  const slow = start({}, { memory })
  slow.request.write('012345')
  await new Promise(setImmediate)
  const next = start({}, { memory })
  next.request.end('0123456')
  expect(text(await next.result)).toBe('0123456')
  await expect(slow.result).rejects.toBeInstanceOf(Overloaded)
  slow.request.write('0123')
  await new Promise(setImmediate)
  expect(left(memory, 10)).toBe(3)
})

test('one for which there is no room is overloaded, not incomplete', async () => {
  const { request, result } = start({}, { memory: new BodyMemory(4) })
  request.end('01234')
  await expect(result).rejects.toBeInstanceOf(Overloaded)
})

test('one that has given way takes no memory any more, although there is room again', async () => {
  const memory = new CountingMemory(4)
  const { request, result } = start({}, { memory })
  request.write('01234')
  await expect(result).rejects.toBeInstanceOf(Overloaded)
  request.write('0')
  await new Promise(setImmediate)
  expect(memory.taken).toBe(1)
})
