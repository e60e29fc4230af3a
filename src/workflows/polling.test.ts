import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pollDelay } from './polling.ts'

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
