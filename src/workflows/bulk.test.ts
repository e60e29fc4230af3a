import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { fakeClock } from '../../test/support/fake-api.ts'
import {
  type ApiResponseDetails,
  ApiResponseError,
  UnreachableError,
  UnreadableResponseError,
} from '../api/errors.ts'
import { type BulkOptions, inBulk } from './bulk.ts'

const operation = { method: 'POST', path: '/x' }

function answer(httpStatus: number, retryAfterMs?: number, code = 'x'): ApiResponseError {
  return new ApiResponseError({
    error: { code: httpStatus === 429 ? 'rate_limit_exceeded' : code, message: `answered ${httpStatus}` },
    httpStatus,
    retryAfterMs,
    operation,
    envelope: true,
  } as ApiResponseDetails)
}

function unreachable(reason: 'reset' | 'refused'): UnreachableError {
  return new UnreachableError({
    reason,
    address: 'http://x',
    message: 'gone',
    hint: '',
    operation,
    nothingSent: reason === 'refused',
  })
}

const unreadable = new UnreadableResponseError({ reason: 'cut', message: 'cut', hint: '', operation })

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

function options(more: Partial<BulkOptions<number, number>> = {}): BulkOptions<number, number> {
  return {
    concurrency: 1,
    keepGoing: true,
    clock: fakeClock(),
    signal: new AbortController().signal,
    changes: true,
    repeatsRefused: true,
    ...more,
  }
}

/** Fails for the items that have an error, which is thrown for each of their tries. */
async function run(
  count: number,
  errors: Readonly<Record<number, unknown>>,
  more: Partial<BulkOptions<number, number>> = {},
) {
  const tried: number[] = []
  const result = await inBulk(
    numbers(count),
    async (item) => {
      tried.push(item)
      if (item in errors) throw errors[item]
      return item
    },
    options(more),
  )
  return { ...result, tried, endings: result.settled.map(({ ending }) => ending) }
}

describe('how an item ends', () => {
  it('a refusal is a failure, and the others are done', async () => {
    const { endings, stop } = await run(3, { 1: answer(404) })
    expect(endings).toEqual(['done', 'failed', 'done'])
    expect(stop).toBeUndefined()
  })

  it.each([
    ['a connection that was reset', unreachable('reset')],
    ['an answer that was cut', unreadable],
    ['a gateway that answers', answer(502)],
  ])('%s: nobody knows whether it was done, and it is not sent again', async (_, error) => {
    const { endings, tried } = await run(2, { 0: error })
    expect(endings).toEqual(['unknown', 'done'])
    expect(tried).toEqual([0, 1])
  })

  it('what changes nothing has failed then', async () => {
    const { endings } = await run(2, { 0: unreachable('reset'), 1: answer(502) }, { changes: false })
    expect(endings).toEqual(['failed', 'failed'])
  })

  it('what was not sent is left', async () => {
    expect((await run(2, { 0: unreachable('refused') })).endings).toEqual(['left', 'done'])
  })
})

describe('a 429', () => {
  const dayLong = answer(429, 7 * 3_600_000)

  it('with a long Retry-After leaves its item, and the others go on', async () => {
    const { endings, tried, retryAfterMs } = await run(4, { 0: dayLong, 1: dayLong, 3: dayLong })
    expect(endings).toEqual(['left', 'left', 'done', 'left'])
    expect(tried).toEqual([0, 1, 2, 3])
    expect(retryAfterMs).toBe(7 * 3_600_000)
  })

  it('three in a row stop it: the others are left and were not sent', async () => {
    const { endings, tried, stop } = await run(6, { 1: dayLong, 2: dayLong, 3: dayLong })
    expect(tried).toEqual([0, 1, 2, 3])
    expect(endings).toEqual(['done', 'left', 'left', 'left', 'left', 'left'])
    expect(stop).toBe('limited')
  })

  it('with a short one is about the rate: all wait, and the item is sent again', async () => {
    const clock = fakeClock()
    let refusals = 2
    const result = await inBulk(
      [1],
      async (item) => {
        if (refusals-- > 0) throw answer(429, 2000)
        return item
      },
      options({ clock }),
    )
    expect(result.settled[0]?.ending).toBe('done')
    expect(clock.slept).toEqual([2000, 2000])
  })

  it('is left where only the user may ask again', async () => {
    const { endings, tried } = await run(1, { 0: answer(429, 2000) }, { repeatsRefused: false })
    expect([endings, tried]).toEqual([['left'], [0]])
  })
})

