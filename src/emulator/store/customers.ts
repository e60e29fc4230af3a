/** Queries of tenants (a customer in one environment), their redirect allowlists and their Clients. */
import { beforeFirst, type Database, type Slice } from './database.ts'

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

export function allowlistQueries(db: Database) {
  return {
    /** The stored set, possibly empty; undefined when there is no row. */
    get(tenant: number): string[] | undefined {
      const row = db.get<{ urls: string }>('SELECT urls FROM redirect_allowlists WHERE tenant = ?', tenant)
      return row && (JSON.parse(row.urls) as string[])
    },
    set: (tenant: number, urls: readonly string[]) =>
      db.run(
        'INSERT INTO redirect_allowlists VALUES (?, ?) ON CONFLICT (tenant) DO UPDATE SET urls = excluded.urls',
        tenant,
        JSON.stringify(urls),
      ),
    clear: (tenant: number) => db.run('DELETE FROM redirect_allowlists WHERE tenant = ?', tenant),
  }
}

export interface ClientRow {
  readonly seq: number
  readonly id: string
  readonly email: string | null
  readonly name: string | null
  readonly external_id: string | null
  readonly created_at: string
}

const columns = 'seq, id, email, name, external_id, created_at'

export function clientQueries(db: Database) {
  return {
    add: (tenant: number, row: Omit<ClientRow, 'seq'>) => db.insert('clients', { tenant, ...row }),
    get: (tenant: number, id: string) =>
      db.get<ClientRow>(`SELECT ${columns} FROM clients WHERE tenant = ? AND id = ?`, tenant, id),
    list: (tenant: number, { after = beforeFirst, limit }: Slice) =>
      db.all<ClientRow>(
        `SELECT ${columns} FROM clients WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?`,
        tenant,
        after,
        limit,
      ),
    count: (tenant: number) =>
      db.get<{ n: number }>('SELECT count(*) AS n FROM clients WHERE tenant = ?', tenant)?.n ?? 0,
  }
}
