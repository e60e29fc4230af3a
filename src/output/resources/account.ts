import type { Account } from '../../contract/accounts.ts'
import type { Field } from '../fields.ts'

export const accountFields: readonly Field<Account>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 3 },
  { key: 'type', priority: 4 },
  { key: 'subtype', priority: 1 },
  { key: 'mask', priority: 2 },
  { key: 'current_balance', header: 'balance', kind: 'money', priority: 5 },
  { key: 'available_balance', header: 'available', kind: 'money', priority: 1 },
  { key: 'last_refreshed_at', header: 'last refreshed', kind: 'time' },
]
