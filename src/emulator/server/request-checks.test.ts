import { expect, test } from 'vitest'
import { ServiceError } from '../engine/errors.ts'
import { createRateLimiter } from './request-checks.ts'

test('a minute holds as many requests as allowed, and the bucket fills steadily', () => {
  const limiter = createRateLimiter(60)
  for (let call = 0; call < 60; call += 1) limiter.take('key', 0)
  expect(() => limiter.take('key', 999)).toThrow(ServiceError)
  limiter.take('key', 1000)
  limiter.take('other', 1000)
  let taken = 0
  for (let now = 1000; now <= 601_000; now += 100) {
    try {
      limiter.take('key', now)
      taken += 1
    } catch {}
  }
  expect(taken).toBe(600)
})

test('a clock that goes back does not empty the bucket or fill it', () => {
  const limiter = createRateLimiter(1)
  limiter.take('key', 100_000)
  expect(() => limiter.take('key', 0)).toThrow(ServiceError)
})

test('without a limit everything passes', () => {
  const limiter = createRateLimiter(undefined)
  for (let call = 0; call < 1000; call += 1) limiter.take('key', 0)
})
