/**
 * Binds the keys of the lists and the detail. One entry per key says what it does, its line of the help and its hint in
 * the status bar; docs/tui.md lists them by `npm run docs`.
 */
import { type DeliveryRow, verdictOf } from './delivery-row.ts'
import type { Effect, Step } from './events.ts'
import { type Mode, notify, type State } from './model.ts'
import {
  detailHeight,
  followDetail,
  moveBy,
  moveTo,
  moveToMatch,
  openDetail,
  pageOf,
  scrollDetail,
  withList,
} from './moving.ts'
import { connectionOf } from './operation-row.ts'
import { currentRow, rowsOf } from './window.ts'

/** Names of the keys that are not characters. Any other key is the character itself. */
export const namedKeys = [
  'up',
  'down',
  'left',
  'right',
  'page-up',
  'page-down',
  'home',
  'end',
  'tab',
  'back-tab',
  'enter',
  'escape',
  'backspace',
  'interrupt',
] as const

export interface KeyBinding {
  /** Characters, or names of `namedKeys`. */
  readonly keys: readonly string[]
  readonly press: (state: State) => Step<State>
  /** Its line of the help, which may cover the next bindings as well. */
  readonly help?: { readonly keys: string; readonly does: string }
  /** Its hint in the status bar; undefined when the key does nothing now. */
  readonly hint?: (state: State) => string | undefined
}

export const quit: readonly Effect[] = [{ kind: 'quit' }]

/** Deliveries sent again at the same time: a key that is held down must not flood a target. */
const MAX_REPLAYS = 8

/** The most needed hints first: the status bar cuts off the last ones. */
export const keyBindings: readonly KeyBinding[] = [
  {
    keys: ['up', 'k'],
    press: scroll(
      (state) => moveBy(state, -1),
      () => -1,
    ),
    help: { keys: '↑ ↓ j k', does: 'move; the newest row is followed until you do' },
  },
  {
    keys: ['down', 'j'],
    press: scroll(
      (state) => moveBy(state, 1),
      () => 1,
    ),
  },
  {
    keys: ['page-up'],
    press: scroll(
      (state) => moveBy(state, -pageOf(state)),
      (state) => 1 - detailHeight(state),
    ),
    help: { keys: 'PgUp PgDn', does: 'move by a page' },
  },
  {
    keys: ['page-down'],
    press: scroll(
      (state) => moveBy(state, pageOf(state)),
      (state) => detailHeight(state) - 1,
    ),
  },
  {
    keys: ['g', 'home'],
    press: scroll(
      (state) => moveTo(state, 0, false),
      () => -Infinity,
    ),
    help: { keys: 'g G', does: 'first row; last row, and follow the newest again' },
  },
  {
    keys: ['G', 'end'],
    press: scroll(
      (state) => moveTo(state, rowsOf(state, state.focusedList).length - 1, true),
      () => Infinity,
    ),
  },
  {
    keys: ['?'],
    press: (state) => [{ ...state, mode: { kind: 'help' } }, []],
    help: { keys: '? q', does: 'this help; quit, as Ctrl-C does' },
    hint: () => '? help',
  },
  { keys: ['q'], press: (state) => [state, quit], hint: () => 'q quit' },
  {
    keys: ['enter'],
    press: (state) => (state.detail?.focused ? [{ ...state, detail: undefined }, []] : openDetail(state)),
    help: { keys: 'Enter', does: 'show everything about the selected row' },
    hint: ({ detail }) => (detail?.focused ? undefined : 'Enter show'),
  },
  {
    keys: ['escape'],
    press: closeOrClear,
    help: { keys: 'Esc', does: 'close the detail, else clear the search, else the filter' },
    hint: ({ detail }) => (detail?.focused ? 'Esc close' : undefined),
  },
  {
    keys: ['r'],
    press: replay,
    help: { keys: 'r', does: 'send the selected delivery to the target again' },
    hint: (state) => (selectedDelivery(state)?.verified ? 'r replay' : undefined),
  },
  {
    keys: ['R'],
    press: confirmRefresh,
    help: { keys: 'R', does: 'refresh the selected connection (asks first)' },
    hint: (state) => (selectedConnection(state) === undefined ? undefined : 'R refresh'),
  },
  {
    keys: ['o'],
    press: openDocumentation,
    help: { keys: 'o', does: 'open the documentation of the error' },
    hint: (state) => (currentRow(state, state.focusedList)?.docUrl === undefined ? undefined : 'o open'),
  },
  {
    keys: ['p'],
    press: (state) => [togglePause(state), []],
    help: { keys: 'p', does: 'pause: the screen stands still, nothing is lost' },
    hint: ({ paused }) => (paused === undefined ? 'p pause' : 'p go on'),
  },
  {
    keys: ['/'],
    press: startSearch,
    help: { keys: '/ n N', does: 'search: id, type, subject, status; next and previous match' },
    hint: () => '/ search',
  },
  { keys: ['n'], press: (state) => moveToMatch(state, 1, false) },
  { keys: ['N'], press: (state) => moveToMatch(state, -1, false) },
  {
    keys: ['f'],
    press: (state) => [
      { ...state, mode: { kind: 'filter', field: 0, before: state[state.focusedList].filter } },
      [],
    ],
    help: { keys: 'f', does: 'filter by type, status, verdict' },
    hint: () => 'f filter',
  },
  {
    keys: ['c'],
    press: copyId,
    help: { keys: 'c', does: 'copy the id' },
    hint: () => 'c copy',
  },
  {
    keys: ['tab', 'right', 'l'],
    press: (state) => focusNext(state, 1),
    help: { keys: 'Tab', does: 'operations, deliveries, detail' },
    hint: () => 'Tab next',
  },
  { keys: ['back-tab', 'left', 'h'], press: (state) => focusNext(state, -1) },
]

