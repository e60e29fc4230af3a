/** Queries of API keys. */
import { beforeFirst, type Database, type Slice } from './database.ts'

export interface ApiKeyRow {
  readonly seq: number
  readonly tenant: number
  readonly id: string
  readonly prefix: string
  /** JSON array of scope names. */
  readonly scopes: string
  readonly status: 'active' | 'revoked'
  readonly created_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

const columns = 'seq, tenant, id, prefix, scopes, status, created_at, last_used_at, revoked_at'

export function apiKeyQueries(db: Database) {
  return {
    /** `hash` is the SHA-256 of the plaintext, which is never stored. */
    add: (row: Omit<ApiKeyRow, 'seq' | 'last_used_at' | 'revoked_at'> & { hash: string }) =>
      db.insert('api_keys', { ...row }),
    byHash: (hash: string) => db.get<ApiKeyRow>(`SELECT ${columns} FROM api_keys WHERE hash = ?`, hash),
    byId: (tenant: number, id: string) =>
      db.get<ApiKeyRow>(`SELECT ${columns} FROM api_keys WHERE tenant = ? AND id = ?`, tenant, id),
    list: (tenant: number, { after = beforeFirst, limit }: Slice) =>
      db.all<ApiKeyRow>(
        `SELECT ${columns} FROM api_keys WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?`,
        tenant,
        after,
        limit,
      ),
    change: (
      seq: number,
      row: { scopes?: string; status?: string; revoked_at?: string; last_used_at?: string },
    ) => db.update('api_keys', seq, row),
  }
}
