/** Writes rows as NDJSON: one JSON document per line. */
import { isObject, readPath } from '../fields.ts'
import { escapeInJson } from '../safe-text.ts'

/** Each row as one line of JSON with its newline; with `columns`, only these keys, nested as they were. */
export function ndjsonLines(rows: readonly unknown[], columns?: readonly string[]): string {
  let text = ''
  for (const row of rows) {
    text += `${JSON.stringify(columns === undefined ? row : pick(row, columns)) ?? 'null'}\n`
  }
  // All lines at once: one search for unsafe characters is cheaper than one per line.
  return escapeInJson(text)
}

/** The row cut down to the named columns; one the row does not have is left out, as the API leaves it out. */
function pick(row: unknown, columns: readonly string[]): unknown {
  if (!isObject(row)) return row
  // No prototype: a key called __proto__ is a key like any other.
  const picked: Record<string, unknown> = Object.create(null)
  for (const column of columns) {
    const value = readPath(row, column)
    if (value !== undefined) place(picked, Object.hasOwn(row, column) ? [column] : column.split('.'), value)
  }
  return picked
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path
  if (key === undefined) return
  if (rest.length === 0) {
    target[key] = value
    return
  }
  const current = target[key]
  // Copied, not written into: after `--columns institution,institution.name` it is the row's own object.
  const inner: Record<string, unknown> = Object.assign(
    Object.create(null),
    isObject(current) ? current : undefined,
  )
  place(inner, rest, value)
  target[key] = inner
}
