/** One account's transactions copied to many accounts inside SQLite: millions of rows without passing through here. */
import type { TransactionRow } from '../catalog/world.ts'
import type { Database } from './database.ts'

export interface HistoryRow extends Omit<TransactionRow, 'id' | 'account_id' | 'external_id'> {
  readonly created_at: string
}

export function copiedHistoryQueries(db: Database) {
  return {
    /** What to copy, by the place of each history in the list. For as long as `work` runs. */
    between<T>(histories: readonly (readonly HistoryRow[])[], work: () => T): T {
      db.script(`CREATE TEMP TABLE histories (
        history INTEGER, place INTEGER, suffix TEXT, amount REAL, iso_currency_code TEXT, date TEXT, description TEXT,
        merchant_name TEXT, category TEXT, pending INTEGER, created_at TEXT, PRIMARY KEY (history, place)
      ) WITHOUT ROWID`)
      try {
        for (const [history, rows] of histories.entries()) {
          for (const [index, row] of rows.entries()) {
            // Ids in the order of their rows: an index that only grows at its end is quick to write.
            const suffix = String(index + 1).padStart(String(rows.length).length, '0')
            db.insert('histories', { history, place: index, suffix, ...row })
          }
        }
        return work()
      } finally {
        db.script('DROP TABLE histories')
      }
    },
    /** Gives an account the history at this place of the list, under ids that begin with `idPrefix`. */
    copy: (history: number, account: number, idPrefix: string) =>
      db.run(
        `INSERT INTO transactions
          (account, id, amount, iso_currency_code, date, description, merchant_name, category, pending, created_at)
          SELECT ?, ? || suffix, amount, iso_currency_code, date, description, merchant_name, category, pending, created_at
          FROM histories WHERE history = ? ORDER BY place`,
        account,
        idPrefix,
        history,
      ),
  }
}
