/** Opens lists of resources, goes back from them, and keeps what was read. */
import { isResource } from './any-row.ts'
import type { Effect, Step, TuiEvent } from './events.ts'
import { emptyList, type ListName, notify, type ResourceList, type State } from './model.ts'
import { kindBelow, type Parent, parentOf, type ResourceKind } from './resource-row.ts'
import { currentRow } from './window.ts'

/** After a webhook said that something changed; more of them in this time cause one reading. */
const REREAD_AFTER_MS = 1500
const none: readonly Effect[] = []

/** Shows a view that was chosen by its name. */
export function openView(state: State, name: Exclude<ListName, 'resources'> | ResourceKind): Step<State> {
  if (name === 'operations' || name === 'deliveries') return [goHome(state, name), none]
  const row = currentRow(state, state.focusedList)
  if (name !== 'transactions') return openList({ ...state, trail: [] }, name, undefined)
  // Transactions are listed per account.
  if (row !== undefined && isResource(row) && row.kind === 'accounts') return openBelow(state)
  const [next, effects] = openList({ ...state, trail: [] }, 'accounts', undefined)
  return [notify(next, 'Transactions of which account? Enter shows them', 'plain'), effects]
}

/** Shows what belongs to the row under the cursor; undefined when nothing does. */
export function openBelow(state: State): Step<State> {
  const row = currentRow(state, 'resources')
  const kind = row !== undefined && isResource(row) ? kindBelow[row.kind] : undefined
  if (row === undefined || !isResource(row) || kind === undefined) return [state, none]
  const parent = parentOf(row)
  if (parent === undefined) return [notify(state, 'Its Client is not known', 'bad'), none]
  return openList({ ...state, trail: [...state.trail, state.resources] }, kind, parent)
}

function openList(state: State, kind: ResourceKind, of: Parent | undefined): Step<State> {
  const reading = state.resources.reading + 1
  const resources: ResourceList = {
    ...emptyList,
    // The first row, whatever it will be.
    cursor: { key: '', line: 0 },
    ...{ kind, of, reading, status: 'reading', note: undefined, rereadAt: undefined },
  }
  const { focusedList, homeList } = state
  return [
    {
      ...state,
      resources,
      focusedList: 'resources',
      homeList: focusedList === 'resources' ? homeList : focusedList,
      detail: undefined,
    },
    [{ kind: 'load-resources', reading, resource: kind, of }],
  ]
}

/** Back to the list above, which is read again, or to operations and deliveries. */
export function goBack(state: State): Step<State> {
  const last = state.trail.at(-1)
  if (last === undefined) return [goHome(state, state.homeList), none]
  return reread({
    ...state,
    resources: { ...last, reading: state.resources.reading },
    trail: state.trail.slice(0, -1),
  })
}

function goHome(state: State, name: 'operations' | 'deliveries'): State {
  return { ...state, focusedList: name, homeList: name, trail: [], detail: undefined }
}

function reread(state: State): Step<State> {
  const { resources } = state
  const { kind, of } = resources
  const reading = resources.reading + 1
  const next = {
    ...state,
    resources: { ...resources, reading, status: 'reading' as const, rereadAt: undefined },
  }
  return [next, [{ kind: 'load-resources', reading, resource: kind, of }]]
}

/** Rows that were read; those of another reading come too late. */
export function withResources(state: State, event: Extract<TuiEvent, { kind: 'resources' }>): State {
  const { resources } = state
  if (event.reading !== resources.reading) return state
  const { rows, done, note } = event
  // A second reading replaces the rows once it is complete.
  const shown = done === undefined && rows.length < resources.rows.length ? resources.rows : rows
  const kept = done === 'failed' && rows.length === 0 ? resources.rows : shown
  return { ...state, resources: { ...resources, rows: kept, status: done ?? 'reading', note } }
}

/** Reads the list on the screen again soon, because a webhook said that something changed. */
export function changedElsewhere(state: State): State {
  const { resources, focusedList, now } = state
  if (focusedList !== 'resources' || resources.rereadAt !== undefined) return state
  return { ...state, resources: { ...resources, rereadAt: now + REREAD_AFTER_MS } }
}

/** Starts the reading that is due. */
export function rereadDue(state: State): Step<State> {
  const { rereadAt, status } = state.resources
  if (rereadAt === undefined || rereadAt > state.now || status === 'reading' || state.paused !== undefined) {
    return [state, none]
  }
  return state.focusedList === 'resources' ? reread(state) : [state, none]
}

/** When the list is read again, Unix milliseconds. */
export function nextReading({ resources, focusedList, paused }: State): number | undefined {
  if (focusedList !== 'resources' || paused !== undefined || resources.status === 'reading') return undefined
  return resources.rereadAt
}
