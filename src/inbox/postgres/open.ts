/** Opens an inbox in Postgres, which listeners and commands on any number of machines share. */
import { postgresAddress } from '../../postgres/address.ts'
import { openPool } from '../../postgres/pool.ts'
import type { Batch, Inbox } from '../inbox.ts'
import { type Keep, keepByDefault, NEXT_STEP_MS, PRUNE_EVERY_MS } from '../retention.ts'
import { type Database, databaseOf } from './database.ts'
import { createDeliveries } from './deliveries.ts'
import { createOperations } from './operations.ts'
import { pruneStep } from './retention.ts'
import { migrate, SCHEMA } from './schema.ts'

export interface OpenPostgresInbox {
  /** postgres://user@host/database, without a password. */
  at: string
  /** Tells apart those that share a database and have the same environments. */
  customer?: string | undefined
  /** For the variables of Postgres: PGPASSWORD, PGSSLROOTCERT. */
  env: Readonly<Record<string, string | undefined>>
  keep?: Partial<Keep>
}

/** Of one process. More deliveries than that wait for each other. */
const MAX_CONNECTIONS = 10
/** A statement takes milliseconds: after this long, the way to the database is broken. */
const QUERY_TIMEOUT_MS = 10_000
/** A command that ends sooner leaves pruning to others. */
const FIRST_STEP_MS = 1000

/** Opens the inbox, creating its tables when they are missing. Rejects with PostgresAddressError or InboxError. */
export async function openPostgresInbox(options: OpenPostgresInbox): Promise<Inbox> {
  const { at, customer = '', env, keep = {} } = options
  const address = postgresAddress(at)
  const pool = openPool(address, {
    applicationName: 'bankapi inbox',
    max: MAX_CONNECTIONS,
    env,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  })
  const database = databaseOf(pool, address)
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const stopPruning = prune(database, customer, { ...keepByDefault, ...keep })
  return {
    place: database.place,
    deliveries: createDeliveries(database, customer),
    operations: createOperations(database, customer),
    // Postgres gathers the commits of several connections itself.
    batch: (async (write) => write()) as Batch,
    async assertWritable() {
      await database.script(
        `BEGIN; INSERT INTO ${SCHEMA}.pruning (customer, clock, at) VALUES ('', now(), now()) ON CONFLICT DO NOTHING; ROLLBACK`,
      )
    },
    async close() {
      stopPruning()
      await database.close()
    },
  }
}

/** Keeps no process alive. Returns a function that ends it. */
function prune(database: Database, customer: string, keep: Keep): () => void {
  let timer: NodeJS.Timeout
  let stopped = false
  const plan = (ms: number) => {
    if (!stopped) timer = setTimeout(step, ms).unref()
  }
  async function step(): Promise<void> {
    // Pruning can wait: what is wrong is the business of those who store.
    const more = await pruneStep(database, customer, keep).catch(() => false)
    plan(more ? NEXT_STEP_MS : PRUNE_EVERY_MS)
  }
  plan(FIRST_STEP_MS)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
