import type { Statement } from '../../contract/statements.ts'
import type { Field } from '../fields.ts'

export const statementFields: readonly Field<Statement>[] = [
  { key: 'id', kind: 'id' },
  { key: 'statement_date', header: 'date', kind: 'date', priority: 5 },
  { key: 'source', priority: 1 },
  { key: 'exported_to', header: 'exported to', priority: 2 },
  {
    key: 'download',
    kind: 'boolean',
    priority: 3,
    get: ({ download_url }) => download_url !== undefined && download_url !== null,
  },
]
