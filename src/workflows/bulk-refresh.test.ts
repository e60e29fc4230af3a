import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { fakeApi, fakeClock, operation } from '../../test/support/fake-api.ts'
import { type ApiResponseDetails, ApiResponseError } from '../api/errors.ts'
import type { Operation } from '../contract/operations.ts'
import { type BulkRefreshOptions, refreshInBulk, whyNotRefresh } from './bulk-refresh.ts'

const ids = (count: number) => Array.from({ length: count }, (_, at) => `con_FDE_${at}`)

function refusal(httpStatus: number): ApiResponseError {
  return new ApiResponseError({
    error: { code: 'x', message: `answered ${httpStatus}` },
    httpStatus,
    operation: { method: 'POST', path: '/x' },
    envelope: true,
  } as ApiResponseDetails)
}

/** A service whose operations are settled after so many reads, those that are named as failed. */
function service({
  reads = 1,
  failing = [],
  refused = {},
}: {
  readonly reads?: number
  readonly failing?: readonly string[]
  readonly refused?: Readonly<Record<string, unknown>>
} = {}) {
  const flight = { now: 0, most: 0 }
  const counts = new Map<string, number>()
  const turn = async <T>(make: () => T): Promise<T> => {
    flight.now += 1
    flight.most = Math.max(flight.most, flight.now)
    await setImmediate()
    flight.now -= 1
    return make()
  }
  const refresh = vi.fn(async ({ connection_id }: { connection_id: string }) =>
    turn(() => {
      if (connection_id in refused) throw refused[connection_id]
      return { operation_id: `op_${connection_id}`, status: 'queued', poll_url: '', estimated_seconds: 120 }
    }),
  )
  const get = vi.fn(
    async ({ operation_id }: { operation_id: string }): Promise<Operation> =>
      turn(() => {
        const count = (counts.get(operation_id) ?? 0) + 1
        counts.set(operation_id, count)
        if (count < reads) return operation({ id: operation_id })
        return failing.includes(operation_id.slice(3))
          ? operation({ id: operation_id, status: 'failed', error: { code: 'mfa_required', message: 'no' } })
          : operation({ id: operation_id, status: 'succeeded' })
      }),
  )
  const clock = fakeClock()
  const controller = new AbortController()
  const context = {
    api: fakeApi({ connections: { refresh }, operations: { get } }),
    clock,
    signal: controller.signal,
  }
  const run = async (count: number, more: Partial<BulkRefreshOptions> = {}) => {
    const result = await refreshInBulk(context, ids(count), {
      concurrency: 8,
      keepGoing: true,
      timeoutMs: 60_000,
      ...more,
    })
    return { ...result, outcomes: result.refreshed.map(({ outcome }) => outcome) }
  }
  return { run, refresh, get, flight, clock, controller }
}

describe('refreshes of many', () => {
  it('are sent once each, 8 at once, and waited for on one schedule', async () => {
    const { run, refresh, get, flight, clock } = service({ reads: 3 })
    const { outcomes, refreshed } = await run(50)
    expect(outcomes).toEqual(Array(50).fill('succeeded'))
    expect(refreshed.map(({ connectionId }) => connectionId)).toEqual(ids(50))
    expect(refresh).toHaveBeenCalledTimes(50)
    expect(get).toHaveBeenCalledTimes(150)
    expect(flight.most).toBeGreaterThan(8)
    expect(flight.most).toBeLessThanOrEqual(16)
    // Each wait for one alone would have slept by itself.
    expect(clock.slept.length).toBeLessThan(50)
  })

  it('without waiting no operation is read', async () => {
    const { run, get } = service()
    expect((await run(3, { timeoutMs: undefined })).outcomes).toEqual(['accepted', 'accepted', 'accepted'])
    expect(get).not.toHaveBeenCalled()
  })

  it('one that fails does not stop the others with keepGoing, and stops those that were not begun without', async () => {
    const failing = ['con_FDE_1']
    expect((await service({ failing }).run(4, { concurrency: 1 })).outcomes).toEqual([
      'succeeded',
      'failed',
      'succeeded',
      'succeeded',
    ])
    const refused = { con_FDE_0: refusal(404) }
    const { outcomes, stop } = await service({ refused }).run(3, { concurrency: 1, keepGoing: false })
    expect(outcomes).toEqual(['failed', 'left', 'left'])
    expect(stop).toBe('failure')
  })

  it('what is not settled in time still runs', async () => {
    const { run, clock } = service({ reads: Number.POSITIVE_INFINITY })
    const { refreshed } = await run(2, { timeoutMs: 30_000 })
    expect(refreshed).toMatchObject([
      { outcome: 'running', operationId: 'op_con_FDE_0' },
      { outcome: 'running', operationId: 'op_con_FDE_1' },
    ])
    expect(clock.elapsed()).toBeGreaterThanOrEqual(30_000)
    expect(clock.elapsed()).toBeLessThan(31_000)
  })

  it('interrupted while it waits, what was accepted still runs', async () => {
    const { run, get, controller } = service({ reads: Number.POSITIVE_INFINITY })
    get.mockImplementationOnce(async () => {
      controller.abort(new Error('Ctrl-C'))
      throw controller.signal.reason
    })
    const { outcomes, stop } = await run(2)
    expect(outcomes).toEqual(['running', 'running'])
    expect(stop).toBe('interrupted')
  })

  it('an operation that nobody knows any more is unknown; one that cannot be read is tried again', async () => {
    const { run, get } = service()
    get.mockRejectedValueOnce(refusal(404)).mockRejectedValueOnce(refusal(503))
    expect((await run(2, { concurrency: 1 })).outcomes).toEqual(['unknown', 'succeeded'])
  })

  it('tells how many are done, failed, and waited for', async () => {
    const { run } = service()
    const { refreshed } = await run(1)
    expect(refreshed[0]?.outcome).toBe('succeeded')
    const seen: unknown[] = []
    const one = service({ failing: ['con_FDE_0'] })
    await refreshInBulk(
      {
        api: fakeApi({ connections: { refresh: one.refresh }, operations: { get: one.get } }),
        clock: one.clock,
        signal: one.controller.signal,
        onProgress: (progress) => seen.push(progress),
      },
      ids(1),
      { concurrency: 1, keepGoing: true, timeoutMs: 1000 },
    )
    expect(seen).toEqual([
      { total: 1, done: 0, failed: 0, waiting: 1 },
      { total: 1, done: 0, failed: 1, waiting: 0 },
    ])
  })
})

it.each([
  ['active', undefined, false],
  ['failed', false, false],
  ['requires_action', undefined, true],
  ['disconnected', undefined, true],
  ['active', true, true],
] as const)('%s, desktop app %s: skipped is %s', (status, requires_desktop_app, skipped) => {
  expect(whyNotRefresh({ status, requires_desktop_app }) !== undefined).toBe(skipped)
})
