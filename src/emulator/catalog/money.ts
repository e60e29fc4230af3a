/** Amounts in major units, kept exact to the currency's smallest unit. */

/** Digits after the decimal point: 0 for yen, 2 for the other currencies the emulator uses. */
export function decimalsOf(currency: string): number {
  return currency === 'JPY' ? 0 : 2
}

/** `amount` rounded to the smallest unit of `currency`, never -0. */
export function roundMoney(amount: number, currency: string): number {
  const factor = 10 ** decimalsOf(currency)
  return Math.round(amount * factor) / factor || 0
}

/** The exact sum, in major units. */
export function sumMoney(amounts: Iterable<number>, currency: string): number {
  const factor = 10 ** decimalsOf(currency)
  let units = 0
  for (const amount of amounts) units += Math.round(amount * factor)
  return units / factor || 0
}
