import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fakeClock } from '../../test/support/fake-api.ts'
import { ApiResponseError } from '../api/errors.ts'
import { Limiter } from './limiter.ts'

const never = new AbortController().signal

function refusal(httpStatus: number, retryAfterMs?: number): ApiResponseError {
  return new ApiResponseError({
    error: { code: 'rate_limited', message: 'Too many requests' },
    httpStatus,
    traceId: undefined,
    operation: { method: 'GET', path: '/clients' },
    envelope: true,
    assumedEndpoint: false,
    replayed: false,
    retryAfterMs,
  } as ConstructorParameters<typeof ApiResponseError>[0])
}

/** Reads that are answered by the test, in the order in which they were let through. */
function reads(limiter: Limiter, signal = never) {
  const open: PromiseWithResolvers<string>[] = []
  const start = () =>
    limiter.run(() => {
      const read = Promise.withResolvers<string>()
      open.push(read)
      return read.promise
    }, signal)
  const answer = async (...refusals: (Error | undefined)[]) => {
    for (const error of refusals) {
      const read = open.shift()
      if (error === undefined) read?.resolve('read')
      else read?.reject(error)
    }
    // Everything that follows without a timer has happened.
    await setImmediate()
  }
  return { open, start, answer }
}

test('never more reads at once than it is told', async () => {
  const { open, start, answer } = reads(new Limiter({ clock: fakeClock(), concurrency: 3 }))
  const all = Array.from({ length: 7 }, start)
  await setImmediate()
  expect(open).toHaveLength(3)
  await answer(undefined)
  expect(open).toHaveLength(3)
  while (open.length > 0) await answer(undefined)
  expect(await Promise.all(all)).toHaveLength(7)
})

test('a 429 stops all reads for its Retry-After, and the pace comes back one by one', async () => {
  const clock = fakeClock()
  const told: number[] = []
  const onHold = (ms: number) => void told.push(ms)
  const { open, start, answer } = reads(new Limiter({ clock, concurrency: 4, onHold }))
  const all = Array.from({ length: 20 }, start)
  await setImmediate()
  expect(open).toHaveLength(4)
  const before = clock.now()
  await answer(refusal(429, 7000), refusal(429, 3000), refusal(429, 7000), refusal(429, 1000))
  expect(clock.now() - before).toBe(7000)
  expect(told).toEqual([7000])
  const paces = [open.length]
  while (open.length > 0) {
    await answer(undefined)
    paces.push(open.length)
  }
  expect(paces.slice(0, 5)).toEqual([1, 2, 3, 4, 4])
  expect(await Promise.all(all)).toHaveLength(20)
})

test('without a Retry-After the wait doubles with each 429 in a row, however many reads were under way', async () => {
  const clock = fakeClock()
  const { open, start, answer } = reads(new Limiter({ clock, concurrency: 3 }))
  const all = Array.from({ length: 3 }, start)
  await setImmediate()
  await answer(refusal(429), refusal(429), refusal(429))
  await answer(refusal(429))
  await answer(refusal(429))
  expect(clock.slept).toEqual([1000, 2000, 4000])
  while (open.length > 0) await answer(undefined)
  await Promise.all(all)
  clock.slept.length = 0
  const after = start()
  await setImmediate()
  await answer(refusal(429))
  await answer(undefined)
  expect([await after, clock.slept]).toEqual(['read', [1000]])
})

test('any other failure is that of its read alone', async () => {
  const { open, start, answer } = reads(new Limiter({ clock: fakeClock(), concurrency: 1 }))
  const [first, second] = [start(), start()]
  await setImmediate()
  const failed = expect(first).rejects.toMatchObject({ httpStatus: 503 })
  await answer(refusal(503))
  await failed
  expect(open).toHaveLength(1)
  await answer(undefined)
  expect(await second).toBe('read')
})

test('a pause of another process counts, and this one tells its own', async () => {
  const clock = fakeClock()
  let until = clock.now() + 5000
  const shared = {
    until: async () => until,
    extend: async (to: number) => {
      until = Math.max(until, to)
    },
  }
  const { open, start, answer } = reads(new Limiter({ clock, concurrency: 2, shared }))
  const all = [start(), start()]
  await setImmediate()
  expect(clock.slept).toContain(5000)
  expect(open).toHaveLength(1)
  await answer(refusal(429, 60_000))
  expect(until).toBeGreaterThanOrEqual(clock.now())
  while (open.length > 0) await answer(undefined)
  await Promise.all(all)
})

test('an aborted read leaves its place in the line to the next', async () => {
  const limiter = new Limiter({ clock: fakeClock(), concurrency: 1 })
  const abort = new AbortController()
  const { start, answer, open } = reads(limiter)
  const first = start()
  const waiting = limiter.run(async () => 'never', abort.signal)
  const next = start()
  await setImmediate()
  abort.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await expect(limiter.run(async () => 'never', abort.signal)).rejects.toThrow('stopped')
  await answer(undefined)
  expect(open).toHaveLength(1)
  await answer(undefined)
  expect(await Promise.all([first, next])).toEqual(['read', 'read'])
})
