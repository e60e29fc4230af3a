import { Box } from 'ink'
import type { Filter } from '../state/model.ts'
import type { AnyRow, Window } from '../state/window.ts'
import { keyOf } from '../state/window.ts'
import { type Column, placeColumns } from './columns.ts'
import { Line, type Piece, type Tone } from './line.tsx'
import { cutEnd, toWidth, widthOf } from './text-width.ts'

export interface ListPaneProps<R extends AnyRow, C extends Column> {
  readonly title: string
  readonly columns: readonly C[]
  readonly cell: (row: R, name: C['name']) => { text: string; tone: Tone }
  readonly window: Window<R>
  readonly width: number
  /** Height in rows; unused ones are blank. */
  readonly rows: number
  readonly heads: boolean
  readonly focused: boolean
  /** Whether the newest row is followed. */
  readonly following: boolean
  readonly filter: Filter
  readonly search: string
  /** Shown when there are no rows. */
  readonly empty: string
}

/** The table of one list: its title, the heads, and only the rows that fit. */
export function ListPane<R extends AnyRow, C extends Column>(props: ListPaneProps<R, C>) {
  const { window, width, rows, heads, focused, columns, cell } = props
  const placed = placeColumns(columns, width - 2)
  const head = placed.map(({ head: text, width: columnWidth }) => toWidth(text, columnWidth)).join(' ')
  const blank = Array.from({ length: rows - window.rows.length }, (_, index) => index)
  return (
    <Box flexDirection='column' width={width}>
      <Line pieces={titleLine(props)} />
      {heads && <Line pieces={[{ text: toWidth(`  ${head}`, width), tone: 'dim' }]} />}
      {window.rows.map((row, index) => {
        const selected = window.top + index === window.cursor
        const pieces: Piece[] = placed.map((column, at) => {
          const { text, tone } = cell(row, column.name)
          const cut = /^(?:id|type|event|subject)$/.test(column.name) ? 'middle' : 'end'
          return { text: `${at === 0 ? '' : ' '}${toWidth(text, column.width, cut)}`, tone }
        })
        return (
          <Line
            key={keyOf(row)}
            pieces={[{ text: selected ? '> ' : '  ', tone: 'strong' }, ...pieces]}
            marked={selected && focused}
          />
        )
      })}
      {blank.map((index) => (
        <Line
          key={`blank-${index}`}
          pieces={[
            {
              text: index === 0 && window.total === 0 ? cutEnd(`  ${props.empty}`, width) : ' ',
              tone: 'dim',
            },
          ]}
        />
      ))}
    </Box>
  )
}

/** `▶ Deliveries 3 of 120 · type connection.active · /con_FDE ──── following ─` */
function titleLine(
  props: Pick<
    ListPaneProps<AnyRow, Column>,
    'title' | 'window' | 'width' | 'focused' | 'following' | 'filter' | 'search'
  >,
): Piece[] {
  const { title, window, width, focused, following, filter, search } = props
  const position = window.total === 0 ? '0' : `${window.cursor + 1} of ${window.total}`
  const filters = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  const marks = [...filters, ...(search === '' ? [] : [`/${search}`])]
  const start = `${focused ? '▶' : ' '} ${title} `
  const end = following ? ' following ─' : '─'
  const middle = cutEnd(
    `${[position, ...marks].join(' · ')} `,
    Math.max(0, width - widthOf(start) - end.length),
  )
  const rule = '─'.repeat(Math.max(0, width - widthOf(start) - widthOf(middle) - end.length))
  return [
    { text: start, tone: focused ? 'strong' : 'plain' },
    { text: middle, tone: 'plain' },
    { text: cutEnd(rule + end, width), tone: 'dim' },
  ]
}
