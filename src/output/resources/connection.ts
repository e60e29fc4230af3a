import type { Connection } from '../../contract/connections.ts'
import type { Field } from '../fields.ts'
import type { View } from '../view.ts'

export const connectionFields: readonly Field<Connection>[] = [
  { key: 'id', kind: 'id' },
  { key: 'status', kind: 'status', priority: 5 },
  { key: 'institution.name', header: 'institution', priority: 4 },
  { key: 'source', priority: 2 },
  { key: 'last_error.code', header: 'last error', priority: 3 },
  { key: 'last_refreshed_at', header: 'last refreshed', kind: 'time', priority: 1 },
]

interface CapabilityRow {
  readonly capability: string
  readonly promise: string | undefined
  readonly status: string | undefined
  readonly last_success_at: string | null | undefined
  readonly next_refresh_after: string | null | undefined
  readonly error: string | undefined
}

const capabilityFields: readonly Field<CapabilityRow>[] = [
  { key: 'capability', priority: 9 },
  { key: 'promise', kind: 'status', priority: 2 },
  { key: 'status', kind: 'status', priority: 8 },
  { key: 'error', priority: 7 },
  { key: 'last_success_at', header: 'last success', kind: 'time', priority: 4 },
  { key: 'next_refresh_after', header: 'next refresh after', kind: 'time', priority: 3 },
]

/** One Connection for people: its fields, then a table with a row per capability, promised and realized side by side. */
export function connectionText(connection: Connection, out: View): string {
  const { expected_capabilities: expected = {}, realized_capabilities: realized = {}, ...rest } = connection
  const names = [...new Set([...Object.keys(expected), ...Object.keys(realized)])]
  const rows = names.map((capability): CapabilityRow => {
    const observed = realized[capability as keyof typeof realized]
    return {
      capability,
      promise: expected[capability as keyof typeof expected]?.promise,
      status: observed?.status,
      last_success_at: observed?.last_success_at,
      next_refresh_after: observed?.next_refresh_after,
      error: observed?.last_error?.code,
    }
  })
  // In a pipe every value keeps its own key.
  if (!out.tty || rows.length === 0) return out.record(connection)
  return `${out.record(rest)}\n${out.table(rows, capabilityFields)}`
}
