/** Finds the rows of a list that are on the screen, and the cursor among them. */
import { type AnyRow, keyOf } from './any-row.ts'
import { type DeliveryRow, shownFrom } from './delivery-row.ts'
import { layoutOf } from './layout.ts'
import { passes } from './matching.ts'
import type { Cursor, Filter, List, ListName, State } from './model.ts'
import type { OperationRow } from './operation-row.ts'
import type { ResourceRow } from './resource-row.ts'

export interface Window<R extends AnyRow = AnyRow> {
  /** The rows that fit the height. */
  readonly rows: readonly R[]
  /** The first of them, counted over all that pass the filter. */
  readonly top: number
  /** Rows that pass the filter. */
  readonly total: number
  /** The cursor, counted like `top`; -1 without rows. */
  readonly cursor: number
}

/** Whether the newest row is followed: until the cursor moves, and again once it is at the end. */
export function isFollowing(list: Pick<List<unknown>, 'cursor'>): boolean {
  return list.cursor === undefined
}

/** The rows that pass the filter and the search; while paused, of those at the start of the pause. */
export function operationRows(state: State): readonly OperationRow[] {
  const { operations } = state
  return passing(state.paused?.operations ?? operations.rows, operations)
}

export function deliveryRows(state: State): readonly DeliveryRow[] {
  const { deliveries, now, paused } = state
  const all = paused?.deliveries ?? deliveries.rows
  const { filter, search } = deliveries
  const known = lastDeliveries.get(all)
  if (known?.now === now && known.filter === filter && known.search === search) return known.rows
  const rows = passing(all, deliveries)
  // A copy only when there is one to hide: the views know what is new by the array.
  const isShown = (row: DeliveryRow) => shownFrom(row) <= now
  const shown = rows.every(isShown) ? rows : rows.filter(isShown)
  lastDeliveries.set(all, { now, filter, search, rows: shown })
  return shown
}

/** They are asked for many times while one event is handled or one frame is drawn. */
const lastDeliveries = new WeakMap<
  readonly DeliveryRow[],
  {
    readonly now: number
    readonly filter: Filter
    readonly search: string
    readonly rows: readonly DeliveryRow[]
  }
>()

export function resourceRows(state: State): readonly ResourceRow[] {
  const { resources } = state
  return passing(state.paused?.resources ?? resources.rows, resources)
}

function passing<R extends AnyRow>(
  rows: readonly R[],
  list: Pick<List<unknown>, 'filter' | 'search'>,
): readonly R[] {
  const { filter, search } = list
  if (search === '' && Object.values(filter).every((value) => value === undefined)) return rows
  return rows.filter((row) => passes(list, row))
}

export function rowsOf(state: State, name: ListName): readonly AnyRow[] {
  if (name === 'resources') return resourceRows(state)
  return name === 'operations' ? operationRows(state) : deliveryRows(state)
}

/** The rows of a list that a window of this height shows. */
export function windowOver<R extends AnyRow>(
  rows: readonly R[],
  cursor: Cursor | undefined,
  height: number,
): Window<R> {
  const total = rows.length
  const index = cursorIndex(rows, cursor)
  const last = Math.max(0, total - height)
  const line = Math.min(height - 1, Math.max(0, cursor?.line ?? 0))
  const top = cursor === undefined ? last : Math.min(last, Math.max(0, index - line))
  return { rows: rows.slice(top, top + height), top, total, cursor: index }
}

/** The index of the cursor: of the last row when following the newest, of a neighbour when its own row has left. */
export function cursorIndex(rows: readonly AnyRow[], cursor: Cursor | undefined): number {
  if (cursor === undefined) return rows.length - 1
  const found = rows.findIndex((row) => keyOf(row) === cursor.key)
  return found === -1 ? Math.min(cursor.line, rows.length - 1) : found
}

/** The row under the cursor of a list. */
export function currentRow(state: State, name: ListName): AnyRow | undefined {
  const rows = rowsOf(state, name)
  return rows[cursorIndex(rows, state[name].cursor)]
}

/** Rows of a list that fit; a list that is hidden now keeps the height of the body. */
export function heightOf(state: State, name: ListName): number {
  const { lists, body } = layoutOf(state)
  return lists.find((list) => list.name === name)?.rows ?? Math.max(1, body - 2)
}