const byKey = new Map(keyBindings.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)))

/** Presses a key in a list or the detail. An unbound key does nothing. */
export function pressBound(state: State, key: string): Step<State> {
  return byKey.get(key)?.press(state) ?? [state, []]
}

/** Moves in the focused list or, when the detail has the focus, scrolls that by lines. */
function scroll(inList: (state: State) => Step<State>, lines: (state: State) => number): KeyBinding['press'] {
  return (state) => (state.detail?.focused ? [scrollDetail(state, lines(state)), []] : inList(state))
}

function closeOrClear(state: State): Step<State> {
  if (state.detail !== undefined) return [{ ...state, detail: undefined }, []]
  const { search, filter } = state[state.focusedList]
  if (search !== '') return [withList(state, state.focusedList, { search: '' }), []]
  if (Object.keys(filter).length > 0) return [withList(state, state.focusedList, { filter: {} }), []]
  return [{ ...state, notice: undefined }, []]
}

/** Focuses the next of operations, deliveries and the open detail. */
function focusNext(state: State, by: 1 | -1): Step<State> {
  const { detail, focusedList } = state
  const panes = detail === undefined ? 2 : 3
  const current = detail?.focused ? 2 : focusedList === 'operations' ? 0 : 1
  const next = (current + by + panes) % panes
  if (next === 2 && detail !== undefined) return [{ ...state, detail: { ...detail, focused: true } }, []]
  return followDetail({
    ...state,
    focusedList: next === 0 ? 'operations' : 'deliveries',
    detail: detail && { ...detail, focused: false },
  })
}

function startSearch(state: State): Step<State> {
  const { search, cursor } = state[state.focusedList]
  const mode: Mode = { kind: 'search', before: search, cursor }
  return [withList({ ...state, mode }, state.focusedList, { search: '' }), []]
}

function replay(state: State): Step<State> {
  const row = selectedDelivery(state)
  if (row === undefined) return [notify(state, 'Select a delivery to send again', 'bad'), []]
  if (!row.verified) return [notify(state, 'Not sent: its signature did not verify', 'bad'), []]
  if (state.replaying.includes(row.id)) return [state, []]
  if (state.replaying.length >= MAX_REPLAYS) {
    return [notify(state, 'Wait: deliveries are being sent again', 'bad'), []]
  }
  return [{ ...state, replaying: [...state.replaying, row.id] }, [{ kind: 'replay', id: row.id }]]
}

/** Asks before a refresh, because it uses the daily budget. */
function confirmRefresh(state: State): Step<State> {
  const connectionId = selectedConnection(state)
  if (connectionId === undefined) {
    return [notify(state, 'Select a row that is on a connection', 'bad'), []]
  }
  return [{ ...state, mode: { kind: 'confirm-refresh', connectionId } }, []]
}

function copyId(state: State): Step<State> {
  const row = currentRow(state, state.focusedList)
  const text = row === undefined || 'status' in row ? row?.id : row.eventId
  if (text === undefined) return [notify(state, 'Nothing to copy', 'bad'), []]
  return [notify(state, `Copied ${text}`, 'good'), [{ kind: 'copy', text }]]
}

function openDocumentation(state: State): Step<State> {
  const url = currentRow(state, state.focusedList)?.docUrl
  if (url === undefined) return [notify(state, 'No doc_url here', 'bad'), []]
  return [notify(state, `Opening ${url}`, 'plain'), [{ kind: 'open', url }]]
}

function togglePause(state: State): State {
  if (state.paused !== undefined) return { ...state, paused: undefined }
  const { operations, deliveries } = state
  return { ...state, paused: { operations: operations.rows, deliveries: deliveries.rows, missed: 0 } }
}

function selectedDelivery(state: State): DeliveryRow | undefined {
  const row = currentRow(state, state.focusedList)
  return row !== undefined && !('status' in row) ? row : undefined
}

/** Never a placeholder id: it is not yet a Connection and cannot be refreshed. */
function selectedConnection(state: State): string | undefined {
  const row = currentRow(state, state.focusedList)
  if (row === undefined) return undefined
  const id = 'status' in row ? connectionOf(row) : connectionMentioned(row)
  return id !== undefined && /^con_[A-Z]/.test(id) ? id : undefined
}

function connectionMentioned(row: DeliveryRow): string | undefined {
  if (verdictOf(row) === 'refused') return undefined
  return row.mentions.find((id) => id.startsWith('con_'))
}
