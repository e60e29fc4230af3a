/** Describes the fields of a resource, reads them from a row, and chooses those that `--columns` names. */
import { OutputError } from './output-error.ts'

export type FieldKind = 'text' | 'id' | 'money' | 'number' | 'date' | 'time' | 'status' | 'boolean'

/** One column of a table or one line of a record. */
export interface Field<Row = unknown> {
  /** The JSON key, snake_case as on the wire, or a dotted path (`institution.name`). `--columns` names it. */
  readonly key: string
  /** The heading; made of the key when absent. */
  readonly header?: string
  /** Reads the value; by default the one at `key`. */
  readonly get?: (row: Row) => unknown
  /** How it is formatted and whether it may be cut; `text` when absent. */
  readonly kind?: FieldKind
  /** A table short of width drops columns with the lowest priority first; 0 when absent, 10 for the key `id`. */
  readonly priority?: number
  /** A text by which people tell rows apart: other columns go before it is cut short. */
  readonly tells?: boolean
  /** Of money: above zero it is income, which is set apart on a terminal. */
  readonly signed?: boolean
  /** The currency of a money field; by default the row's `iso_currency_code`. */
  readonly currency?: (row: Row) => string | undefined
  readonly align?: 'left' | 'right'
}

type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object, so neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a key or a dotted path; undefined when it is not there. Never looks at a prototype. */
export function readPath(row: unknown, path: string): unknown {
  if (isObject(row) && Object.hasOwn(row, path)) return row[path]
  let value = row
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** The value of a field in a row. */
export function readField<Row>(row: Row, field: Field<Row>): unknown {
  return field.get === undefined ? readPath(row, field.key) : field.get(row)
}

/** The heading of a field: `institution.name` reads `institution name`. */
export function headerOf(field: Pick<Field, 'key' | 'header'>): string {
  return field.header ?? field.key.replace(/[._]+/g, ' ').trim()
}

const moneyKeys = /(^|_)(amount|balance|limit|credit|payment)$/

/** Infers a value's kind from its key, as the API names things: `*_at` is a time, `id` and `*_id` are ids. */
export function inferKind(key: string, value: unknown, row?: unknown): FieldKind {
  const name = key.slice(key.lastIndexOf('.') + 1)
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') {
    return moneyKeys.test(name) && currencyOf(row) !== undefined ? 'money' : 'number'
  }
  if (name === 'id' || name.endsWith('_id') || name === 'sid') return 'id'
  if (/_(at|after)$/.test(name)) return 'time'
  if (name === 'date' || name.endsWith('_date')) return 'date'
  return name === 'status' || name.endsWith('_status') ? 'status' : 'text'
}

/** The row's own currency, when it names one. */
export function currencyOf(row: unknown): string | undefined {
  const code = readPath(row, 'iso_currency_code')
  return typeof code === 'string' ? code : undefined
}

/** Infers the fields of rows without any (of a raw `api` call): their keys in order, without nested objects. */
export function inferFields(rows: readonly unknown[]): Field<unknown>[] {
  const fields = new Map<string, Field<unknown>>()
  for (const row of rows) {
    if (!isObject(row)) continue
    for (const [key, value] of Object.entries(row)) {
      if (value === null || value === undefined || isNested(value) || fields.has(key)) continue
      fields.set(key, { key, kind: inferKind(key, value, row) })
    }
  }
  if (fields.size === 0 && rows.length > 0) return [{ key: 'value', get: (row) => row }]
  return [...fields.values()]
}

function isNested(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some((item) => typeof item === 'object' && item !== null)
    : isObject(value)
}

/** The dotted paths of all values in a row, in order. An array is one value; so is an empty object. */
export function leafPaths(row: unknown, prefix = ''): string[] {
  if (!isObject(row)) return prefix === '' ? [] : [prefix]
  const keys = Object.keys(row)
  if (keys.length === 0 && prefix !== '') return [prefix]
  return keys.flatMap((key) => leafPaths(row[key], prefix === '' ? key : `${prefix}.${key}`))
}

/**
 * The columns `--columns` may name: those of `fields`, then `known` ones (the keys of the resource in the
 * contract: they count even where no row has them), then every dotted path the rows hold.
 */
export function availableColumns<Row>(
  rows: readonly Row[],
  fields: readonly Field<Row>[] = [],
  known: readonly string[] = [],
): string[] {
  const columns = new Set([...fields.map((field) => field.key), ...known])
  for (const row of rows) for (const path of leafPaths(row)) columns.add(path)
  return [...columns]
}

/**
 * The fields that `--columns` chose, in its order. An object's own key (`institution`) may be named as well as
 * a path in it. Without a row, `fields` or `known`, every name is accepted.
 * @throws OutputError (exit 2) naming the valid columns when one is unknown or none is left
 */
export function selectFields<Row>(
  columns: readonly string[],
  rows: readonly Row[],
  fields: readonly Field<Row>[] = [],
  known: readonly string[] = [],
): Field<Row>[] {
  const names = columns.map((column) => column.trim()).filter((column) => column !== '')
  const available = availableColumns(rows, fields, known)
  const unknown = names.filter(
    (name) => !available.includes(name) && !available.some((column) => column.startsWith(`${name}.`)),
  )
  if (names.length === 0) throw new OutputError('--columns needs at least one name', columnsHint(available))
  if (unknown.length > 0 && available.length > 0) {
    const which = unknown.length === 1 ? 'Unknown column' : 'Unknown columns'
    throw new OutputError(`${which}: ${unknown.join(', ')}`, columnsHint(available))
  }
  return [...new Set(names)].map((name) => {
    const declared = fields.find((field) => field.key === name)
    if (declared !== undefined) return declared
    const sample = rows.find((row) => (readPath(row, name) ?? null) !== null)
    return { key: name, kind: inferKind(name, readPath(sample, name), sample) }
  })
}

function columnsHint(available: readonly string[]): string {
  return `Columns: ${available.join(', ')}`
}
