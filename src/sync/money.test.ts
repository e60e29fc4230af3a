import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moneyOf } from './money.ts'

test.each([
  [12.34, 'USD', '12.34', 1234, 2],
  [-12.3, 'USD', '-12.3', -1230, 2],
  [0, 'USD', '0', 0, 2],
  [-0, 'USD', '0', 0, 2],
  [0.1, 'EUR', '0.1', 10, 2],
  [1200, 'JPY', '1200', 1200, 0],
  [1200.5, 'JPY', '1200.5', 12005, 1],
  [1.005, 'KWD', '1.005', 1005, 3],
  [1.005, 'USD', '1.005', 1005, 3],
  [1e-7, 'USD', '0.0000001', 1, 7],
  [-1.5e-7, 'USD', '-0.00000015', -15, 8],
  [1e21, 'JPY', '1000000000000000000000', 1e21, 0],
  [7.5, 'no currency', '7.5', 750, 2],
  [7.5, null, '7.5', 750, 2],
])('%d %s is %s, %d of 10^-%d', (value, currency, amount, minor, exponent) => {
  expect(moneyOf(value, currency)).toEqual({ amount, minor, exponent })
})

test.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY, '12.34', {}])('%s is no money', (value) => {
  expect(moneyOf(value, 'USD')).toBeUndefined()
})

test('an amount is the decimal that the answer had', () => {
  const cents = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 })
  fc.assert(
    fc.property(cents, (minor) => {
      const sign = minor < 0 ? '-' : ''
      const digits = String(Math.abs(minor)).padStart(3, '0')
      const written = `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
      expect(moneyOf(JSON.parse(written), 'USD')).toMatchObject({ minor, exponent: 2 })
    }),
  )
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const { amount } = moneyOf(value, 'USD') ?? { amount: '' }
      expect(amount).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(amount)).toBe(value === 0 ? 0 : value)
    }),
  )
})
