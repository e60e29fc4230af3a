/** Exact decimal amounts: a JSON number is taken as the decimal it was written as, never as a binary fraction. */

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

/** The shortest decimal that reads as this number, without an exponent. */
function decimalDigits(value: number): string {
  const short = String(value)
  if (!short.includes('e')) return Object.is(value, -0) ? '0' : short
  const [mantissa = '', power = '0'] = short.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const shift = Number(power)
  const digits = whole + fraction
  const point = whole.length + shift
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
