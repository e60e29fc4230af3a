import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, seedFrom } from './random.ts'

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 })

describe('createRandom', () => {
  it('gives the same sequence for the same seed, and another one for another seed', () => {
    const draw = (seed: number) => Array.from({ length: 20 }, createRandom(seed).next)
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
  })

  it('draws integers between both ends, the ends included', () => {
    fc.assert(
      fc.property(seeds, fc.integer(), fc.nat(1000), (seed, min, span) => {
        const drawn = createRandom(seed).int(min, min + span)
        expect(drawn).toBeGreaterThanOrEqual(min)
        expect(drawn).toBeLessThanOrEqual(min + span)
        expect(Number.isInteger(drawn)).toBe(true)
      }),
    )
    const random = createRandom(1)
    const dice = new Set(Array.from({ length: 200 }, () => random.int(1, 6)))
    expect([...dice].sort()).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('refuses an empty range and an empty choice', () => {
    expect(() => createRandom(1).int(2, 1)).toThrow(RangeError)
    expect(() => createRandom(1).pick([])).toThrow(RangeError)
  })

  it('makes UUIDs of version 4 and hex of the length asked for', () => {
    fc.assert(
      fc.property(seeds, fc.nat(40), (seed, length) => {
        const random = createRandom(seed)
        expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(random.hex(length)).toMatch(new RegExp(`^[0-9a-f]{${length}}$`))
      }),
    )
  })

  it('spreads its draws evenly', () => {
    const random = createRandom(3)
    const buckets = Array.from({ length: 10 }, () => 0)
    for (let count = 0; count < 10_000; count += 1) {
      const bucket = Math.floor(random.next() * 10)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    }
    for (const hits of buckets) expect(Math.abs(hits - 1000)).toBeLessThan(150)
  })
})

describe('seedFrom', () => {
  it('tells apart names that only differ in where they are split', () => {
    expect(seedFrom('ab', 'c')).not.toBe(seedFrom('a', 'bc'))
    expect(seedFrom(1, 'a')).toBe(seedFrom(1, 'a'))
  })
})
