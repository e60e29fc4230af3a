/** Creates the api under test, on a clock whose sleeps take no time and are recorded. */
import { onTestFinished } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import type { UnreadableReason } from '../../src/api/errors.ts'
import type { CreateTransport } from '../../src/api/http.ts'
import type { ApiOptions, Clock } from '../../src/api/options.ts'
import { undiciTransport } from '../../src/api/undici-transport.ts'

/** What requests are sent with, and the reason that a compressed answer which ends early is unreadable for. */
export const transport: { create: CreateTransport; cutInGzip: UnreadableReason } = {
  create: undiciTransport,
  cutInGzip: 'cut',
}

export const key = 'sk_test_do_not_print_me'

export interface TestClock extends Clock {
  /** Every sleep so far, in ms. */
  readonly slept: number[]
}

function testClock(start = Date.UTC(2026, 4, 22)): TestClock {
  let now = start
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    // A monotonic clock starts anywhere.
    elapsed: () => now - start + 86_400_000,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
    },
  }
}

export interface TestApi {
  readonly api: Api
  readonly clock: TestClock
  readonly lines: string[]
}

export function connect(baseUrl: string, options: Partial<ApiOptions> = {}): TestApi {
  const clock = testClock()
  const lines: string[] = []
  let made = 0
  const api = createApi(
    {
      baseUrl,
      credential: async () => key,
      userAgent: 'bankapi/test',
      clock,
      random: { fraction: () => 1, uuid: () => `uuid-${++made}` },
      log: (line) => lines.push(line),
      ...options,
    },
    transport.create,
  )
  onTestFinished(() => api.close())
  return { api, clock, lines }
}

/** The reason that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it should have failed')
    },
    (failure: unknown) => failure,
  )
}
