import type { Transaction } from '../../contract/transactions.ts'
import type { Field } from '../fields.ts'

export const transactionFields: readonly Field<Transaction>[] = [
  { key: 'date', kind: 'date', priority: 8 },
  { key: 'amount', kind: 'money', priority: 9 },
  { key: 'description', priority: 7 },
  { key: 'merchant_name', header: 'merchant', priority: 1 },
  { key: 'category', priority: 3 },
  {
    key: 'pending',
    header: 'state',
    kind: 'status',
    priority: 4,
    get: ({ pending }) => (pending ? 'pending' : 'posted'),
  },
  { key: 'id', kind: 'id', priority: 6 },
]
