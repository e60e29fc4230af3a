/** Moves the cursor of a list. */
import { keyOf } from './any-row.ts'
import type { List, ListName, State } from './model.ts'
import { cursorIndex, heightOf, rowsOf, windowOver } from './window.ts'

/** The state with a change to one of its lists. */
export function withList(state: State, name: ListName, change: Partial<List<never>>): State {
  return { ...state, [name]: { ...state[name], ...change } }
}

/**
 * Moves the cursor of the focused list to a row, counted over all that pass the filter. With `follow`, moving to the last
 * row follows the newest again; resources have no newest.
 */
export function moveTo(state: State, index: number, follow: boolean): State {
  const name = state.focusedList
  const rows = rowsOf(state, name)
  const at = Math.min(rows.length - 1, Math.max(0, index))
  const row = rows[at]
  if (row === undefined) return state
  const height = heightOf(state, name)
  const { top } = windowOver(rows, state[name].cursor, height)
  const line = Math.min(height - 1, Math.max(0, at - top))
  const follows = follow && at === rows.length - 1 && name !== 'resources'
  return withList(state, name, { cursor: follows ? undefined : { key: keyOf(row), line } })
}

/** Moves by rows; moving down to the last row follows the newest. */
export function moveBy(state: State, by: number): State {
  const rows = rowsOf(state, state.focusedList)
  const index = cursorIndex(rows, state[state.focusedList].cursor)
  return moveTo(state, index + by, by > 0)
}

/** Rows of a page of the focused list. */
export function pageOf(state: State): number {
  return Math.max(1, heightOf(state, state.focusedList) - 1)
}

/** Moves to the next row that the search left, wrapping around. */
export function moveToMatch(state: State, by: 1 | -1): State {
  const { search, cursor } = state[state.focusedList]
  const rows = rowsOf(state, state.focusedList)
  if (search === '' || rows.length === 0) return state
  return moveTo(state, (cursorIndex(rows, cursor) + by + rows.length) % rows.length, false)
}
