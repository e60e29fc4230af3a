/** Queries of statements. */
import type { Source } from '../../contract/shapes.ts'
import { afterLast, type Database, type Slice } from './database.ts'

export interface StatementRow {
  readonly seq: number
  readonly account: number
  readonly account_id: string
  readonly source: Source
  readonly id: string
  readonly statement_date: string
  readonly period_start: string
  readonly opening_balance: number
  readonly closing_balance: number
  readonly exported_to: string | null
}

type Stored = Omit<StatementRow, 'seq' | 'account' | 'account_id' | 'source'> & {
  readonly created_at: string
}

const select = `SELECT s.seq, s.account, s.id, s.statement_date, s.period_start, s.opening_balance, s.closing_balance,
  s.exported_to, a.id AS account_id, a.source FROM statements s JOIN accounts a ON a.seq = s.account`

export function statementQueries(db: Database) {
  return {
    add: (account: number, row: Stored) => db.insert('statements', { account, ...row }),
    get: (tenant: number, client: string, id: string) =>
      db.get<StatementRow>(
        `${select} JOIN clients k ON k.seq = a.client WHERE s.id = ? AND a.tenant = ? AND k.id = ? AND a.gone = 0`,
        id,
        tenant,
        client,
      ),
    /** Newest recorded first. */
    list: (account: number, { after = afterLast, limit }: Slice) =>
      db.all<StatementRow>(
        `${select} WHERE s.account = ? AND s.seq < ? ORDER BY s.seq DESC LIMIT ?`,
        account,
        after,
        limit,
      ),
    /** In the order they were recorded. */
    ofAccount: (account: number) =>
      db.all<StatementRow>(`${select} WHERE s.account = ? ORDER BY s.seq`, account),
    latest: (account: number) =>
      db.get<StatementRow>(`${select} WHERE s.account = ? ORDER BY s.statement_date DESC LIMIT 1`, account),
    countCreated: (tenant: number, from: string, to: string) =>
      db.get<{ n: number }>(
        `SELECT count(*) AS n FROM accounts a JOIN statements s ON s.account = a.seq
          WHERE a.tenant = ? AND s.created_at >= ? AND s.created_at < ?`,
        tenant,
        from,
        to,
      )?.n ?? 0,
  }
}
