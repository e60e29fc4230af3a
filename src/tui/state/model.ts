/** Everything the screen shows, and nothing that only the world knows. Every text is safe to show. */
import type { DeliveryRow } from './delivery-row.ts'
import type { OperationRow } from './operation-row.ts'

export type ListName = 'operations' | 'deliveries'

/** Empty: everything. */
export interface Filter {
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly verdict?: string | undefined
}

/** Where the cursor is; undefined follows the newest row. */
export interface Cursor {
  readonly key: string
  /** Lines between the top of the window and the cursor: the window stays where it is when rows come and go. */
  readonly line: number
}

export interface List<R> {
  readonly rows: readonly R[]
  readonly cursor: Cursor | undefined
  readonly filter: Filter
  readonly search: string
}

export interface Detail {
  readonly list: ListName
  readonly key: string
  /** Undefined while it is being read. */
  readonly lines: readonly string[] | undefined
  /** First line shown. */
  readonly top: number
  /** Whether keys move it. */
  readonly focused: boolean
}

export type Mode =
  | { readonly kind: 'browse' }
  /** Typing what to search for; Esc goes back to what was searched for before. */
  | { readonly kind: 'search'; readonly before: string; readonly cursor: Cursor | undefined }
  | { readonly kind: 'filter'; readonly field: number; readonly before: Filter }
  | { readonly kind: 'confirm-refresh'; readonly connectionId: string }
  | { readonly kind: 'help' }

export type NoticeTone = 'good' | 'bad' | 'plain'

export interface Notice {
  readonly text: string
  readonly tone: NoticeTone
  /** Unix milliseconds. */
  readonly until: number
}

/** What does not change while the screen is up. */
export interface About {
  readonly environment: string
  /** Acts on real data. */
  readonly live: boolean
  /** The first characters of the key, safe to display; undefined when there is none. */
  readonly keyPrefix: string | undefined
  readonly utc: boolean
}

export interface ListenerSeen {
  readonly state: 'none' | 'listening' | 'closed'
  readonly url: string | undefined
  readonly targets: readonly string[]
  /** Targets that cannot be reached now. */
  readonly down: readonly string[]
}

export interface Counts {
  readonly received: number
  readonly refused: number
  readonly forwardFailed: number
}

/** One schedule for every operation: at most one read under way, and a pause after each. */
export interface Schedule {
  readonly polling: string | undefined
  /** No read begins earlier, Unix milliseconds. */
  readonly notBefore: number
  /** Reads in a row that failed, whatever the operation. */
  readonly failures: number
  /** The next look at deliveries of other listeners that are under way. */
  readonly rereadAt: number
  readonly rereading: boolean
}

/** The lists as they stood when the user stopped them. */
export interface Paused {
  readonly operations: readonly OperationRow[]
  readonly deliveries: readonly DeliveryRow[]
  /** Rows that came since. */
  readonly missed: number
}

export interface State {
  /** Unix milliseconds, as the last event told it. */
  readonly now: number
  readonly columns: number
  readonly lines: number
  readonly about: About
  readonly listener: ListenerSeen
  readonly counts: Counts
  readonly operations: List<OperationRow>
  readonly deliveries: List<DeliveryRow>
  /** The list that has the keys. */
  readonly front: ListName
  readonly detail: Detail | undefined
  readonly mode: Mode
  readonly paused: Paused | undefined
  readonly notice: Notice | undefined
  readonly schedule: Schedule
  /** Deliveries being sent again. */
  readonly replaying: readonly number[]
}

export interface Beginning {
  readonly now: number
  readonly columns: number
  readonly lines: number
  readonly about: About
  readonly front: ListName
}

export function initialState({ now, columns, lines, about, front }: Beginning): State {
  const list = { rows: [], cursor: undefined, filter: {}, search: '' }
  return {
    now,
    columns,
    lines,
    about,
    listener: { state: 'none', url: undefined, targets: [], down: [] },
    counts: { received: 0, refused: 0, forwardFailed: 0 },
    operations: list,
    deliveries: list,
    front,
    detail: undefined,
    mode: { kind: 'browse' },
    paused: undefined,
    notice: undefined,
    schedule: { polling: undefined, notBefore: 0, failures: 0, rereadAt: 0, rereading: false },
    replaying: [],
  }
}
