import type { Institution } from '../../contract/institutions.ts'
import type { Field } from '../fields.ts'

export const institutionFields: readonly Field<Institution>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 3 },
  { key: 'requires_desktop_app', header: 'desktop app', kind: 'boolean', priority: 1 },
]
