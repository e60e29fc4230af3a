/** Connections for whoever holds the controls: whatever the customer, by either form of id. */
import { notFound } from '../engine/problem.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { Store } from '../store/store.ts'
import type { Environment } from '../store/tenants.ts'

/** The first that fits, the sandbox before live unless `environment` says which. Throws `not_found`. */
export function findConnection(store: Store, id: string, environment?: Environment): ConnectionRow {
  for (const tenant of store.tenants.all()) {
    if (environment !== undefined && tenant.environment !== environment) continue
    const row = store.connections.find(tenant.seq, id)
    if (row) return row
  }
  throw notFound('Connection')
}
