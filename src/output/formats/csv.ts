/** Writes CSV, quoted as in RFC 4180 with lines ended by LF, safe to open in a spreadsheet. */
import { leafPaths, readPath } from '../fields.ts'
import { safeJson, safeTabbed } from '../safe-text.ts'

/** How a spreadsheet recognises a formula; the full-width signs count in some of them too. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/
const plainNumber = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/

/**
 * One cell before quoting: nothing for null, JSON for an array, text with control characters made visible. Text
 * that a spreadsheet would run gets a leading apostrophe; a number such as `-12.34` stays a number.
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : safeJson(value)
  const safe = safeTabbed(text)
  return formulaStart.test(text) && !plainNumber.test(text) ? `'${safe}` : safe
}

/**
 * The columns of rows: every dotted path any of them holds, in order of appearance. A path that is an object
 * in one row and null in another has columns only for what is inside.
 */
export function csvColumns(rows: Iterable<unknown>): string[] {
  const columns = new Set<string>()
  const values = new Set<string>()
  for (const row of rows) {
    for (const path of pathsOf(row)) {
      columns.add(path)
      if ((readPath(row, path) ?? null) !== null) values.add(path)
    }
  }
  const parents = new Set([...columns].flatMap(parentsOf))
  return [...columns].filter((path) => values.has(path) || !parents.has(path))
}

/** The one column of rows that are not objects. */
const valueColumn = 'value'

function pathsOf(row: unknown): string[] {
  const paths = leafPaths(row)
  return paths.length > 0 || isRecord(row) ? paths : [valueColumn]
}

function isRecord(row: unknown): boolean {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
}

function parentsOf(path: string): string[] {
  const keys = path.split('.')
  return keys.slice(1).map((_, at) => keys.slice(0, at + 1).join('.'))
}

export interface CsvWriter {
  /** The line of column names. */
  header(): string
  /** Lines for rows, each ended by LF. */
  lines(rows: readonly unknown[]): string
}

/** Writes rows under fixed columns. Loads csv-stringify. */
export async function createCsvWriter(columns: readonly string[]): Promise<CsvWriter> {
  const { stringify } = await import('csv-stringify/sync')
  // A line with nothing on it is no row to many readers: a lone empty cell is written as "".
  const options = { record_delimiter: '\n', quoted_empty: columns.length === 1 }
  const cellsOf = (row: unknown) =>
    columns.map((column) =>
      csvCell(isRecord(row) ? readPath(row, column) : column === valueColumn ? row : undefined),
    )
  return {
    header: () => (columns.length === 0 ? '' : stringify([columns.map(csvCell)], options)),
    lines: (rows) => (columns.length === 0 ? '' : stringify(rows.map(cellsOf), options)),
  }
}
