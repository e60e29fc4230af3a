/** Many rows at once, made by SQLite itself: data to measure with. */
import type { Database } from './database.ts'

export interface Bulk {
  readonly tenant: number
  /** Tells one lot of rows from another: part of every id. */
  readonly lot: number
  readonly clients: number
  readonly accountsEach: number
  readonly transactionsEach: number
  readonly now: string
}

/** Clients per transaction of the database: what waits in the write-ahead log stays small. */
const clientsAtOnce = 500

/**
 * Adds clients with linked-less accounts of source PDF, each with transactions over the last two years. Their ids
 * ascend, so that every index is written in order.
 */
export function addBulk(db: Database, bulk: Bulk): void {
  for (let first = 0; first < bulk.clients; first += clientsAtOnce) {
    const clients = Math.min(clientsAtOnce, bulk.clients - first)
    db.transaction(() => addClients(db, bulk, first, clients))
  }
}

function addClients(db: Database, bulk: Bulk, first: number, clients: number): void {
  const { tenant, lot, accountsEach, transactionsEach, now } = bulk
  const before = db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM clients')?.seq ?? 0
  const accountsBefore = db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM accounts')?.seq ?? 0
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
      INSERT INTO clients (tenant, id, email, name, external_id, created_at)
      SELECT ?, printf('cli_bulk%d_%06d', ?, i), NULL, printf('Client %d', i), NULL, ? FROM n`,
    first,
    first + clients,
    tenant,
    lot,
    now,
  )
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
      INSERT INTO accounts (tenant, client, id, source, type, subtype, iso_currency_code, name, mask, current_balance,
        oldest_transaction_date, created_at, updated_at)
      SELECT ?, k.seq, printf('acc_PDF_%d%09d', ?, k.seq * ? + i), 'PDF', 'checking', 'checking', 'USD', 'Checking',
        printf('%04d', i), 1000, date(?, '-700 days'), ?, ?
      FROM clients k CROSS JOIN n WHERE k.seq > ?`,
    accountsEach,
    tenant,
    lot,
    accountsEach,
    now,
    now,
    now,
    before,
  )
  db.run(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?),
      day (i, date) AS MATERIALIZED (SELECT i, date(?, (i * 700 / ? - 700) || ' days') FROM n)
      INSERT INTO transactions (account, id, amount, iso_currency_code, date, description, category, created_at)
      SELECT a.seq, 'txn_PDF_' || ? || (1000000000000 + a.seq * ? + day.i), -(day.i % 97) - 0.5, 'USD', day.date,
        'Card purchase', 'shopping', ?
      FROM accounts a CROSS JOIN day WHERE a.seq > ?`,
    transactionsEach,
    now,
    transactionsEach,
    lot,
    transactionsEach,
    now,
    accountsBefore,
  )
}
