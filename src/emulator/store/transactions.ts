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

/** Values of the column `retracted` for a row that is not listed. */
const taken = { back: 1, offTheList: 2 } as const

export type TransactionChanges = Partial<
  Omit<TransactionRow, 'seq' | 'id' | 'pending'> & { pending: boolean; account: number; retracted: 0 }
>

export function transactionQueries(db: Database) {
  const last = () => db.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM transactions')?.seq ?? 0
  return {
    add: (account: number, row: Stored) => db.insert('transactions', { account, ...row }),
    /** Where a bank gave two accounts the same id, the one recorded last. */
    get: (tenant: number, client: string, id: string) =>
      db.get<TransactionRow & { account_id: string; capabilities: string | null }>(
        `SELECT ${qualified}, a.id AS account_id, c.capabilities FROM transactions t
          JOIN accounts a ON a.seq = t.account JOIN clients k ON k.seq = a.client
          LEFT JOIN connections c ON c.seq = a.connection
          WHERE t.id = ? AND t.retracted <> ${taken.back} AND a.tenant = ? AND a.gone = 0 AND k.id = ?
          ORDER BY t.seq DESC LIMIT 1`,
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
    /** By id among one account's, whether the source took it back or not. */
    everOfAccount: (account: number, id: string) =>
      db.get<TransactionRow>(
        `SELECT ${columns} FROM transactions WHERE id = ? AND account = ? ORDER BY seq DESC LIMIT 1`,
        id,
        account,
      ),
    /** In the order they were recorded, retracted ones aside. */
    recordedSince: (account: number, date: string) =>
      db.all<TransactionRow>(
        `SELECT ${columns} FROM transactions WHERE account = ? AND retracted = 0 AND date >= ? ORDER BY seq`,
        account,
        date,
      ),
    /** Changes it at its place in the list. */
    change: (seq: number, changes: TransactionChanges) =>
      db.update('transactions', seq, changes as Record<string, Value>),
    /** A changed transaction counts as recorded again: it moves to the front of the list. Its id stays. */
    record: (seq: number, changes: TransactionChanges) =>
      db.update('transactions', seq, { ...(changes as Record<string, Value>), seq: last() + 1 }),
    /** Records the account's `count` longest recorded rows again, as they are. Returns how many there were. */
    recordAgain: (account: number, count: number) =>
      db.run(
        `UPDATE transactions SET seq = ? + again.place FROM (
            SELECT seq AS old, row_number() OVER (ORDER BY seq) AS place FROM transactions
              WHERE account = ? AND retracted = 0 ORDER BY seq LIMIT ?) again
          WHERE seq = again.old`,
        last(),
        account,
        count,
      ),
    /** The source took it back: it reads as not found from now on. */
    retract: (seq: number) => db.update('transactions', seq, { retracted: taken.back }),
    /** It is in no list from now on, and still reads by its id. */
    unlist: (seq: number) => db.update('transactions', seq, { retracted: taken.offTheList }),
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
