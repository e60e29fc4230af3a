/** Copies one account's transactions to many accounts inside SQLite, for crowds of millions of rows. */
import type { SeededTransaction } from '../catalog/seed-rows.ts'
import type { Database } from './database.ts'

export interface HistoryRow extends Omit<SeededTransaction, 'id' | 'account_id' | 'external_id'> {
  readonly created_at: string
}

export function copiedHistoryQueries(db: Database) {
  return {
    /** Makes `histories` available to `copy`, by their index, while `work` runs. */
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
    /** Gives an account the history at this index, under ids that begin with `idPrefix`. */
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
