/** Formats one value as safe text, by its kind. */
import { currencyOf, type FieldKind, isObject } from './fields.ts'
import { statusTone, type Tone } from './palette.ts'
import { safeJson, safeText } from './safe-text.ts'
import { formatAge, formatTime, parseTime, type Zone } from './time.ts'

export interface Cell {
  /** One line, safe for a terminal, without colour; empty when there is no value. */
  readonly text: string
  readonly tone: Tone
  /** Of an amount for people: its currency, and the amount without it. */
  readonly money?: { readonly amount: string; readonly currency: string | undefined }
  /** Of a point in time for people: how far it is from now. */
  readonly age?: string
}

export interface CellStyle extends Zone {
  /** For a program that reads a pipe: times as on the wire, booleans as JSON, nothing for a missing value. */
  readonly machine: boolean
  /** Milliseconds since 1970: the time that ages are relative to; without it there are none. */
  readonly now?: () => number
}

export interface CellField<Row> {
  readonly kind?: FieldKind | undefined
  readonly currency?: ((row: Row) => string | undefined) | undefined
  readonly signed?: boolean | undefined
}

/** A missing value, for people. */
const missing: Cell = { text: '-', tone: 'dim' }
const nothing: Cell = { text: '', tone: 'plain' }

/** The text and the tone of a value. A value that does not fit its kind is shown as it came, never as an error. */
export function formatCell<Row>(value: unknown, field: CellField<Row>, row: Row, style: CellStyle): Cell {
  if (value === undefined || value === null || value === '') return style.machine ? nothing : missing
  if (Array.isArray(value)) return formatArray(value, field, row, style)
  if (field.kind === 'money') return money(value, field, row, style)
  if (isObject(value)) return plain(safeText(safeJson(value)))
  if (typeof value === 'boolean') return plain(style.machine ? String(value) : value ? 'yes' : 'no')
  const text = safeText(String(value))
  if (field.kind === 'status') return { text, tone: statusTone(text) }
  if (field.kind === 'time' && !style.machine) {
    const time = parseTime(text)
    if (time === undefined) return plain(text)
    const shown = plain(formatTime(time, style))
    return style.now === undefined ? shown : { ...shown, age: formatAge(time, style.now()) }
  }
  return plain(text)
}

function plain(text: string): Cell {
  return { text, tone: 'plain' }
}

function formatArray<Row>(items: unknown[], field: CellField<Row>, row: Row, style: CellStyle): Cell {
  if (items.length === 0) return style.machine ? nothing : missing
  if (items.some((item) => typeof item === 'object')) return plain(safeText(safeJson(items)))
  return plain(items.map((item) => formatCell(item, field, row, style).text).join(', '))
}

/** An amount with its currency, also as the pair `{amount, iso_currency_code}` in which events carry it. */
function money<Row>(value: unknown, field: CellField<Row>, row: Row, { machine }: CellStyle): Cell {
  const pair = isObject(value) ? value : undefined
  const amount = pair === undefined ? value : pair['amount']
  const currency =
    pair === undefined && field.currency !== undefined ? field.currency(row) : currencyOf(pair ?? row)
  if (typeof amount !== 'number') {
    if (pair !== undefined) return plain(safeText(safeJson(pair)))
    return plain(safeText(currency === undefined ? String(value) : `${String(value)} ${currency}`))
  }
  if (machine) return plain(formatMoney(amount, currency))
  const isIncome = field.signed === true && amount > 0
  const digits = `${isIncome ? '+' : ''}${grouped(decimal(amount, currency))}`
  const code = currency === undefined ? undefined : safeText(currency)
  return {
    text: code === undefined ? digits : `${digits} ${code}`,
    tone: isIncome ? 'good' : 'plain',
    money: { amount: digits, currency: code },
  }
}

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
 * thousands separators, so that what a pipe gets can be searched and summed.
 */
export function formatMoney(amount: number, currency?: string): string {
  if (!Number.isFinite(amount)) return String(amount)
  const digits = decimal(amount, currency)
  return currency === undefined ? digits : `${digits} ${safeText(currency)}`
}

function decimal(amount: number, currency: string | undefined): string {
  if (!Number.isFinite(amount)) return String(amount)
  const usual = currency === undefined ? 0 : (decimalsOf.get(safeText(currency).toUpperCase()) ?? 2)
  return amount.toFixed(Math.max(usual, decimalsIn(amount)))
}

/** `-238411.90` as `-238,411.90`. */
function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.')
  const separated = /^[-+]?\d+$/.test(whole) ? whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') : whole
  return fraction === undefined ? separated : `${separated}.${fraction}`
}

/** Decimals in the shortest text of a number; at most 20. */
function decimalsIn(amount: number): number {
  const [mantissa = '', exponent] = String(amount).split('e')
  const decimals = mantissa.split('.')[1]?.length ?? 0
  return Math.min(20, Math.max(0, decimals - Number(exponent ?? 0)))
}
