import type { ApiKey } from '../../contract/keys.ts'
import type { Field } from '../fields.ts'

export const apiKeyFields: readonly Field<ApiKey>[] = [
  { key: 'id', kind: 'id' },
  { key: 'prefix', priority: 4 },
  { key: 'environment', priority: 1 },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'scopes', priority: 3 },
  { key: 'last_used_at', header: 'last used', kind: 'time', priority: 2 },
]
