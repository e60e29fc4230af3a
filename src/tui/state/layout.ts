/** Divides the screen into header, lists, detail and overlay. The views draw by it; paging and scrolling use its sizes. */
import type { ListName, State } from './model.ts'

export interface ListPlace {
  readonly name: ListName
  /** Rows that fit, without the title and the column heads. */
  readonly rows: number
  /** Whether column heads are shown. */
  readonly heads: boolean
}

export interface Layout {
  readonly columns: number
  readonly lines: number
  /** Lines of the header. */
  readonly header: number
  /** From top to bottom; none when the detail takes their place. */
  readonly lists: readonly ListPlace[]
  /** Columns of the lists. */
  readonly listColumns: number
  /** Lines above the lists for the help or the filter. */
  readonly overlay: number
  readonly detail: { readonly columns: number; readonly lines: number; readonly beside: boolean } | undefined
  /** Lines between the header and the status bar. */
  readonly body: number
}

/** On a narrower screen the detail takes the place of the lists. */
const MIN_COLUMNS_FOR_DETAIL_BESIDE = 120
/** A lower screen shows one list, and a header of one line. */
const MIN_LINES_FOR_BOTH_LISTS = 16
/** Minimum and maximum size that is drawn; a terminal may report anything. */
const bounds = { columns: [20, 1000], lines: [4, 500] } as const

export function layoutOf(
  state: Pick<State, 'columns' | 'lines' | 'focusedList' | 'detail' | 'mode'>,
): Layout {
  const columns = within(state.columns, bounds.columns)
  const lines = within(state.lines, bounds.lines)
  const tall = lines >= MIN_LINES_FOR_BOTH_LISTS
  const header = tall ? 2 : 1
  const body = lines - header - 1
  const overlay = overlayLines(state, body, tall)
  const open = state.detail !== undefined && overlay === 0
  const beside = open && columns >= MIN_COLUMNS_FOR_DETAIL_BESIDE
  const detailColumns = beside ? Math.floor(columns * 0.45) : columns
  return {
    columns,
    lines,
    header,
    body,
    overlay,
    lists:
      (open && !beside) || overlay === body
        ? []
        : listsIn(body - overlay, tall && overlay === 0, state.focusedList),
    // One column is the line between lists and detail.
    listColumns: beside ? columns - detailColumns - 1 : columns,
    detail: open ? { columns: detailColumns, lines: body - 1, beside } : undefined,
  }
}

/** The filter leaves room for the filtered rows, if there is any. */
function overlayLines(
  { mode, focusedList }: Pick<State, 'mode' | 'focusedList'>,
  body: number,
  tall: boolean,
): number {
  if (mode.kind === 'help') return body
  if (mode.kind !== 'filter') return 0
  return tall ? (focusedList === 'operations' ? 3 : 4) : body
}

function listsIn(body: number, both: boolean, focusedList: ListName): ListPlace[] {
  if (!both) return [place(focusedList, body)]
  const operations = Math.floor(body * 0.4)
  return [place('operations', operations), place('deliveries', body - operations)]
}

function place(name: ListName, height: number): ListPlace {
  const heads = height >= 5
  return { name, heads, rows: Math.max(1, height - 1 - (heads ? 1 : 0)) }
}

function within(value: number, [min, max]: readonly [number, number]): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.floor(value))) : min
}
