import { expect, test } from 'vitest'
import type { DeliveryOutcome } from './delivery-rows.ts'
import { deliveryStats } from './delivery-stats.ts'

const at = (time: string) => Date.parse(`2026-03-10T${time}Z`)
const outcome = (time: string, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  receivedAt: at(time),
  verified: true,
  duplicate: false,
  target: 'accepted',
  durationMs: 10,
  ...more,
})

test('each hour has a row, also an empty one, and what became of its deliveries', () => {
  const stats = deliveryStats(
    [
      outcome('10:00:00'),
      outcome('10:59:59.999', { target: 'failed', durationMs: 90 }),
      outcome('12:10:00', { verified: false, target: 'nowhere', durationMs: undefined }),
      outcome('12:20:00', { target: 'nowhere', durationMs: undefined }),
    ],
    { since: at('10:00:00'), until: at('12:30:00'), by: 'hour', utc: true },
  )
  const row = {
    p50_ms: null,
    p95_ms: null,
    deliveries: 0,
    accepted: 0,
    failed: 0,
    not_verified: 0,
    not_forwarded: 0,
  }
  expect(stats.data).toEqual([
    {
      ...row,
      start: '2026-03-10T10:00:00.000Z',
      deliveries: 2,
      accepted: 1,
      failed: 1,
      p50_ms: 10,
      p95_ms: 90,
    },
    { ...row, start: '2026-03-10T11:00:00.000Z' },
    { ...row, start: '2026-03-10T12:00:00.000Z', deliveries: 2, not_verified: 1, not_forwarded: 1 },
  ])
  expect(stats).toMatchObject({ deliveries: 4, success_rate: 0.5, p50_ms: 10, p95_ms: 90 })
})

test('p50 and p95 are the smallest times that half, and 95 of 100, do not exceed', () => {
  const outcomes = Array.from({ length: 100 }, (_, n) => outcome('10:00:00', { durationMs: 100 - n }))
  const stats = deliveryStats(outcomes, {
    since: at('10:00:00'),
    until: at('10:30:00'),
    by: 'hour',
    utc: true,
  })
  expect([stats.p50_ms, stats.p95_ms, stats.success_rate]).toEqual([50, 95, 1])
})

test('without a forward there is no rate and no time', () => {
  const stats = deliveryStats([], { since: at('10:00:00'), until: at('10:00:30'), by: 'minute', utc: true })
  expect([stats.success_rate, stats.p50_ms, stats.data.length]).toEqual([null, null, 1])
})

test('days are those of the zone, and a period nobody can read is refused', () => {
  const stats = deliveryStats([outcome('23:30:00')], {
    since: at('00:00:00'),
    until: at('00:00:00') + 2 * 86_400_000,
    by: 'day',
    utc: true,
  })
  expect(stats.data.map(({ start, deliveries }) => [start.slice(0, 10), deliveries])).toEqual([
    ['2026-03-10', 1],
    ['2026-03-11', 0],
    ['2026-03-12', 0],
  ])
  expect(() => deliveryStats([], { since: 0, until: at('00:00:00'), by: 'minute', utc: true })).toThrow(
    'more than 10000 minutes',
  )
})
