import type { Database } from './database.ts'
import { beforeFirst, type Slice } from './paging.ts'

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
