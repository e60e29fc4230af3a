/** The rows of every list, and which of them a row is. */
import type { DeliveryRow } from './delivery-row.ts'
import type { OperationRow } from './operation-row.ts'
import type { ResourceRow } from './resource-row.ts'

export type AnyRow = OperationRow | DeliveryRow | ResourceRow

export function isResource(row: AnyRow): row is ResourceRow {
  return 'cells' in row
}

export function isDelivery(row: AnyRow): row is DeliveryRow {
  return 'receivedAt' in row
}

export function isOperation(row: AnyRow): row is OperationRow {
  return 'poll' in row
}

export function keyOf(row: AnyRow): string {
  return String(row.id)
}
