/** Fakes the Api and the clock for tests of workflows: a test gives the answers, and only sleeps move the clock. */
import type { Api } from '../../src/api/api.ts'
import type { Operation } from '../../src/contract/operations.ts'

export type Calls = {
  [area: string]: { [name: string]: (input: never, options?: never) => Promise<unknown> }
}

/** Makes an Api of `calls`. Any other call is missing and fails the test. */
export function fakeApi(calls: Calls): Api {
  return calls as unknown as Api
}

export interface FakeClock {
  now(): number
  elapsed(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  readonly slept: number[]
}

export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    elapsed: () => now - start,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
    },
  }
}

export function operation(changes: Partial<Operation> = {}): Operation {
  return {
    id: 'op_1',
    type: 'account.refresh',
    status: 'queued',
    created_at: '2026-01-01T00:00:00Z',
    ...changes,
  }
}
