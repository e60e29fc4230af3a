/** Queries of Connections. */
import type { ConnectionStatus } from '../../contract/connections.ts'
import type { ConnectionSource } from '../../contract/shapes.ts'
import { beforeFirst, type Database, type Slice, type Value } from './database.ts'

export interface ConnectionRow {
  readonly seq: number
  readonly tenant: number
  readonly client: number
  /** The Client's id, joined. */
  readonly client_id: string
  /** `con_<uuid>`, valid for the widget step only; null for FDE. */
  readonly placeholder_id: string | null
  /** Canonical. Shown nowhere before `reached_active`, FDE's snapshot aside. */
  readonly id: string
  readonly institution_id: string
  readonly source: ConnectionSource
  readonly status: ConnectionStatus
  readonly reached_active: 0 | 1
  readonly created_at: string
  readonly updated_at: string
  readonly last_refreshed_at: string | null
  /** JSON of an Error object, or null. */
  readonly last_error: string | null
  /** JSON of the capabilities' observations. */
  readonly capabilities: string
  readonly widget_token: string | null
  readonly redirect_url: string | null
  readonly bank_account_id: string
  /** Syncs of the bank since the link. */
  readonly syncs: number
  /** 1 once the Connection has recovered from its institution's behaviour, and behaves as an ordinary one. */
  readonly recovered: 0 | 1
  /** 1 while the bank has locked the account, whatever else is found meanwhile. */
  readonly locked: 0 | 1
  /** 1 once the caller deleted it: nothing changes its status again. */
  readonly deleted: 0 | 1
  /** 1 once the user linked the same bank again: the source reports nothing new here. */
  readonly replaced: 0 | 1
  /** Accounts opened at the bank since the link that no refresh or reauthorize has shared yet. */
  readonly unshared_accounts: number
}

type Changes = Partial<Omit<ConnectionRow, 'seq' | 'tenant' | 'client' | 'client_id'>>

const select = 'SELECT c.*, k.id AS client_id FROM connections c JOIN clients k ON k.seq = c.client'

export function connectionQueries(db: Database) {
  return {
    add: (row: Omit<ConnectionRow, 'seq' | 'client_id' | 'locked' | 'deleted' | 'replaced'>) =>
      db.insert('connections', { ...row }),
    bySeq: (seq: number) => db.get<ConnectionRow>(`${select} WHERE c.seq = ?`, seq),
    /** One that reached active, by its canonical id. */
    get: (tenant: number, id: string) =>
      db.get<ConnectionRow>(`${select} WHERE c.tenant = ? AND c.id = ? AND c.reached_active = 1`, tenant, id),
    /** Any, by its placeholder or its canonical id: for the emulator's own controls. */
    find: (tenant: number, id: string) =>
      db.get<ConnectionRow>(
        `${select} WHERE c.tenant = ? AND (c.id = ? OR c.placeholder_id = ?)`,
        tenant,
        id,
        id,
      ),
    byWidgetToken: (token: string) => db.get<ConnectionRow>(`${select} WHERE c.widget_token = ?`, token),
    list: (client: number, { after = beforeFirst, limit }: Slice) =>
      db.all<ConnectionRow>(
        `${select} WHERE c.client = ? AND c.reached_active = 1 AND c.seq > ? ORDER BY c.seq LIMIT ?`,
        client,
        after,
        limit,
      ),
    /**
     * The newest, whether they reached active or not, that have `part` in an id of theirs, their Client's or their
     * institution's: for the emulator's own console.
     */
    latest: (tenant: number, part: string, limit: number) =>
      db.all<ConnectionRow>(
        `${select} WHERE c.tenant = ?
          AND instr(c.id || ' ' || coalesce(c.placeholder_id, '') || ' ' || k.id || ' ' || c.institution_id, ?)
          ORDER BY c.seq DESC LIMIT ?`,
        tenant,
        part,
        limit,
      ),
    count: (tenant: number) =>
      db.get<{ n: number }>('SELECT count(*) AS n FROM connections WHERE tenant = ?', tenant)?.n ?? 0,
    change: (seq: number, changes: Changes) =>
      db.update('connections', seq, changes as Record<string, Value>),
    countActive: (tenant: number) =>
      db.get<{ n: number }>(
        "SELECT count(*) AS n FROM connections WHERE tenant = ? AND status = 'active'",
        tenant,
      )?.n ?? 0,
  }
}
