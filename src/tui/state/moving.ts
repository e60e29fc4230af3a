/** Moves the cursor of a list, and opens and scrolls the detail. */
import type { Effect, Step } from './events.ts'
import { layoutOf } from './layout.ts'
import { matchesSearch } from './matching.ts'
import type { List, ListName, State } from './model.ts'
import { currentRow, cursorIndex, heightOf, keyOf, rowsOf, windowOver } from './window.ts'

/** The state with a change to one of its lists. */
export function withList(state: State, name: ListName, change: Partial<List<never>>): State {
  return { ...state, [name]: { ...state[name], ...change } }
}

/**
 * Moves the cursor of the focused list to a row, counted over all that pass the filter. With `follow`, moving to the last
 * row follows the newest again.
 */
export function moveTo(state: State, index: number, follow: boolean): Step<State> {
  const name = state.focusedList
  const rows = rowsOf(state, name)
  const at = Math.min(rows.length - 1, Math.max(0, index))
  const row = rows[at]
  if (row === undefined) return [state, []]
  const height = heightOf(state, name)
  const { top } = windowOver(rows, state[name].cursor, height)
  const line = Math.min(height - 1, Math.max(0, at - top))
  const cursor = follow && at === rows.length - 1 ? undefined : { key: keyOf(row), line }
  return followDetail(withList(state, name, { cursor }))
}

/** Moves by rows; moving down to the last row follows the newest. */
export function moveBy(state: State, by: number): Step<State> {
  const rows = rowsOf(state, state.focusedList)
  const index = cursorIndex(rows, state[state.focusedList].cursor)
  return moveTo(state, index + by, by > 0)
}

/** Rows of a page of the focused list. */
export function pageOf(state: State): number {
  return Math.max(1, heightOf(state, state.focusedList) - 1)
}

/** Moves to the next row that the search matches, wrapping around. With `stay`, the current row may match too. */
export function moveToMatch(state: State, by: 1 | -1, stay: boolean): Step<State> {
  const { search, cursor } = state[state.focusedList]
  const rows = rowsOf(state, state.focusedList)
  const index = cursorIndex(rows, cursor)
  for (let step = stay ? 0 : 1; step <= rows.length; step++) {
    const at = (index + by * step + rows.length * 2) % rows.length
    const row = rows[at]
    if (row !== undefined && matchesSearch(search, row)) return moveTo(state, at, false)
  }
  return [state, []]
}

/** Shows the row under the cursor in the open detail. */
export function followDetail(state: State): Step<State> {
  const { detail, focusedList } = state
  if (detail === undefined) return [state, []]
  const row = currentRow(state, focusedList)
  if (row === undefined) return [{ ...state, detail: undefined }, []]
  const key = keyOf(row)
  if (detail.list === focusedList && detail.key === key) return [state, []]
  const next: State = { ...state, detail: { ...detail, list: focusedList, key, lines: undefined, top: 0 } }
  return [next, [loading(focusedList, key)]]
}

/** Opens the detail of the row under the cursor. */
export function openDetail(state: State): Step<State> {
  const row = currentRow(state, state.focusedList)
  if (row === undefined) return [state, []]
  const key = keyOf(row)
  const detail = { list: state.focusedList, key, lines: undefined, top: 0, focused: true }
  return [{ ...state, detail }, [loading(state.focusedList, key)]]
}

function loading(list: ListName, key: string): Effect {
  return { kind: 'load-detail', list, key }
}

/** Scrolls the detail, at most until its last line is at the bottom. */
export function scrollDetail(state: State, by: number): State {
  const { detail } = state
  if (detail?.lines === undefined) return state
  const maxTop = Math.max(0, detail.lines.length - detailHeight(state))
  return { ...state, detail: { ...detail, top: Math.min(maxTop, Math.max(0, detail.top + by)) } }
}

export function detailHeight(state: State): number {
  return Math.max(1, layoutOf(state).detail?.lines ?? 1)
}
