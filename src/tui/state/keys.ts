/**
 * Binds the keys of the lists and the detail. One entry per key says what it does, its line of the help and its hint in
 * the status bar; docs/tui.md lists them by `npm run docs`.
 */
import { isDelivery, isOperation } from './any-row.ts'
import { type DeliveryRow, verdictOf } from './delivery-row.ts'
import { bodyOf, chooseTab, detailHeight, focusDetail, leaveDetail, scrollDetail } from './detail.ts'
import type { Effect, Step } from './events.ts'
import { hasDetailBeside } from './layout.ts'
import { type ListName, type Mode, notify, type State } from './model.ts'
import { moveBy, moveTo, moveToMatch, pageOf, withList } from './moving.ts'
import { connectionOf } from './operation-row.ts'
import { kindBelow } from './resource-row.ts'
import { goBack, openBelow } from './resources.ts'
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
  readonly press: (state: State, key: string) => Step<State>
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
      (state) => bodyOf(state).length,
    ),
  },
  {
    keys: ['?'],
    press: (state) => [{ ...state, mode: { kind: 'help', top: 0 } }, []],
    help: { keys: '? q', does: 'this help; close what is open, else quit, as Ctrl-C does' },
    hint: () => '? help',
  },
  { keys: ['q'], press: closeOrQuit, hint: (state) => (isSomethingOpen(state) ? 'q back' : 'q quit') },
  {
    keys: [':'],
    press: (state) => [{ ...state, mode: { kind: 'palette', typed: '', choice: 0 } }, []],
    help: { keys: ':', does: 'views: operations, deliveries, clients, connections, accounts, transactions' },
    hint: () => ': views',
  },
  {
    keys: ['enter'],
    press: deeper,
    help: { keys: 'Enter', does: 'go deeper: give the keys to the detail, or show what belongs to the row' },
    hint: (state) => {
      if (state.detail?.focused || currentRow(state, state.focusedList) === undefined) return undefined
      return below(state) === undefined ? 'Enter detail' : `Enter ${below(state)}`
    },
  },
  {
    keys: ['escape'],
    press: closeOrClear,
    help: { keys: 'Esc', does: 'back: from the detail, from a search or a filter, to the view before' },
    hint: (state) => (isSomethingOpen(state) || isNarrowed(state) ? 'Esc back' : undefined),
  },
  {
    keys: ['t'],
    press: (state) => [
      notify(state, 'Asking for a test event…', 'plain'),
      [{ kind: 'send-test', subscription: state.listener.subscription }],
    ],
    help: { keys: 't', does: 'have the service send a test event' },
    hint: ({ focusedList }) => (focusedList === 'deliveries' ? 't test' : undefined),
  },
  {
    keys: ['l'],
    press: listen,
    help: { keys: 'l', does: 'start a listener here, and subscribe it' },
    hint: ({ listener }) =>
      listener.state === 'none' || listener.state === 'closed' ? 'l listen' : undefined,
  },
  {
    keys: ['r'],
    press: replay,
    help: { keys: 'r', does: 'send the selected delivery to the target again' },
    hint: (state) => (selectedDelivery(state)?.verified ? 'r replay' : undefined),
  },
  {
    keys: ['R'],
    press: (state) => confirm(state, 'refresh'),
    help: { keys: 'R', does: 'refresh the selected connection (asks first)' },
    hint: (state) => (selectedConnection(state) === undefined ? undefined : 'R refresh'),
  },
  {
    keys: ['a'],
    press: (state) => confirm(state, 'reauthorize'),
    help: { keys: 'a', does: 'make a link to reauthorize the connection (asks first), show and copy it' },
    hint: (state) => (selectedConnection(state) === undefined ? undefined : 'a reauthorize'),
  },
  {
    keys: ['!'],
    press: toggleFailed,
    help: { keys: '!', does: 'only what failed; again: everything' },
    hint: (state) => (state[state.focusedList].filter.failed ? '! all' : '! failed'),
  },
  {
    keys: ['/'],
    press: startSearch,
    help: { keys: '/ n N', does: 'show what contains a text: id, type, name, reason; next and previous hit' },
    hint: () => '/ search',
  },
  { keys: ['n'], press: (state) => [moveToMatch(state, 1), []] },
  { keys: ['N'], press: (state) => [moveToMatch(state, -1), []] },
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
    keys: ['c'],
    press: copyId,
    help: { keys: 'c', does: 'copy the id' },
    hint: () => 'c copy',
  },
  {
    keys: ['1', '2', '3', '4'],
    press: (state, key) => [chooseTab(state, Number(key) - 1), []],
    help: { keys: '1 2 3 4', does: 'body, headers, answer, attempts of a delivery' },
  },
  {
    keys: ['tab'],
    press: (state) => focusNext(state, 1),
    help: { keys: 'Tab', does: 'operations, deliveries, detail' },
    hint: () => 'Tab next',
  },
  { keys: ['back-tab'], press: (state) => focusNext(state, -1) },
  {
    keys: ['right'],
    press: (state) => sideways(state, 1),
    help: { keys: '← →', does: 'tabs of the detail; else as Tab' },
  },
  { keys: ['left'], press: (state) => sideways(state, -1) },
]

