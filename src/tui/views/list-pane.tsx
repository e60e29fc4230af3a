import type { AnyRow } from '../state/any-row.ts'
import type { ListPlace } from '../state/layout.ts'
import type { Filter } from '../state/model.ts'
import { fitLine, type Line, type Piece, withHits } from '../state/pieces.ts'
import type { Window } from '../state/window.ts'
import { type Column, contentWidths, type Placed, placeColumns, type Shown } from './columns.ts'
import { Frame, insideOf } from './frame.tsx'
import type { ShownPiece } from './line.tsx'

export interface ListPaneProps<R extends AnyRow> {
  readonly title: string
  /** None for rows that are a line each. */
  readonly columns?: readonly Column<R>[]
  readonly line?: (row: R, width: number) => Line
  /** All rows, by which the columns are sized. */
  readonly rows: readonly R[]
  readonly window: Window<R>
  readonly shown: Shown
  readonly place: ListPlace
  readonly width: number
  readonly focused: boolean
  /** At the right of the title. */
  readonly end: string
  readonly filter: Filter
  readonly search: string
  /** Rows that the list has in all. */
  readonly all: number
  /** Says why there are no rows, and which key changes that. */
  readonly empty: string
  /** Above the column heads. */
  readonly chart?: readonly Line[]
}

/** The table of one list: its title, the heads, and only the rows that fit. */
export function ListPane<R extends AnyRow>(props: ListPaneProps<R>) {
  const { window, width, place, focused, columns = [], line, rows, shown, search, chart = [] } = props
  const inside = insideOf(width, place.height)
  const placed = placeColumns(columns, contentWidths(columns, rows, shown), inside - 3)
  const body: (readonly ShownPiece[])[] = chart.slice(0, place.chart).map((line) => [...line])
  while (body.length < place.chart) body.push([])
  if (place.heads) body.push(headLine(placed, inside))
  for (const [index, row] of window.rows.entries()) {
    const selected = window.top + index === window.cursor
    body.push(
      rowLine(row, {
        placed,
        line,
        shown,
        search,
        inside,
        on: selected ? (focused ? 'focus' : 'blur') : undefined,
      }),
    )
  }
  if (window.total === 0) body.push([{ text: `  ${props.empty}`, tone: 'dim' }])
  return (
    <Frame
      title={titleOf(props)}
      end={props.end}
      width={width}
      height={place.height}
      focused={focused}
      rows={body}
    />
  )
}

function headLine<R extends AnyRow>(placed: readonly Placed<R>[], inside: number): readonly ShownPiece[] {
  const heads = placed.map(({ column: { head, align }, width }) =>
    align === 'right' ? head.padStart(width) : head.padEnd(width),
  )
  return fitLine([{ text: `  ${heads.join('  ')}`, tone: 'dim' }], inside)
}

interface RowLine<R extends AnyRow> {
  readonly placed: readonly Placed<R>[]
  readonly line: ((row: R, width: number) => Line) | undefined
  readonly shown: Shown
  readonly search: string
  readonly inside: number
  readonly on: 'focus' | 'blur' | undefined
}

function rowLine<R extends AnyRow>(
  row: R,
  { placed, line: lineOf, shown, search, inside, on }: RowLine<R>,
): readonly ShownPiece[] {
  const pieces: Piece[] = [{ text: on === undefined ? '  ' : '> ' }]
  if (lineOf !== undefined) pieces.push(...withHits(lineOf(row, inside - 3), search))
  for (const [at, { column, width }] of placed.entries()) {
    if (at > 0) pieces.push({ text: '  ' })
    pieces.push(...withHits(cellOf(column.cell(row, shown), column, width), search))
  }
  const line = fitLine(pieces, inside)
  return on === undefined ? line : line.map((piece) => ({ ...piece, on }))
}

function cellOf<R extends AnyRow>(line: Line, { cut, align }: Column<R>, width: number): Line {
  const fitted = fitLine(line, width, cut)
  const last = fitted.at(-1)
  // What pads it stands before it.
  return align === 'right' && last !== undefined && fitted.length > line.length
    ? [last, ...fitted.slice(0, -1)]
    : fitted
}

/** `Deliveries /con_FDE 2 of 5 · only failed · 120 in all` */
function titleOf<R extends AnyRow>({
  title,
  window,
  all,
  focused,
  filter,
  search,
}: ListPaneProps<R>): Piece[] {
  const { failed, ...fields } = filter
  const marks = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  if (failed) marks.unshift('only failed')
  const position = window.total === 0 ? '0' : `${window.cursor + 1} of ${window.total}`
  const narrowed = marks.length > 0 || search !== ''
  return [
    { text: title, tone: focused ? 'strong' : 'plain' },
    ...(search === '' ? [] : [{ text: ` /${search}`, tone: 'accent' as const }]),
    { text: ` ${position}` },
    ...marks.map((text): Piece => ({ text: ` · ${text}`, tone: 'accent' })),
    ...(narrowed ? [{ text: ` · ${all} in all`, tone: 'dim' as const }] : []),
  ]
}
