import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atMost, inParallel } from './parallel.ts'

test('so many tasks at once, each as soon as there is room, also after one that failed', async () => {
  const bounded = atMost(2)
  const open: PromiseWithResolvers<void>[] = []
  const tasks = Array.from({ length: 5 }, () =>
    bounded(() => {
      const task = Promise.withResolvers<void>()
      open.push(task)
      return task.promise
    }),
  )
  const outcomes = Promise.allSettled(tasks)
  expect(open).toHaveLength(2)
  open[0]?.reject(new Error('failed'))
  await setImmediate()
  expect(open).toHaveLength(3)
  for (let at = 1; at < 5; at += 1) {
    open[at]?.resolve()
    await setImmediate()
    expect(open).toHaveLength(Math.min(5, at + 3))
  }
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', ...Array(4).fill('fulfilled')])
})

test('every item once, so many at once', async () => {
  let running = 0
  let most = 0
  const met: number[] = []
  await inParallel(
    [1, 2, 3, 4, 5, 6, 7],
    async (item) => {
      running += 1
      most = Math.max(most, running)
      await setImmediate()
      met.push(item)
      running -= 1
    },
    3,
  )
  expect(met.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

test('after a failure nothing is begun, and nothing is under way when it rejects', async () => {
  const begun: number[] = []
  let running = 0
  const all = inParallel(
    [1, 2, 3, 4, 5],
    async (item) => {
      begun.push(item)
      running += 1
      await setImmediate()
      if (item === 1) {
        running -= 1
        throw new Error('failed')
      }
      await setImmediate()
      running -= 1
    },
    2,
  )
  await expect(all).rejects.toThrow('failed')
  expect([begun, running]).toEqual([[1, 2], 0])
})
