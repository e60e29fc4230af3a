import type { Client } from '../../contract/clients.ts'
import type { Field } from '../fields.ts'

export const clientFields: readonly Field<Client>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 3 },
  { key: 'email', priority: 2 },
  { key: 'external_id', priority: 1 },
  { key: 'created_at', header: 'created', kind: 'time' },
]
