/** Queries of operations, the reports they wait for, and the refresh budget. */
import type { Operation } from '../../contract/operations.ts'
import type { Database } from './database.ts'

export interface OperationRow {
  readonly seq: number
  readonly tenant: number
  readonly id: string
  readonly type: string
  readonly status: Operation['status']
  readonly connection: number | null
  readonly created_at: string
  readonly completed_at: string | null
  /** JSON: a snapshot, written once. */
  readonly result: string | null
  /** JSON of an Error object. */
  readonly error: string | null
}

export interface ReportRow {
  readonly account_id: string
  readonly outcome: 'succeeded' | 'failed' | null
  readonly error: string | null
}

const columns = 'seq, tenant, id, type, status, connection, created_at, completed_at, result, error'

export function operationQueries(db: Database) {
  return {
    add: (row: Pick<OperationRow, 'tenant' | 'id' | 'type' | 'connection' | 'created_at'>) =>
      db.insert('operations', { ...row, status: 'queued' }),
    get: (tenant: number, id: string) =>
      db.get<OperationRow>(`SELECT ${columns} FROM operations WHERE tenant = ? AND id = ?`, tenant, id),
    bySeq: (seq: number) => db.get<OperationRow>(`SELECT ${columns} FROM operations WHERE seq = ?`, seq),
    /** Refreshes of a Connection that still wait for its accounts. */
    waitingRefreshes: (connection: number) =>
      db.all<OperationRow>(
        `SELECT ${columns} FROM operations
          WHERE connection = ? AND status = 'queued' AND type = 'account.refresh' ORDER BY seq`,
        connection,
      ),
    /** Writes the outcome; an operation that has one keeps it. */
    finish(
      seq: number,
      outcome: { status: 'succeeded' | 'failed'; at: string; result?: string; error?: string },
    ) {
      return db.run(
        "UPDATE operations SET status = ?, completed_at = ?, result = ?, error = ? WHERE seq = ? AND status = 'queued'",
        outcome.status,
        outcome.at,
        outcome.result,
        outcome.error,
        seq,
      )
    },
    expectReport: (operation: number, account: number) =>
      db.run('INSERT INTO refresh_reports (operation, account) VALUES (?, ?)', operation, account),
    report: (operation: number, account: number, outcome: 'succeeded' | 'failed', error: string | null) =>
      db.run(
        'UPDATE refresh_reports SET outcome = ?, error = ? WHERE operation = ? AND account = ?',
        outcome,
        error,
        operation,
        account,
      ),
    reports: (operation: number) =>
      db.all<ReportRow>(
        `SELECT a.id AS account_id, r.outcome, r.error FROM refresh_reports r
          JOIN accounts a ON a.seq = r.account WHERE r.operation = ? ORDER BY a.seq`,
        operation,
      ),
    budgetUsed: (connection: number, day: string) =>
      db.get<{ used: number }>(
        'SELECT used FROM refresh_budget WHERE connection = ? AND day = ?',
        connection,
        day,
      )?.used ?? 0,
    budgetUsedByCustomer: (tenant: number, day: string) =>
      db.get<{ used: number }>(
        `SELECT coalesce(sum(b.used), 0) AS used FROM refresh_budget b
          JOIN connections c ON c.seq = b.connection WHERE c.tenant = ? AND b.day = ?`,
        tenant,
        day,
      )?.used ?? 0,
    countRefresh: (connection: number, day: string) =>
      db.run(
        'INSERT INTO refresh_budget VALUES (?, ?, 1) ON CONFLICT (connection, day) DO UPDATE SET used = used + 1',
        connection,
        day,
      ),
  }
}
