/** Everything the emulator remembers: one file of queries per resource, over one database. */
import { accountQueries } from './accounts.ts'
import { allowlistQueries } from './allowlists.ts'
import { apiKeyQueries } from './api-keys.ts'
import { checkQueries } from './checks.ts'
import { clientQueries } from './clients.ts'
import { connectionQueries } from './connections.ts'
import { copiedHistoryQueries } from './copied-histories.ts'
import { Database } from './database.ts'
import { deliveryQueries } from './deliveries.ts'
import { idempotentRequestQueries } from './idempotent-requests.ts'
import { jobQueries } from './jobs.ts'
import { linkQueries } from './links.ts'
import { metaQueries } from './meta.ts'
import { migrate } from './migrations.ts'
import { operationQueries } from './operations.ts'
import { portalRequestQueries } from './portal-requests.ts'
import { statementQueries } from './statements.ts'
import { subscriptionQueries } from './subscriptions.ts'
import { tenantQueries } from './tenants.ts'
import { transactionQueries } from './transactions.ts'

/** Opens a file, or memory for `:memory:`, at the newest schema. Throws when another emulator holds the file. */
export function openStore(path: string) {
  const db = new Database(path)
  migrate(db)
  return {
    db,
    /** Forgets everything. */
    clear(): void {
      db.script('PRAGMA defer_foreign_keys = ON')
      const tables = db.all<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      for (const { name } of tables) db.script(`DELETE FROM ${name}`)
    },
    close: () => db.close(),
    meta: metaQueries(db),
    tenants: tenantQueries(db),
    apiKeys: apiKeyQueries(db),
    clients: clientQueries(db),
    connections: connectionQueries(db),
    accounts: accountQueries(db),
    transactions: transactionQueries(db),
    copiedHistories: copiedHistoryQueries(db),
    statements: statementQueries(db),
    checks: checkQueries(db),
    operations: operationQueries(db),
    subscriptions: subscriptionQueries(db),
    deliveries: deliveryQueries(db),
    jobs: jobQueries(db),
    links: linkQueries(db),
    allowlists: allowlistQueries(db),
    idempotentRequests: idempotentRequestQueries(db),
    portalRequests: portalRequestQueries(db),
  }
}

export type Store = ReturnType<typeof openStore>
