/** Exact decimals: a JSON number is taken as the decimal it was written as, never as a binary fraction. */

/** The shortest decimal that reads as this number, without an exponent. */
export function decimalDigits(value: number): string {
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

/** A sum of amounts in major units, exact however many they are. */
export class DecimalSum {
  /** In units of 10^-#decimals. */
  #units = 0n
  #decimals = 0

  constructor(...values: readonly number[]) {
    for (const value of values) this.add(value)
  }

  add(value: number): void {
    const [whole = '', fraction = ''] = decimalDigits(value).split('.')
    this.#add(BigInt(whole + fraction), fraction.length)
  }

  subtract(other: DecimalSum): void {
    this.#add(-other.#units, other.#decimals)
  }

  /** The number that is written as the sum is; of more than 15 digits the nearest one. */
  get value(): number {
    return Number(`${this.#units}e-${this.#decimals}`)
  }

  #add(units: bigint, decimals: number): void {
    const most = Math.max(this.#decimals, decimals)
    this.#units = this.#units * 10n ** BigInt(most - this.#decimals) + units * 10n ** BigInt(most - decimals)
    this.#decimals = most
  }
}
