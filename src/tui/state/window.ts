/** Finds the rows of a list that are on the screen, and the cursor among them. */
import { type DeliveryRow, shownFrom } from './delivery-row.ts'
import { layoutOf } from './layout.ts'
import { passesDelivery, passesOperation } from './matching.ts'
import type { Cursor, List, ListName, State } from './model.ts'
import type { OperationRow } from './operation-row.ts'

export type AnyRow = OperationRow | DeliveryRow

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

export function keyOf(row: AnyRow): string {
  return String(row.id)
}

/** The rows that pass the filter; while paused, of those at the start of the pause. */
export function operationRows(state: State): readonly OperationRow[] {
  const { filter, rows } = state.operations
  return (state.paused?.operations ?? rows).filter((row) => passesOperation(filter, row))
}

export function deliveryRows(state: State): readonly DeliveryRow[] {
  const { filter, rows } = state.deliveries
  return (state.paused?.deliveries ?? rows).filter(
    (row) => shownFrom(row) <= state.now && passesDelivery(filter, row),
  )
}

export function rowsOf(state: State, name: ListName): readonly AnyRow[] {
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
