/** The state of the TUI. Every text in it is safe to show. */
import type { DeliveryRow } from './delivery-row.ts'
import { noRate, type Rate } from './figures.ts'
import type { OperationRow } from './operation-row.ts'
import type { Line } from './pieces.ts'
import type { Parent, ResourceKind, ResourceRow } from './resource-row.ts'

/** `resources` shows one kind of resource of the service instead of the other two. */
export type ListName = 'operations' | 'deliveries' | 'resources'

/** Empty: no filter. */
export interface Filter {
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly verdict?: string | undefined
  /** Only what failed. */
  readonly failed?: true | undefined
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

/** The resources on the screen. */
export interface ResourceList extends List<ResourceRow> {
  readonly kind: ResourceKind
  readonly of: Parent | undefined
  /** The number of the reading that its rows come from. */
  readonly reading: number
  readonly status: 'reading' | 'complete' | 'failed'
  /** Why it could not be read, or why something is missing. */
  readonly note: string | undefined
  /** When it is read again, Unix milliseconds: a webhook said that something changed. */
  readonly rereadAt: number | undefined
}

export interface DetailTab {
  readonly name: string
  readonly lines: readonly Line[]
}

/** All about the row under the cursor: beside the lists, or in their place once it has the focus. */
export interface Detail {
  readonly list: ListName
  readonly key: string
  /** Below the facts of the row. */
  readonly notes: readonly Line[]
  /** Undefined while it is being read. */
  readonly tabs: readonly DetailTab[] | undefined
  /** Index of the tab shown. */
  readonly tab: number
  /** First line shown. */
  readonly top: number
  /** Whether it has the focus. */
  readonly focused: boolean
  /** It is to be read as soon as the last reading is long enough ago. */
  readonly due: boolean
}

export type Mode =
  | { readonly kind: 'browse' }
  /** Typing a search; Esc restores the search and cursor of before. */
  | { readonly kind: 'search'; readonly before: string; readonly cursor: Cursor | undefined }
  | { readonly kind: 'filter'; readonly field: number; readonly before: Filter }
  | { readonly kind: 'confirm'; readonly action: 'refresh' | 'reauthorize'; readonly connectionId: string }
  /** The link to hand to the user: a credential. */
  | { readonly kind: 'link'; readonly connectionId: string; readonly url: string; readonly note: string }
  /** Choosing a view. */
  | { readonly kind: 'palette'; readonly typed: string; readonly choice: number }
  | { readonly kind: 'help'; readonly top: number }

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
  readonly state: 'none' | 'starting' | 'listening' | 'closed'
  readonly subscription: string | undefined
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
  readonly resources: readonly ResourceRow[]
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
  readonly resources: ResourceList
  /** The lists of resources that Esc goes back to, the latest last. */
  readonly trail: readonly ResourceList[]
  /** The list to return to from the resources. */
  readonly homeList: 'operations' | 'deliveries'
  readonly rate: Rate
  /** When the detail of another row may be read, Unix milliseconds. */
  readonly detailAt: number
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
  readonly focusedList: 'operations' | 'deliveries'
}

export const emptyList = { rows: [], cursor: undefined, filter: {}, search: '' }

export function initialState({ now, columns, lines, about, focusedList }: InitialState): State {
  return {
    now,
    columns,
    lines,
    about,
    listener: { state: 'none', subscription: undefined, url: undefined, targets: [], down: [] },
    counts: { received: 0, refused: 0, forwardFailed: 0 },
    operations: emptyList,
    deliveries: emptyList,
    resources: {
      ...emptyList,
      kind: 'clients',
      of: undefined,
      reading: 0,
      status: 'complete',
      note: undefined,
      rereadAt: undefined,
    },
    trail: [],
    homeList: focusedList,
    rate: noRate,
    detailAt: 0,
    focusedList,
    detail: undefined,
    mode: { kind: 'browse' },
    paused: undefined,
    notice: undefined,
    schedule: { polling: undefined, notBefore: 0, failures: 0, rereadAt: 0, rereading: false },
    replaying: [],
  }
}
