/** Divides the screen into header, lists, detail and overlay. The views draw by it; paging and scrolling use its sizes. */
import type { ListName, State } from './model.ts'
import { viewsMatching } from './palette.ts'

export interface ListPlace {
  readonly name: ListName
  /** Lines, with its frame. */
  readonly height: number
  /** Rows that fit, without the frame and the column heads. */
  readonly rows: number
  /** Whether column heads are shown. */
  readonly heads: boolean
  /** Lines of the balance over time, above the column heads. */
  readonly chart: number
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
  /** Lines above the lists for the help, the palette, the filter, a question or a link. */
  readonly overlay: number
  /** Its size with its frame, beside the lists or in their place. */
  readonly detail: { readonly columns: number; readonly height: number; readonly beside: boolean } | undefined
  /** Lines between the header and the status bar. */
  readonly body: number
}

/** A frame takes a column and a space on both sides. */
export const FRAME_COLUMNS = 4
/** On a narrower screen the detail takes the place of the lists. */
const MIN_COLUMNS_FOR_DETAIL_BESIDE = 120
/** From this width on the detail gets a larger part. */
const WIDE_COLUMNS = 150
/** A lower screen shows one list, and a header of one line. */
const MIN_LINES_FOR_BOTH_LISTS = 16
/** A lower list has no frame, only its title. */
const MIN_HEIGHT_FOR_FRAME = 5
const MIN_HEIGHT_FOR_CHART = 16
const CHART_LINES = 5
/** Minimum and maximum size that is drawn; a terminal may report anything. */
const bounds = { columns: [20, 1000], lines: [4, 500] } as const

type Sized = Pick<State, 'columns' | 'lines' | 'focusedList' | 'detail' | 'mode' | 'operations' | 'resources'>

export function layoutOf(state: Sized): Layout {
  const columns = within(state.columns, bounds.columns)
  const lines = within(state.lines, bounds.lines)
  const tall = lines >= MIN_LINES_FOR_BOTH_LISTS
  const header = tall ? 2 : 1
  const body = lines - header - 1
  const overlay = overlayLines(state, body, tall)
  const beside = hasDetailBeside(state)
  const alone = !beside && state.detail?.focused === true && overlay === 0
  const detailColumns = beside ? Math.floor(columns * (columns < WIDE_COLUMNS ? 0.4 : 0.45)) : columns
  const height = body - overlay
  return {
    columns,
    lines,
    header,
    body,
    overlay,
    lists: alone || height <= 0 ? [] : listsIn(height, tall, state),
    listColumns: beside ? columns - detailColumns : columns,
    detail: (beside || alone) && height > 0 ? { columns: detailColumns, height, beside } : undefined,
  }
}

/** Whether the screen is wide enough for the detail of the row under the cursor beside the lists. */
export function hasDetailBeside({ columns }: Pick<State, 'columns'>): boolean {
  return within(columns, bounds.columns) >= MIN_COLUMNS_FOR_DETAIL_BESIDE
}

/** The filter and the palette leave room for rows, if there is any. */
function overlayLines({ mode, focusedList }: Sized, body: number, tall: boolean): number {
  switch (mode.kind) {
    case 'help':
      return body
    case 'filter':
      return tall ? (focusedList === 'deliveries' ? 5 : 4) : body
    case 'palette':
      return tall ? Math.min(body, Math.max(1, viewsMatching(mode.typed).length) + 3) : body
    case 'link':
      return tall ? Math.min(body, 9) : body
    case 'confirm':
      return tall ? Math.min(body, 6) : body
    default:
      return 0
  }
}

function listsIn(height: number, tall: boolean, state: Sized): ListPlace[] {
  const { focusedList, operations, resources } = state
  if (focusedList === 'resources') {
    const hasChart = resources.kind === 'transactions' && height >= MIN_HEIGHT_FOR_CHART
    return [place('resources', height, hasChart ? CHART_LINES : 0)]
  }
  if (!tall || height < 2 * MIN_HEIGHT_FOR_FRAME) return [place(focusedList, height)]
  // Two lines of frame, and the heads.
  const needed = operations.rows.length + 3
  const top = Math.min(
    Math.max(MIN_HEIGHT_FOR_FRAME, needed),
    Math.max(MIN_HEIGHT_FOR_FRAME, Math.floor(height * 0.4)),
  )
  return [place('operations', top), place('deliveries', height - top)]
}

function place(name: ListName, height: number, chart = 0): ListPlace {
  const inner = height >= MIN_HEIGHT_FOR_FRAME ? height - 2 : height - 1
  // A delivery is a line of words, without columns.
  const heads = inner >= 3 && name !== 'deliveries'
  return { name, height, heads, chart, rows: Math.max(1, inner - chart - (heads ? 1 : 0)) }
}

/** Whether a pane of this height has a whole frame, or only a title. */
export function hasFrame(height: number): boolean {
  return height >= MIN_HEIGHT_FOR_FRAME
}

function within(value: number, [min, max]: readonly [number, number]): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.floor(value))) : min
}
