/** Queries of accounts. */
import type { Account } from '../../contract/accounts.ts'
import type { Source } from '../../contract/shapes.ts'
import { beforeFirst, type Database, type Slice, type Value } from './database.ts'

/** Columns named as on the wire, with what its Client and Connection add. */
export interface AccountRow {
  readonly seq: number
  readonly connection: number | null
  readonly connection_id: string | null
  readonly client_id: string
  readonly id: string
  readonly source: Source
  readonly type: Account['type']
  readonly subtype: string
  readonly iso_currency_code: string
  readonly name: string | null
  readonly mask: string | null
  readonly current_balance: number | null
  readonly available_balance: number | null
  readonly last_refreshed_at: string | null
  readonly oldest_transaction_date: string | null
  /** JSON, or null. */
  readonly liabilities: string | null
  /** JSON of the Connection's observations, or null. */
  readonly capabilities: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

type Stored = Omit<AccountRow, 'seq' | 'connection_id' | 'client_id' | 'capabilities'>
type Changes = Partial<Omit<Stored, 'connection' | 'id' | 'source'>>

const select = `SELECT a.*, k.id AS client_id, c.id AS connection_id, c.capabilities AS capabilities
  FROM accounts a JOIN clients k ON k.seq = a.client LEFT JOIN connections c ON c.seq = a.connection`

export function accountQueries(db: Database) {
  return {
    add: (tenant: number, client: number, row: Stored) => db.insert('accounts', { tenant, client, ...row }),
    bySeq: (seq: number) => db.get<AccountRow>(`${select} WHERE a.seq = ?`, seq),
    /** Resolved within its Client, as every read of data is. */
    get: (tenant: number, client: string, id: string) =>
      db.get<AccountRow>(`${select} WHERE a.tenant = ? AND a.id = ? AND k.id = ?`, tenant, id, client),
    list: (client: number, { after = beforeFirst, limit }: Slice) =>
      db.all<AccountRow>(
        `${select} WHERE a.client = ? AND a.seq > ? ORDER BY a.seq LIMIT ?`,
        client,
        after,
        limit,
      ),
    listOfConnection: (client: number, connection: number, { after = beforeFirst, limit }: Slice) =>
      db.all<AccountRow>(
        `${select} WHERE a.client = ? AND a.connection = ? AND a.seq > ? ORDER BY a.seq LIMIT ?`,
        client,
        connection,
        after,
        limit,
      ),
    ofConnection: (connection: number) =>
      db.all<AccountRow>(`${select} WHERE a.connection = ? ORDER BY a.seq`, connection),
    change: (seq: number, changes: Changes) => db.update('accounts', seq, changes as Record<string, Value>),
    countLinked: (tenant: number) =>
      db.get<{ n: number }>(
        `SELECT count(*) AS n FROM accounts a JOIN connections c ON c.seq = a.connection
          WHERE a.tenant = ? AND c.status = 'active'`,
        tenant,
      )?.n ?? 0,
    /**
     * Those a staleness job would flag: their Connection needs the user, fails, is disconnected (SKIPPED_INACTIVE_BANK),
     * or was not polled since `polledSince`.
     */
    countStale: (tenant: number, polledSince: string) =>
      db.get<{ n: number }>(
        `SELECT count(*) AS n FROM accounts a JOIN connections c ON c.seq = a.connection
          WHERE a.tenant = ? AND (c.status IN ('requires_action', 'failed', 'disconnected')
            OR (c.status = 'active' AND coalesce(a.last_refreshed_at, a.created_at) < ?))`,
        tenant,
        polledSince,
      )?.n ?? 0,
  }
}
