/** Amounts of money as text. */
import { safeText } from './safe-text.ts'

/** ISO-4217 minor units other than 2. Not Intl's: CLDR rounds some of these (IQD, LYD, ...) to whole units. */
const decimalsOf = new Map<string, number>([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

/**
 * An amount in major units with its sign, the decimals of its currency and the currency's code: `-12.34 USD`,
 * `1200 JPY`, `0.500 KWD`. Decimals the bank sent beyond the currency's are kept, never rounded away. No
 * thousands separators, so that what is printed can be searched, copied and summed.
 */
export function formatMoney(amount: number, currency?: string): string {
  if (!Number.isFinite(amount)) return String(amount)
  const code = currency === undefined ? undefined : safeText(currency)
  const usual = code === undefined ? 0 : (decimalsOf.get(code.toUpperCase()) ?? 2)
  const digits = amount.toFixed(Math.max(usual, decimalsIn(amount)))
  return code === undefined ? digits : `${digits} ${code}`
}

/** Decimals in the shortest text of a number; at most 20. */
function decimalsIn(amount: number): number {
  const [mantissa = '', exponent] = String(amount).split('e')
  const decimals = mantissa.split('.')[1]?.length ?? 0
  return Math.min(20, Math.max(0, decimals - Number(exponent ?? 0)))
}
