import { expect, it } from 'vitest'
import { fakeApi, fakeClock, operation } from '../../test/support/fake-api.ts'
import { ApiResponseError } from '../api/errors.ts'
import { type Followed, followOperations } from './follow-operations.ts'

type Status = 'queued' | 'succeeded' | 'failed'

/** Operations whose reads answer these statuses in turn, the last one from then on; none is one nobody knows. */
function setup(plan: Record<string, readonly Status[]>) {
  const reads: string[] = []
  const clock = fakeClock()
  const api = fakeApi({
    operations: {
      get: async ({ operation_id: id }: { operation_id: string }) => {
        const statuses = plan[id]
        const status = statuses?.[Math.min(reads.filter((read) => read === id).length, statuses.length - 1)]
        reads.push(id)
        if (status === undefined) throw notFound()
        return operation({ id, status })
      },
    },
  })
  return { context: { api, clock, signal: new AbortController().signal }, reads, clock }
}

function notFound(): ApiResponseError {
  return new ApiResponseError({
    error: { code: 'not_found', message: 'No such operation.' },
    httpStatus: 404,
    traceId: undefined,
    operation: { method: 'GET', path: '/operations/{operation_id}' },
    envelope: true,
    assumedEndpoint: false,
    replayed: false,
    retryAfterMs: undefined,
  })
}

const line = (followed: Followed) =>
  followed.kind === 'gone' ? `${followed.id} gone` : `${followed.operation.id} ${followed.operation.status}`

it('says each change once, and ends when all are settled', async () => {
  const { context } = setup({ op_1: ['queued', 'queued', 'succeeded'], op_2: ['queued', 'failed'] })
  const lines = await Array.fromAsync(followOperations(context, () => ['op_1', 'op_2']))
  expect(lines.map(line)).toEqual(['op_1 queued', 'op_2 queued', 'op_2 failed', 'op_1 succeeded'])
})

it('does not read again what is settled', async () => {
  const { context, reads } = setup({ op_1: ['succeeded'], op_2: ['queued', 'queued', 'queued', 'failed'] })
  await Array.fromAsync(followOperations(context, () => ['op_1', 'op_2']))
  expect(reads.filter((id) => id === 'op_1')).toHaveLength(1)
})

it('an operation that is started meanwhile joins', async () => {
  const { context } = setup({ op_1: ['queued', 'succeeded'], op_2: ['succeeded'] })
  const ids = ['op_1']
  const lines: string[] = []
  for await (const followed of followOperations(context, () => ids)) {
    lines.push(line(followed))
    if (ids.length === 1) ids.push('op_2')
  }
  expect(lines).toEqual(['op_1 queued', 'op_1 succeeded', 'op_2 succeeded'])
})

it('one that the service does not know is told, and does not end the others', async () => {
  const { context } = setup({ op_2: ['queued', 'succeeded'] })
  const lines = await Array.fromAsync(followOperations(context, () => ['op_1', 'op_2']))
  expect(lines.map(line)).toEqual(['op_1 gone', 'op_2 queued', 'op_2 succeeded'])
})

it('the pause grows while nothing changes, up to ten seconds', async () => {
  const { context, clock } = setup({ op_1: [...Array<Status>(30).fill('queued'), 'succeeded'] })
  await Array.fromAsync(followOperations(context, () => ['op_1']))
  expect(clock.slept[0]).toBe(500)
  expect(clock.slept.at(-1)).toBe(10_000)
  expect(clock.slept).toEqual(clock.slept.toSorted((a, b) => a - b))
})

it('a change begins the pauses anew', async () => {
  const { context, clock } = setup({
    op_1: [...Array<Status>(20).fill('queued'), 'succeeded'],
    op_2: [...Array<Status>(25).fill('queued'), 'succeeded'],
  })
  for await (const followed of followOperations(context, () => ['op_1', 'op_2'])) {
    if (line(followed) === 'op_1 succeeded') expect(clock.slept.at(-1)).toBe(10_000)
  }
  expect(clock.slept.slice(19, 21)).toEqual([10_000, 500])
})

it('nothing to follow ends at once, without a request', async () => {
  const { context, reads } = setup({})
  expect(await Array.fromAsync(followOperations(context, () => []))).toEqual([])
  expect(reads).toEqual([])
})
