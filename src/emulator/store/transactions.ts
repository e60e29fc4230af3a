/** Queries of transactions. */
import { afterLast, type Database, type Slice, type Value } from './database.ts'

/** Columns named as on the wire; `account_id` is the account's. */
export interface TransactionRow {
  readonly seq: number
  readonly id: string
  readonly amount: number
  readonly iso_currency_code: string
  readonly date: string
  readonly description: string
  readonly external_id: string | null
  readonly merchant_name: string | null
  readonly category: string | null
  readonly pending: 0 | 1
}

type Stored = Omit<TransactionRow, 'seq' | 'pending'> & {
  readonly pending: boolean
  readonly created_at: string
}

export interface DateWindow {
  /** Both inclusive. */
  readonly from: string | undefined
  readonly to: string | undefined
}

const columns =
  'seq, id, amount, iso_currency_code, date, description, external_id, merchant_name, category, pending'
const qualified = columns.replaceAll(/(\w+)/g, 't.$1')

export function transactionQueries(db: Database) {
  return {
    add: (account: number, row: Stored) => db.insert('transactions', { account, ...row }),
    get: (tenant: number, client: string, id: string) =>
      db.get<TransactionRow & { account_id: string }>(
        `SELECT ${qualified}, a.id AS account_id FROM transactions t
          JOIN accounts a ON a.seq = t.account JOIN clients k ON k.seq = a.client
          WHERE t.id = ? AND t.retracted = 0 AND a.tenant = ? AND k.id = ?`,
        id,
        tenant,
        client,
      ),
    /** Most recently recorded first. */
    list: (account: number, { from = '', to = '9999' }: DateWindow, { after = afterLast, limit }: Slice) =>
      db.all<TransactionRow>(
        `SELECT ${columns} FROM transactions WHERE account = ? AND seq < ? AND retracted = 0 AND date >= ? AND date <= ?
          ORDER BY seq DESC LIMIT ?`,
        account,
        after,
        from,
        to,
        limit,
      ),
    /** By id among one account's, retracted ones aside. */
    ofAccount: (account: number, id: string) =>
      db.get<TransactionRow>(
        `SELECT ${columns} FROM transactions WHERE id = ? AND account = ? AND retracted = 0`,
        id,
        account,
      ),
    oldestPending: (account: number) =>
      db.get<TransactionRow>(
        `SELECT ${columns} FROM transactions WHERE account = ? AND pending = 1 AND retracted = 0 ORDER BY seq LIMIT 1`,
        account,
      ),
    /** A changed transaction counts as recorded again: it moves to the front of the list. Its id stays. */
    record(seq: number, changes: { pending?: boolean; date?: string; amount?: number }): void {
      const last = db.get<{ seq: number }>('SELECT max(seq) AS seq FROM transactions')?.seq ?? seq
      db.update('transactions', seq, { ...(changes as Record<string, Value>), seq: last + 1 })
    },
    /** The source took it back: it reads as not found from now on. */
    retract: (seq: number) => db.update('transactions', seq, { retracted: true }),
    dates: (account: number) =>
      db.get<{ oldest: string | null; newest: string | null }>(
        'SELECT min(date) AS oldest, max(date) AS newest FROM transactions WHERE account = ? AND retracted = 0',
        account,
      ) ?? { oldest: null, newest: null },
    /** Settled ones of a period, both dates included, by date, as a statement lists them. */
    settledBetween: (account: number, from: string, to: string) =>
      db.all<TransactionRow>(
        `SELECT ${columns} FROM transactions WHERE account = ? AND retracted = 0 AND pending = 0
          AND date >= ? AND date <= ? ORDER BY date, seq`,
        account,
        from,
        to,
      ),
    countCreated: (tenant: number, from: string, to: string) =>
      db.get<{ n: number }>(
        `SELECT count(*) AS n FROM accounts a JOIN transactions t ON t.account = a.seq
          WHERE a.tenant = ? AND t.created_at >= ? AND t.created_at < ?`,
        tenant,
        from,
        to,
      )?.n ?? 0,
  }
}
