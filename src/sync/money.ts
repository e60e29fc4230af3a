/** Amounts as the mirror stores them: exact decimals. */
import { decimalDigits } from '../workflows/decimal.ts'

export interface Money {
  /** Digits, with a point where there is one: `-12.34`. */
  readonly amount: string
  /** The same as an integer of 10^-exponent. */
  readonly minor: number
  readonly exponent: number
}

/** Decimals of a currency by ISO 4217; 2 for an unknown one. */
const exponents = new Map<string, number>()

function exponentOf(currency: string | null | undefined): number {
  const code = currency ?? 'USD'
  let found = exponents.get(code)
  if (found === undefined) {
    try {
      found =
        new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
          .maximumFractionDigits ?? 2
    } catch {
      found = 2
    }
    exponents.set(code, found)
  }
  return found
}

/**
 * An amount in major units as exact money, or undefined for null and what is no number. An amount with more decimals than
 * its currency keeps them: its exponent is larger then.
 */
export function moneyOf(value: unknown, currency: string | null | undefined): Money | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  const digits = decimalDigits(value)
  const fraction = digits.split('.')[1]?.length ?? 0
  const exponent = Math.max(fraction, exponentOf(currency))
  const minor = Number(digits.replace('.', '') + '0'.repeat(exponent - fraction))
  return { amount: digits, minor, exponent }
}
