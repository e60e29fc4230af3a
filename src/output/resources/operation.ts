import type { Operation } from '../../contract/operations.ts'
import type { Field } from '../fields.ts'

export const operationFields: readonly Field<Operation>[] = [
  { key: 'id', kind: 'id' },
  { key: 'type', priority: 3 },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'error.code', header: 'error', priority: 4 },
  { key: 'created_at', header: 'created', kind: 'time', priority: 1 },
  { key: 'completed_at', header: 'completed', kind: 'time', priority: 2 },
]
