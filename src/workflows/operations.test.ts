import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fakeApi, fakeClock, operation } from '../../test/support/fake-api.ts'
import type { Operation } from '../contract/operations.ts'
import { OperationFailedError, WaitTimeoutError } from './operation-errors.ts'
import { pollDelay, refreshConnection, waitForOperation } from './operations.ts'

/** An operation that is `queued` for the first `reads` reads and then `end`. */
function context(reads: number, end: Operation) {
  const clock = fakeClock()
  let count = 0
  const api = fakeApi({
    operations: {
      get: async () => (count++ < reads ? operation() : end),
    },
  })
  return { api, clock, signal: new AbortController().signal, count: () => count }
}

describe('waiting for an operation', () => {
  it('reads until it is succeeded, and reports each read', async () => {
    const setup = context(3, operation({ status: 'succeeded' }))
    const seen: string[] = []
    const done = await waitForOperation(
      { ...setup, onProgress: (progress) => seen.push(progress.operation.status) },
      { operationId: 'op_1', timeoutMs: 60_000 },
    )
    expect(done.status).toBe('succeeded')
    expect(seen).toEqual(['queued', 'queued', 'queued', 'succeeded'])
  })

  it('a failed operation is an error that holds it', async () => {
    const failed = operation({ status: 'failed', error: { code: 'refresh_timed_out', message: 'no answer' } })
    const failing = waitForOperation(context(1, failed), { operationId: 'op_1', timeoutMs: 60_000 })
    await expect(failing).rejects.toThrow(OperationFailedError)
    await expect(failing).rejects.toMatchObject({ operation: failed, message: 'no answer' })
  })

  it('gives up when the time is over, not before, and names the operation', async () => {
    const setup = context(Number.POSITIVE_INFINITY, operation())
    const start = setup.clock.now()
    await expect(
      waitForOperation(setup, { operationId: 'op_1', timeoutMs: 30_000, estimatedSeconds: 120 }),
    ).rejects.toMatchObject({ name: WaitTimeoutError.name, hint: 'bankapi operations wait op_1' })
    expect(setup.clock.now() - start).toBe(30_000)
  })

  it('stops at once when it is interrupted', async () => {
    const controller = new AbortController()
    const setup = context(Number.POSITIVE_INFINITY, operation())
    const stopped = waitForOperation(
      { ...setup, signal: controller.signal, onProgress: () => controller.abort(new Error('Ctrl-C')) },
      { operationId: 'op_1', timeoutMs: 30_000 },
    )
    await expect(stopped).rejects.toThrow('Ctrl-C')
    expect(setup.count()).toBe(1)
  })
})

describe('the pause between two reads', () => {
  it('the first read comes again within a second, whatever the estimate', () => {
    expect(pollDelay(0, 120)).toBe(500)
    expect(pollDelay(0, undefined)).toBe(500)
  })

  it('before the estimate a read is at most a twentieth of it away, after it ten seconds', () => {
    expect(pollDelay(60_000, 120)).toBe(6000)
    expect(pollDelay(121_000, 120)).toBe(10_000)
  })

  it('is never shorter than half a second nor longer than ten', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.option(fc.nat(100_000), { nil: undefined }), (elapsed, estimate) => {
        const delay = pollDelay(elapsed, estimate)
        return delay >= 500 && delay <= 10_000
      }),
    )
  })
})

describe('a refresh', () => {
  function refreshing(end: Operation) {
    const setup = context(1, end)
    const accepted = { operation_id: 'op_1', status: 'queued', poll_url: '', estimated_seconds: 20 } as const
    const refresh = vi.fn(async (_: object, __?: object) => accepted)
    const get = vi.fn(setup.api.operations.get)
    const api = fakeApi({ connections: { refresh }, operations: { get } as never })
    return { context: { ...setup, api }, accepted, refresh, get, clock: setup.clock }
  }

  it('without a time to wait is what the service accepted', async () => {
    const { context, accepted, refresh, get } = refreshing(operation())
    const told: unknown[] = []
    const options = { connectionId: 'con_FDE_1', timeoutMs: undefined }
    expect(await refreshConnection(context, { ...options, onAccepted: (one) => told.push(one) })).toBe(
      accepted,
    )
    expect(await refreshConnection(context, options)).toBe(accepted)
    expect(told).toEqual([accepted])
    expect(refresh).toHaveBeenCalledWith({ connection_id: 'con_FDE_1' }, { signal: context.signal })
    expect(get).not.toHaveBeenCalled()
  })

  it('is waited for with its estimate, sent once, and its failure names the Connection', async () => {
    const done = operation({ status: 'succeeded' })
    const { context, refresh, get, clock } = refreshing(done)
    expect(await refreshConnection(context, { connectionId: 'con_FDE_1', timeoutMs: 60_000 })).toEqual(done)
    expect(get).toHaveBeenCalledWith({ operation_id: 'op_1' }, { signal: context.signal })
    expect(clock.slept).toEqual([500])
    const failing = refreshing(operation({ status: 'failed' }))
    await expect(
      refreshConnection(failing.context, { connectionId: 'con_FDE_1', timeoutMs: 60_000 }),
    ).rejects.toMatchObject({
      name: 'OperationFailedError',
      code: 'operation_failed',
      message: 'account.refresh failed',
      subject: 'con_FDE_1',
    })
    expect(refresh).toHaveBeenCalledOnce()
  })
})
