/** How the screen is divided, in lines and columns. The views draw it; paging and scrolling count by it. */
import type { ListName, State } from './model.ts'

export interface ListPlace {
  readonly name: ListName
  /** Rows that fit, title and column heads aside. */
  readonly rows: number
  /** Whether the columns have heads. */
  readonly heads: boolean
}

export interface Layout {
  readonly columns: number
  readonly lines: number
  /** Lines of the header. */
  readonly header: number
  /** From the top; none when the detail has the place. */
  readonly lists: readonly ListPlace[]
  /** Columns of the lists. */
  readonly listColumns: number
  /** Lines above the lists for the help or the filter. */
  readonly overlay: number
  readonly detail: { readonly columns: number; readonly lines: number; readonly beside: boolean } | undefined
  /** Lines between the header and the status bar. */
  readonly body: number
}

/** Narrower, the detail takes the place of the lists. */
const WIDE = 120
/** Lower, one list is shown, and the header is one line. */
const TALL = 16
/** Smallest and largest that is drawn; a terminal may claim anything. */
const bounds = { columns: [20, 1000], lines: [4, 500] } as const

export function layoutOf(state: Pick<State, 'columns' | 'lines' | 'front' | 'detail' | 'mode'>): Layout {
  const columns = within(state.columns, bounds.columns)
  const lines = within(state.lines, bounds.lines)
  const tall = lines >= TALL
  const header = tall ? 2 : 1
  const body = lines - header - 1
  const overlay = overlayLines(state, body, tall)
  const open = state.detail !== undefined && overlay === 0
  const beside = open && columns >= WIDE
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
        : listsIn(body - overlay, tall && overlay === 0, state.front),
    // One column is the line between them.
    listColumns: beside ? columns - detailColumns - 1 : columns,
    detail: open ? { columns: detailColumns, lines: body - 1, beside } : undefined,
  }
}

/** The filter leaves room to see what it lets through, where there is any. */
function overlayLines({ mode, front }: Pick<State, 'mode' | 'front'>, body: number, tall: boolean): number {
  if (mode.kind === 'help') return body
  if (mode.kind !== 'filter') return 0
  return tall ? (front === 'operations' ? 3 : 4) : body
}

function listsIn(body: number, both: boolean, front: ListName): ListPlace[] {
  if (!both) return [place(front, body)]
  const operations = Math.floor(body * 0.4)
  return [place('operations', operations), place('deliveries', body - operations)]
}

function place(name: ListName, height: number): ListPlace {
  const heads = height >= 5
  return { name, heads, rows: Math.max(1, height - 1 - (heads ? 1 : 0)) }
}

function within(value: number, [least, most]: readonly [number, number]): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(least, Math.floor(value))) : least
}
