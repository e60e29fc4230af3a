/** Queries of accounts. */
import type { Account } from '../../contract/accounts.ts'
import type { Source } from '../../contract/shapes.ts'
import { beforeFirst, type Database, type Slice, type Value } from './database.ts'

/** Columns named as on the wire, with what its Client and Connection add. */
export interface AccountRow {
  readonly seq: number
  readonly tenant: number
  readonly client: number
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
  /** 1 while the bank does not have it: it reads as not found, and so does what belongs to it. */
  readonly gone: 0 | 1
}

type Stored = Omit<
  AccountRow,
  'seq' | 'tenant' | 'client' | 'connection_id' | 'client_id' | 'capabilities' | 'gone'
>
type Changes = Partial<Omit<Stored, 'connection' | 'id' | 'source'> & Pick<AccountRow, 'gone'>>

const select = `SELECT a.*, k.id AS client_id, c.id AS connection_id, c.capabilities AS capabilities
  FROM accounts a JOIN clients k ON k.seq = a.client LEFT JOIN connections c ON c.seq = a.connection`

export function accountQueries(db: Database) {
  return {
    add: (tenant: number, client: number, row: Stored) => db.insert('accounts', { tenant, client, ...row }),
    bySeq: (seq: number) => db.get<AccountRow>(`${select} WHERE a.seq = ?`, seq),
    /** Resolved within its Client, as every read of data is. */
    get: (tenant: number, client: string, id: string) =>
      db.get<AccountRow>(
        `${select} WHERE a.tenant = ? AND a.id = ? AND k.id = ? AND a.gone = 0`,
        tenant,
        id,
        client,
      ),
    /** Any Client's, and one that is gone, too: for the emulator's own controls. */
    find: (tenant: number, id: string) =>
      db.get<AccountRow>(`${select} WHERE a.tenant = ? AND a.id = ?`, tenant, id),
    list: (client: number, { after = beforeFirst, limit }: Slice) =>
      db.all<AccountRow>(
        `${select} WHERE a.client = ? AND a.gone = 0 AND a.seq > ? ORDER BY a.seq LIMIT ?`,
        client,
        after,
        limit,
      ),
    listOfConnection: (client: number, connection: number, { after = beforeFirst, limit }: Slice) =>
      db.all<AccountRow>(
        `${select} WHERE a.client = ? AND a.connection = ? AND a.gone = 0 AND a.seq > ? ORDER BY a.seq LIMIT ?`,
        client,
        connection,
        after,
        limit,
      ),
    ofConnection: (connection: number) =>
      db.all<AccountRow>(`${select} WHERE a.connection = ? AND a.gone = 0 ORDER BY a.seq`, connection),
    /** All it ever had, those that are gone included. */
    countOfConnection: (connection: number) =>
      db.get<{ n: number }>('SELECT count(*) AS n FROM accounts WHERE connection = ?', connection)?.n ?? 0,
    change: (seq: number, changes: Changes) => db.update('accounts', seq, changes as Record<string, Value>),
    countLinked: (tenant: number) =>
      db.get<{ n: number }>(
        `SELECT count(*) AS n FROM accounts a JOIN connections c ON c.seq = a.connection
          WHERE a.tenant = ? AND a.gone = 0 AND c.status = 'active'`,
        tenant,
      )?.n ?? 0,
    /**
     * Those a staleness job would flag: their Connection needs the user, fails, is disconnected (SKIPPED_INACTIVE_BANK),
     * or was not polled since `polledSince`.
     */
    countStale: (tenant: number, polledSince: string) =>
      db.get<{ n: number }>(
        `SELECT count(*) AS n FROM accounts a JOIN connections c ON c.seq = a.connection
          WHERE a.tenant = ? AND a.gone = 0 AND (c.status IN ('requires_action', 'failed', 'disconnected')
            OR (c.status = 'active' AND coalesce(a.last_refreshed_at, a.created_at) < ?))`,
        tenant,
        polledSince,
      )?.n ?? 0,
  }
}
