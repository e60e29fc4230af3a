/** Queries of checks. */
import type { Source } from '../../contract/shapes.ts'
import { afterLast, type Database, type Slice } from './database.ts'

export interface CheckRow {
  readonly seq: number
  readonly account_id: string
  readonly source: Source
  readonly id: string
  readonly check_number: string | null
  readonly amount: number | null
  readonly pay_to: string | null
  readonly description: string | null
  readonly transaction_date: string | null
  /** JSON; null when nothing was recognised. */
  readonly ocr: string | null
}

type Stored = Omit<CheckRow, 'seq' | 'account_id' | 'source'>

const select = `SELECT h.seq, h.id, h.check_number, h.amount, h.pay_to, h.description, h.transaction_date, h.ocr,
  a.id AS account_id, a.source FROM checks h JOIN accounts a ON a.seq = h.account`

export function checkQueries(db: Database) {
  return {
    add: (account: number, row: Stored) => db.insert('checks', { account, ...row }),
    get: (account: number, id: string) =>
      db.get<CheckRow>(`${select} WHERE h.id = ? AND h.account = ?`, id, account),
    /** In the order they were recorded. */
    ofAccount: (account: number) => db.all<CheckRow>(`${select} WHERE h.account = ? ORDER BY h.seq`, account),
    list: (account: number, { after = afterLast, limit }: Slice) =>
      db.all<CheckRow>(
        `${select} WHERE h.account = ? AND h.seq < ? ORDER BY h.seq DESC LIMIT ?`,
        account,
        after,
        limit,
      ),
  }
}
