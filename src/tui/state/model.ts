/** The state of the TUI. Every text in it is safe to show. */
import type { DeliveryRow } from './delivery-row.ts'
import type { OperationRow } from './operation-row.ts'

export type ListName = 'operations' | 'deliveries'

/** Empty: no filter. */
export interface Filter {
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly verdict?: string | undefined
}

/** The position of the cursor; where it is undefined, the newest row is followed. */
export interface Cursor {
  readonly key: string
  /** Lines between the top of the window and the cursor, which stays on that line when rows come and go. */
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
  /** Whether it has the focus. */
  readonly focused: boolean
}

export type Mode =
  | { readonly kind: 'browse' }
  /** Typing a search; Esc restores the search and cursor of before. */
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

/** Facts that do not change while the TUI runs. */
export interface About {
  readonly environment: string
  /** A live environment, with real data. */
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

/** One schedule for all operations: at most one read at a time, and a pause after each. */
export interface Schedule {
  readonly polling: string | undefined
  /** The earliest time of the next read, Unix milliseconds. */
  readonly notBefore: number
  /** Reads in a row that failed, whatever the operation. */
  readonly failures: number
  /** When pending deliveries of other listeners are read again, Unix milliseconds. */
  readonly rereadAt: number
  readonly rereading: boolean
}

/** The lists as they were when the user paused. */
export interface Paused {
  readonly operations: readonly OperationRow[]
  readonly deliveries: readonly DeliveryRow[]
  /** Rows added since. */
  readonly missed: number
}

export interface State {
  /** The time of the last event, Unix milliseconds. */
  readonly now: number
  readonly columns: number
  readonly lines: number
  readonly about: About
  readonly listener: ListenerSeen
  readonly counts: Counts
  readonly operations: List<OperationRow>
  readonly deliveries: List<DeliveryRow>
  /** The list that has the focus, unless the detail has it. */
  readonly focusedList: ListName
  readonly detail: Detail | undefined
  readonly mode: Mode
  readonly paused: Paused | undefined
  readonly notice: Notice | undefined
  readonly schedule: Schedule
  /** Deliveries being sent again. */
  readonly replaying: readonly number[]
}

/** How long a notice stays. */
const NOTICE_MS = 4000

export function notify(state: State, text: string, tone: NoticeTone): State {
  return { ...state, notice: { text, tone, until: state.now + NOTICE_MS } }
}

export interface InitialState {
  readonly now: number
  readonly columns: number
  readonly lines: number
  readonly about: About
  readonly focusedList: ListName
}

export function initialState({ now, columns, lines, about, focusedList }: InitialState): State {
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
    focusedList,
    detail: undefined,
    mode: { kind: 'browse' },
    paused: undefined,
    notice: undefined,
    schedule: { polling: undefined, notBefore: 0, failures: 0, rereadAt: 0, rereading: false },
    replaying: [],
  }
}
