/** The emulator's database: opened at the newest schema, with one set of queries per resource. */
import { accountQueries } from './accounts.ts'
import { apiKeyQueries } from './api-keys.ts'
import { checkQueries } from './checks.ts'
import { connectionQueries } from './connections.ts'
import { copiedHistoryQueries } from './copied-histories.ts'
import { allowlistQueries, clientQueries, tenantQueries } from './customers.ts'
import { Database } from './database.ts'
import { deliveryQueries } from './deliveries.ts'
import { idempotentRequestQueries } from './idempotent-requests.ts'
import { jobQueries } from './jobs.ts'
import { linkQueries } from './links.ts'
import { operationQueries } from './operations.ts'
import { portalRequestQueries } from './portal-requests.ts'
import { requestQueries } from './requests.ts'
import {
  addedByReauthLinks,
  deletedConnections,
  firstSchema,
  goneAccounts,
  locksAndHeaders,
  requestLog,
  sentLog,
} from './schema.ts'
import { sentQueries } from './sent.ts'
import { statementQueries } from './statements.ts'
import { subscriptionQueries } from './subscriptions.ts'
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
    requests: requestQueries(db),
    sent: sentQueries(db),
  }
}

export type Store = ReturnType<typeof openStore>

/** The schema's history; `user_version` counts the steps that a file has had. */
const steps: readonly string[] = [
  firstSchema,
  deletedConnections,
  goneAccounts,
  locksAndHeaders,
  requestLog,
  sentLog,
  addedByReauthLinks,
]

/** Brings a database to the newest schema, all steps or none. Throws for a file from a newer emulator. */
function migrate(db: Database): void {
  const version = db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > steps.length) {
    throw new Error(
      `the emulator's data was written by a newer bankapi (schema ${version}, known ${steps.length})`,
    )
  }
  if (version === steps.length) return
  db.transaction(() => {
    for (const step of steps.slice(version)) db.script(step)
    db.script(`PRAGMA user_version = ${steps.length}`)
  })
}

/** Facts about the whole file, and the counters that ids are made from. */
function metaQueries(db: Database) {
  return {
    get: (name: string) => db.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value,
    set(name: string, value: string): void {
      db.run(
        'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        value,
      )
    },
    /** The next number of a series, from 1. A number is never given twice, restarts included. */
    count(name: string): number {
      const row = db.get<{ value: number }>(
        'INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value',
        name,
      )
      return row?.value ?? 1
    },
  }
}
