/** Places the columns of a list: as wide as what they hold, narrower and fewer where there is less room. */
import type { AnyRow } from '../state/any-row.ts'
import { type Line, widthOfLine } from '../state/pieces.ts'
import { widthOf } from '../state/text-width.ts'

export interface Column<R extends AnyRow = AnyRow> {
  readonly head: string
  /** With less room a column is left out, the one with the highest `rank` first. */
  readonly min: number
  readonly rank: number
  /** The order in which columns grow from `min` to what they hold. */
  readonly grows: number
  /** Ids differ at both ends. */
  readonly cut?: 'end' | 'middle'
  readonly align?: 'right'
  /** The width that is left goes to this column. */
  readonly takesRest?: true
  /** Only where all others are as wide as they want to be. */
  readonly ifRoom?: true
  readonly cell: (row: R, shown: Shown) => Line
}

/** What the text of a cell depends on beside its row. */
export interface Shown {
  readonly now: number
  readonly utc: boolean
}

export interface Placed<R extends AnyRow = AnyRow> {
  readonly column: Column<R>
  readonly width: number
}

/** Of a long list, the newest decide how wide columns are. */
const MAX_MEASURED = 300
/** A longer text is no reason to leave out a column that could do with less. */
const MAX_WANTED = 50

interface Measured {
  readonly columns: readonly Column<never>[]
  readonly second: number
  readonly widths: readonly number[]
}
const measured = new WeakMap<readonly AnyRow[], Measured>()

/** The width of what each column holds, or of its head. */
export function contentWidths<R extends AnyRow>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  shown: Shown,
): readonly number[] {
  const known = measured.get(rows)
  // Elapsed times grow.
  const second = Math.floor(shown.now / 1000)
  if (known?.columns === columns && known.second === second) return known.widths
  const widths = columns.map(({ head, cell }) =>
    rows
      .slice(-MAX_MEASURED)
      .reduce((widest, row) => Math.max(widest, widthOfLine(cell(row, shown))), widthOf(head)),
  )
  measured.set(rows, { columns, second, widths })
  return widths
}

/** The columns that fit, in their order. */
export function placeColumns<R extends AnyRow>(
  columns: readonly Column<R>[],
  contents: readonly number[],
  width: number,
): readonly Placed<R>[] {
  const all = columns.map((column, index) => {
    const wanted = Math.max(1, contents[index] ?? 0)
    return { column, wanted, min: Math.min(column.min, wanted), width: 0 }
  })
  const chosen = [...all].sort((a, b) => a.column.rank - b.column.rank)
  const needed = () => chosen.reduce((sum, { min }) => sum + min, 0) + 2 * (chosen.length - 1)
  while (chosen.length > 1 && needed() > width) chosen.pop()
  const wanted = () =>
    chosen.reduce((sum, place) => sum + Math.min(place.wanted, MAX_WANTED), 0) + 2 * (chosen.length - 1)
  for (const place of [...chosen].reverse()) {
    if (place.column.ifRoom && wanted() > width) chosen.splice(chosen.indexOf(place), 1)
  }
  let spare = Math.max(0, width - needed())
  for (const place of chosen.sort((a, b) => a.column.grows - b.column.grows)) {
    const more = Math.min(spare, place.wanted - place.min)
    place.width = Math.min(width, place.min + more)
    spare -= more
  }
  const rest = chosen.find(({ column }) => column.takesRest)
  if (rest !== undefined) rest.width += spare
  return all
    .filter((place) => chosen.includes(place))
    .map(({ column, width: placed }) => ({ column, width: placed }))
}
