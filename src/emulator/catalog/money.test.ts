import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { roundMoney, sumMoney } from './money.ts'

describe('money', () => {
  it('adds cents exactly', () => {
    expect(sumMoney([0.1, 0.2], 'USD')).toBe(0.3)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 })), (cents) => {
        const total = cents.reduce((sum, amount) => sum + amount, 0)
        expect(
          sumMoney(
            cents.map((amount) => amount / 100),
            'EUR',
          ),
        ).toBe(total / 100 || 0)
      }),
    )
  })

  it('knows that a yen has no cents', () => {
    expect(roundMoney(1234.56, 'JPY')).toBe(1235)
    expect(roundMoney(1234.567, 'USD')).toBe(1234.57)
  })

  it('never gives a negative zero', () => {
    expect(Object.is(roundMoney(-0.001, 'USD'), 0)).toBe(true)
    expect(Object.is(sumMoney([-0], 'USD'), 0)).toBe(true)
  })
})
