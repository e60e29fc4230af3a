/** Queries of webhook subscriptions. */
import { beforeFirst, type Database, type Slice } from './database.ts'

export interface SubscriptionRow {
  readonly seq: number
  readonly tenant: number
  readonly id: string
  readonly url: string
  /** JSON array of event names. */
  readonly event_types: string
  readonly signing_secret: string
  readonly previous_secret: string | null
  readonly rotated_at: string | null
  readonly created_at: string
  readonly last_success_at: string | null
  readonly last_failure_at: string | null
}

type Changes = Partial<Omit<SubscriptionRow, 'seq' | 'tenant' | 'id' | 'created_at'>>

export function subscriptionQueries(db: Database) {
  return {
    add: (
      row: Pick<SubscriptionRow, 'tenant' | 'id' | 'url' | 'event_types' | 'signing_secret' | 'created_at'>,
    ) => db.insert('subscriptions', { ...row }),
    get: (tenant: number, id: string) =>
      db.get<SubscriptionRow>('SELECT * FROM subscriptions WHERE tenant = ? AND id = ?', tenant, id),
    bySeq: (seq: number) => db.get<SubscriptionRow>('SELECT * FROM subscriptions WHERE seq = ?', seq),
    of: (tenant: number) =>
      db.all<SubscriptionRow>('SELECT * FROM subscriptions WHERE tenant = ? ORDER BY seq', tenant),
    list: (tenant: number, { after = beforeFirst, limit }: Slice) =>
      db.all<SubscriptionRow>(
        'SELECT * FROM subscriptions WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?',
        tenant,
        after,
        limit,
      ),
    /** Of all customers, the newest first: for the emulator's own console. */
    latest: (limit: number) =>
      db.all<SubscriptionRow & { readonly environment: string }>(
        `SELECT s.*, t.environment FROM subscriptions s JOIN tenants t ON t.seq = s.tenant
          ORDER BY s.seq DESC LIMIT ?`,
        limit,
      ),
    change: (seq: number, changes: Changes) => db.update('subscriptions', seq, changes),
    /** Its waiting deliveries go with it. */
    remove: (seq: number) => db.run('DELETE FROM subscriptions WHERE seq = ?', seq),
  }
}
