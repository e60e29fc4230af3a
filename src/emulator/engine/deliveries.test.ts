import { expect, test } from 'vitest'
import { retryDelay } from './deliveries.ts'
import { day } from './schedule.ts'

test('each retry waits twice as long as the one before, and none is later than 24 hours after the event', () => {
  const delays: number[] = []
  let age = 0
  for (let attempts = 1; ; attempts += 1) {
    const delay = retryDelay(attempts, age, 10_000)
    if (delay === undefined) break
    delays.push(delay)
    age += delay
  }
  expect(delays.slice(0, 4)).toEqual([10_000, 20_000, 40_000, 80_000])
  expect(delays).toHaveLength(13)
  expect(age).toBeLessThanOrEqual(day)
  expect(age).toBeGreaterThan(day / 2)
})

test('a retry is made for up to 24 hours: exactly then is the last moment', () => {
  expect(retryDelay(1, day - 10_000, 10_000)).toBe(10_000)
  expect(retryDelay(1, day - 9_999, 10_000)).toBeUndefined()
})
