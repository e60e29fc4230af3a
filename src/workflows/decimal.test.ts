import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DecimalSum } from './decimal.ts'

test('a sum is that of the decimals as they are written, not of binary fractions', () => {
  expect(new DecimalSum(0.1, 0.2).value).toBe(0.3)
  expect(new DecimalSum(1.005, 1.1, -0.105).value).toBe(2)
  expect(new DecimalSum(1e21, 1e-7, -1e21).value).toBe(1e-7)
  const difference = new DecimalSum(3284.57)
  difference.subtract(new DecimalSum(0.1, 3284.4))
  expect(difference.value).toBe(0.07)
})

test('any amounts in cents add up to the cent, in any order', () => {
  const cents = fc.integer({ min: -99_999_999, max: 99_999_999 })
  fc.assert(
    fc.property(fc.array(cents, { maxLength: 200 }), (all) => {
      const sum = all.reduce((total, one) => total + one, 0)
      const amounts = all.map((one) => one / 100)
      expect(new DecimalSum(...amounts).value).toBe(sum / 100 || 0)
      expect(new DecimalSum(...amounts.toReversed()).value).toBe(sum / 100 || 0)
    }),
  )
})
