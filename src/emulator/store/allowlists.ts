/** The redirect allowlist of a customer's environment: one row, or none. */
import type { Database } from './database.ts'

export function allowlistQueries(db: Database) {
  return {
    /** The stored set, possibly empty; undefined when there is no row. */
    get(tenant: number): string[] | undefined {
      const row = db.get<{ urls: string }>('SELECT urls FROM redirect_allowlists WHERE tenant = ?', tenant)
      return row && (JSON.parse(row.urls) as string[])
    },
    set: (tenant: number, urls: readonly string[]) =>
      db.run(
        'INSERT INTO redirect_allowlists VALUES (?, ?) ON CONFLICT (tenant) DO UPDATE SET urls = excluded.urls',
        tenant,
        JSON.stringify(urls),
      ),
    clear: (tenant: number) => db.run('DELETE FROM redirect_allowlists WHERE tenant = ?', tenant),
  }
}
