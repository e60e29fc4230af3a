/** One customer in one environment: whose data a request may see. */
import type { Database } from './database.ts'

export type Environment = 'sandbox' | 'live'
export type Customer = 'A' | 'B'

export interface Tenant {
  readonly seq: number
  readonly environment: Environment
  readonly customer: Customer
}

export function tenantQueries(db: Database) {
  return {
    all: () => db.all<Tenant>('SELECT seq, environment, customer FROM tenants ORDER BY seq'),
    get: (seq: number) => db.get<Tenant>('SELECT seq, environment, customer FROM tenants WHERE seq = ?', seq),
    add: (environment: Environment, customer: Customer): Tenant => ({
      seq: db.insert('tenants', { environment, customer }),
      environment,
      customer,
    }),
  }
}