describe('when it stops', () => {
  it('without keepGoing nothing is begun after a failure; a 429 is none', async () => {
    const { endings, stop } = await run(
      4,
      { 0: answer(429, 7_200_000), 2: answer(400) },
      { keepGoing: false },
    )
    expect(endings).toEqual(['left', 'done', 'failed', 'left'])
    expect(stop).toBe('failure')
  })

  it('a key that is not accepted concerns all, also with keepGoing', async () => {
    const denied = answer(401, undefined, 'unknown_api_key')
    const { endings, stop, fatal } = await run(3, { 1: denied })
    expect(endings).toEqual(['done', 'left', 'left'])
    expect([stop, fatal]).toEqual(['fatal', denied])
  })

  it('three in a row that cannot be sent stop it', async () => {
    const refused = unreachable('refused')
    const { stop, tried } = await run(9, { 0: refused, 1: refused, 2: refused, 3: refused })
    expect([stop, tried]).toEqual(['unreachable', [0, 1, 2]])
  })

  it('three in a row whose answer was lost stop it, and were not unsendable', async () => {
    const lost = unreachable('reset')
    expect((await run(9, { 0: lost, 1: lost, 2: lost })).stop).toBe('unanswered')
    const refused = unreachable('refused')
    expect((await run(9, { 0: lost, 2: refused, 3: refused, 4: refused })).stop).toBe('unreachable')
  })

  it('an item is taken out of what is left before it is sent, and put back when it was not done', async () => {
    const events: string[] = []
    const left = {
      begin: (items: readonly number[]) => void events.push(`begin ${items}`),
      take: (item: number) => void events.push(`take ${item}`),
      settled: (item: number, isLeft: boolean) => void events.push(`${item} ${isLeft ? 'left' : 'settled'}`),
    }
    let refusals = 1
    const result = await inBulk(
      numbers(3),
      async (item) => {
        events.push(`send ${item}`)
        if (item === 1 && refusals-- > 0) throw answer(429, 2000)
        if (item === 2) throw unreachable('refused')
        return item
      },
      options({ left }),
    )
    expect(result.settled.map(({ ending }) => ending)).toEqual(['done', 'done', 'left'])
    expect(events).toEqual([
      'begin 0,1,2',
      ...['take 0', 'send 0', '0 settled'],
      ...['take 1', 'send 1', '1 left', 'take 1', 'send 1', '1 settled'],
      ...['take 2', 'send 2', '2 left'],
    ])
  })

  it('what cannot be taken out of what is left is not sent', async () => {
    const full = new TypeError('disk full')
    const left = {
      begin() {},
      take() {
        throw full
      },
      settled() {},
    }
    const { endings, tried, fatal } = await run(2, {}, { left })
    expect([endings, tried, fatal]).toEqual([['left', 'left'], [], full])
  })

  it('a failure that is none of the service concerns all, unless it is about its item', async () => {
    const broken = new TypeError('x')
    expect(await run(2, { 0: broken })).toMatchObject({ stop: 'fatal', fatal: broken })
    expect((await run(2, { 0: broken }, { isOfOne: () => true })).endings).toEqual(['failed', 'done'])
  })

  it('interrupted: what is under way has a moment to be answered, else it is unknown; the rest is left', async () => {
    const controller = new AbortController()
    const waits = Promise.withResolvers<void>()
    const clock = { ...fakeClock(), sleep: () => waits.promise }
    const result = inBulk(
      numbers(4),
      async (item, late) => {
        if (item === 0) {
          await setImmediate()
          controller.abort(new Error('Ctrl-C'))
          await setImmediate()
          return item
        }
        await new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason)))
        return item
      },
      options({ concurrency: 2, clock, signal: controller.signal }),
    )
    for (let turn = 0; turn < 4; turn++) await setImmediate()
    waits.resolve()
    const { settled, stop } = await result
    expect(settled.map(({ ending }) => ending)).toEqual(['done', 'unknown', 'left', 'left'])
    expect(stop).toBe('interrupted')
  })

  it('halted: what is under way goes on, and nothing more is begun', async () => {
    const halt = new AbortController()
    const tried = vi.fn(async (item: number) => {
      halt.abort()
      return item
    })
    const { settled, stop } = await inBulk(numbers(3), tried, options({ halt: halt.signal }))
    expect(settled.map(({ ending }) => ending)).toEqual(['done', 'left', 'left'])
    expect(stop).toBe('failure')
  })
})

it('so many at once are under way, and never more', async () => {
  let flying = 0
  let most = 0
  await inBulk(
    numbers(50),
    async (item) => {
      flying += 1
      most = Math.max(most, flying)
      await setImmediate()
      flying -= 1
      return item
    },
    options({ concurrency: 8 }),
  )
  expect(most).toBe(8)
})
