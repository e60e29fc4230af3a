import type { Check } from '../../contract/checks.ts'
import type { Field } from '../fields.ts'

/** Amounts are in the account's currency, which a check does not name: they are shown as plain numbers. */
export const checkFields: readonly Field<Check>[] = [
  { key: 'id', kind: 'id' },
  { key: 'check_number', header: 'number', priority: 4 },
  { key: 'amount', kind: 'number', align: 'right', priority: 5 },
  { key: 'pay_to', header: 'pay to', priority: 3 },
  { key: 'transaction_date', header: 'date', kind: 'date', priority: 4 },
  { key: 'ocr.amount', header: 'read amount', kind: 'number', align: 'right', priority: 1 },
]
