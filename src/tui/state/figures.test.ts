import { expect, test } from 'vitest'
import { delivery } from '../../../test/tui/sample-state.ts'
import { answersOf, MINUTES, nextMinute, noRate, rateAt, withDelivery } from './figures.ts'

const minute = 60_000
const at = 1000 * minute

test('deliveries are counted in the minute in which they came, whenever they are seen', () => {
  let rate = rateAt(noRate, at)
  for (const receivedAt of [at, at + 1, at - minute, at - 14 * minute, at - 15 * minute])
    rate = withDelivery(rate, receivedAt)
  expect(rate.perMinute).toHaveLength(MINUTES)
  expect(rate.perMinute.slice(-2)).toEqual([1, 2])
  expect(rate.perMinute[0]).toBe(1)
  // One from long ago is not counted.
  expect(rate.perMinute.reduce((sum, count) => sum + count)).toBe(4)
})

test('minutes pass, also without a delivery', () => {
  const rate = withDelivery(rateAt(noRate, at), at)
  expect(rateAt(rate, at + 2 * minute).perMinute.slice(-3)).toEqual([1, 0, 0])
  expect(rateAt(rate, at + 100 * minute).perMinute).toEqual(Array.from({ length: MINUTES }, () => 0))
  expect(nextMinute(rate, at + 1)).toBe(at + minute)
  expect(nextMinute(rateAt(rate, at + 100 * minute), at)).toBeUndefined()
})

test('the share of 2xx is of what was forwarded, p95 of what was answered', () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({
    ...delivery(index + 1, {
      forward: { url: 'http://t/', status: index < 90 ? 204 : 500, durationMs: index + 1, error: undefined },
    }),
    ...{ seenAt: 0, attempt: 1 },
  }))
  const silent = {
    ...delivery(101, { forward: { url: '', status: undefined, durationMs: 9e9, error: 'x' } }),
    seenAt: 0,
    attempt: 1,
  }
  const refused = { ...delivery(102, { forward: undefined }), seenAt: 0, attempt: 1 }
  expect(answersOf(rows)).toEqual({ accepted: 0.9, p95Ms: 95 })
  expect(answersOf([...rows, silent, refused])).toEqual({ accepted: 90 / 101, p95Ms: 95 })
  expect(answersOf([refused])).toEqual({ accepted: undefined, p95Ms: undefined })
})
