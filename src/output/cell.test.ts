import { expect, test } from 'vitest'
import { formatMoney } from './cell.ts'

test.each([
  [-12.34, 'USD', '-12.34 USD'],
  [1234567.5, 'EUR', '1234567.50 EUR'],
  [0, 'USD', '0.00 USD'],
  [-0, 'USD', '0.00 USD'],
  [1200, 'JPY', '1200 JPY'],
  [0.5, 'KWD', '0.500 KWD'],
  [1, 'CLF', '1.0000 CLF'],
  [3, 'IQD', '3.000 IQD'],
])(
  'money has its sign, its currency and the decimals ISO-4217 gives it: %d %s',
  (amount, currency, shown) => {
    expect(formatMoney(amount, currency)).toBe(shown)
  },
)

test('decimals beyond those of the currency are kept, not rounded away', () => {
  expect(formatMoney(0.005, 'USD')).toBe('0.005 USD')
  expect(formatMoney(12.5, 'JPY')).toBe('12.5 JPY')
  expect(formatMoney(1e-7, 'USD')).toBe('0.0000001 USD')
})

test('without a currency it is a number, and a hostile currency is made visible', () => {
  expect(formatMoney(-12.3)).toBe('-12.3')
  expect(formatMoney(1, '\u001b[2J')).toBe('1.00 \\x1b[2J')
})