const byKey = new Map(keyBindings.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)))

/** Presses a key in a list or the detail. An unbound key does nothing. */
export function pressBound(state: State, key: string): Step<State> {
  return byKey.get(key)?.press(state, key) ?? [state, []]
}

/** Moves in the focused list or, when the detail has the focus, scrolls that by lines. */
function scroll(inList: (state: State) => State, lines: (state: State) => number): KeyBinding['press'] {
  return (state) => [state.detail?.focused ? scrollDetail(state, lines(state)) : inList(state), []]
}

/** The kind of list that belongs to the selected resource. */
function below(state: State): string | undefined {
  return state.focusedList === 'resources' ? kindBelow[state.resources.kind] : undefined
}

function deeper(state: State): Step<State> {
  if (state.detail?.focused) return [leaveDetail(state), []]
  return below(state) === undefined ? focusDetail(state) : openBelow(state)
}

function isSomethingOpen({ detail, focusedList }: State): boolean {
  return detail?.focused === true || focusedList === 'resources'
}

function isNarrowed(state: State): boolean {
  const { search, filter } = state[state.focusedList]
  return search !== '' || Object.values(filter).some((value) => value !== undefined)
}

function closeOrClear(state: State): Step<State> {
  if (state.detail?.focused) return [leaveDetail(state), []]
  if (state[state.focusedList].search !== '') return [withList(state, state.focusedList, { search: '' }), []]
  if (isNarrowed(state)) return [withList(state, state.focusedList, { filter: {} }), []]
  if (state.focusedList === 'resources') return goBack(state)
  return [{ ...state, notice: undefined }, []]
}

function closeOrQuit(state: State): Step<State> {
  if (state.detail?.focused) return [leaveDetail(state), []]
  return state.focusedList === 'resources' ? goBack(state) : [state, quit]
}

/** Focuses the next of operations, deliveries and the detail beside them; of a view, the other of list and detail. */
function focusNext(state: State, by: 1 | -1): Step<State> {
  const { detail, focusedList } = state
  const lists: readonly ListName[] =
    focusedList === 'resources' ? ['resources'] : ['operations', 'deliveries']
  const panes = lists.length + (hasDetailBeside(state) || detail?.focused ? 1 : 0)
  const current = detail?.focused ? lists.length : lists.indexOf(focusedList)
  const next = lists[(current + by + panes) % panes]
  if (next === undefined) return focusDetail(state)
  return [{ ...leaveDetail(state), focusedList: next }, []]
}

function sideways(state: State, by: 1 | -1): Step<State> {
  const { detail } = state
  return detail?.focused ? [chooseTab(state, detail.tab + by), []] : focusNext(state, by)
}

function startSearch(state: State): Step<State> {
  const { search, cursor } = state[state.focusedList]
  const mode: Mode = { kind: 'search', before: search, cursor }
  return [withList({ ...leaveDetail(state), mode }, state.focusedList, { search: '' }), []]
}

function toggleFailed(state: State): Step<State> {
  const { filter } = state[state.focusedList]
  const failed = filter.failed ? undefined : (true as const)
  return [withList(state, state.focusedList, { filter: { ...filter, failed } }), []]
}

function listen(state: State): Step<State> {
  const { state: now, url } = state.listener
  if (now === 'listening') return [notify(state, `Listening already: ${url}`, 'plain'), []]
  if (now === 'starting') return [state, []]
  return [state, [{ kind: 'listen' }]]
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

/** Asks first: a refresh uses the daily budget, and what is shared through a link may be billed. */
function confirm(state: State, action: 'refresh' | 'reauthorize'): Step<State> {
  const connectionId = selectedConnection(state)
  if (connectionId === undefined) {
    return [notify(state, 'Select a row that is on a connection', 'bad'), []]
  }
  return [{ ...state, mode: { kind: 'confirm', action, connectionId } }, []]
}

function copyId(state: State): Step<State> {
  const row = currentRow(state, state.focusedList)
  const text = row !== undefined && isDelivery(row) ? row.eventId : row?.id
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
  const { operations, deliveries, resources } = state
  const paused = {
    operations: operations.rows,
    deliveries: deliveries.rows,
    resources: resources.rows,
    missed: 0,
  }
  return { ...state, paused }
}

function selectedDelivery(state: State): DeliveryRow | undefined {
  const row = currentRow(state, state.focusedList)
  return row !== undefined && isDelivery(row) ? row : undefined
}

/** Never a placeholder id: it is not yet a Connection and can be neither refreshed nor reauthorized. */
function selectedConnection(state: State): string | undefined {
  const row = currentRow(state, state.focusedList)
  if (row === undefined) return undefined
  const id = isDelivery(row)
    ? connectionMentioned(row)
    : isOperation(row)
      ? connectionOf(row)
      : row.connectionId
  return id !== undefined && /^con_[A-Z]/.test(id) ? id : undefined
}

function connectionMentioned(row: DeliveryRow): string | undefined {
  if (verdictOf(row) === 'refused') return undefined
  return row.mentions.find((id) => id.startsWith('con_'))
}
