/** Lists that keep their order and never grow beyond a bound; what leaves is in the inbox. */

/** Rows kept of each list. */
export const MOST_ROWS = 1000

/** The rows with one more, placed by `before`, mostly at the end; the oldest leave when there are too many. */
export function insertBounded<R>(rows: readonly R[], row: R, before: (a: R, b: R) => boolean): readonly R[] {
  let at = rows.length
  while (at > 0 && before(row, rows[at - 1] as R)) at--
  const next = [...rows.slice(0, at), row, ...rows.slice(at)]
  return next.length > MOST_ROWS ? next.slice(next.length - MOST_ROWS) : next
}

/** The rows with one replaced; the same rows when it is gone or nothing changed. */
export function replaceAt<R>(rows: readonly R[], index: number, row: R): readonly R[] {
  return rows[index] === row || index < 0 || index >= rows.length ? rows : rows.with(index, row)
}
