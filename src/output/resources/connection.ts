import type { Connection } from '../../contract/connections.ts'
import type { Field } from '../fields.ts'

export const connectionFields: readonly Field<Connection>[] = [
  { key: 'id', kind: 'id' },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'institution.name', header: 'institution', priority: 4 },
  { key: 'source', priority: 2 },
  { key: 'last_error.code', header: 'last error', priority: 3 },
  { key: 'last_refreshed_at', header: 'last refreshed', kind: 'time', priority: 1 },
]
