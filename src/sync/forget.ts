/** Erases a Client from a mirror, with its files, and keeps it from being imported again. The only thing that deletes rows. */
import { sql } from 'kysely'
import { eraseFiles } from './files.ts'
import type { Mirror } from './mirror/mirror.ts'
import { MirrorError } from './mirror/mirror-error.ts'
import { type Table, type TableName, tables } from './mirror/tables.ts'
import { RUN_LEASE } from './streams.ts'

export interface Held {
  /** Whether the mirror has it, or had it and has forgotten it. */
  readonly known: boolean
  /** Rows of all tables. */
  readonly rows: number
  readonly files: number
  /** Its id, and those of its Connections, accounts and statements: what events name. */
  readonly ids: ReadonlySet<string>
}

export interface Erased {
  /** Files that were there and are deleted. */
  readonly files: number
}

const ofClients = (Object.entries(tables) as [TableName, Table][])
  .filter(([name, { columns }]) => name !== 'forgotten_clients' && columns['client_id'] !== undefined)
  .map(([name]) => name)

/** What a mirror has of a Client. */
export async function heldOf({ db }: Mirror, clientId: string): Promise<Held> {
  const perTable = new Map<string, number>()
  for (const table of ofClients) perTable.set(table, await countOf(db, table, 'client_id', clientId))
  const client = await countOf(db, 'clients', 'id', clientId)
  const forgotten = await countOf(db, 'forgotten_clients', 'client_id', clientId)
  const ids = new Set([clientId])
  for (const table of ['connections', 'accounts', 'statements'] as const) {
    const found = await db.selectFrom(table).select('id').where('client_id', '=', clientId).execute()
    for (const { id } of found) ids.add(id)
  }
  const rows = client + [...perTable.values()].reduce((sum, each) => sum + each, 0)
  return { known: rows + forgotten > 0, rows, files: perTable.get('files') ?? 0, ids }
}

/**
 * Writes the tombstone, and takes every stream of the Client from whoever reads it: from then on nothing of it is written. The
 * caller has claimed the mirror, so that the leases of runs are over; those of workers are not.
 * @throws MirrorError `busy` while a worker reads the Client, or lists the Clients: nothing was written.
 */
export async function fenceClient(
  mirror: Mirror,
  { clientId, now }: { clientId: string; now: number },
): Promise<void> {
  await mirror.transaction(async (db) => {
    const put = [{ client_id: clientId, forgotten_at: new Date(now).toISOString() }]
    await mirror.put(db, 'forgotten_clients', put)
    if (mirror.kind === 'postgres') {
      await sql`SELECT id FROM clients WHERE id = ${clientId} FOR UPDATE`.execute(db)
      const { rows } = await sql`
        SELECT lease FROM (
          SELECT lease, leased_until FROM streams WHERE client_id = ${clientId} OR kind = 'clients'
          ORDER BY kind, subject FOR UPDATE
        ) AS own
        WHERE leased_until > clock_timestamp() AND lease NOT LIKE ${`${RUN_LEASE}%`}`.execute(db)
      if (rows.length > 0) {
        throw new MirrorError(
          'busy',
          `A bankapi sync worker reads ${clientId} from ${mirror.shown}, or lists its Clients.`,
          'Nothing was erased. Stop the workers, or try again in a minute',
          { exit: 'conflict' },
        )
      }
    }
    // A listing that was overtaken would write the Client again.
    await db
      .updateTable('streams')
      .set({ lease: null, leased_until: null })
      .where('kind', '=', 'clients')
      .execute()
    await db.deleteFrom('streams').where('client_id', '=', clientId).execute()
  })
}

/**
 * Fences the Client, deletes its files below `folder`, then all rows in one transaction: what fails in between can be repeated.
 * The caller has claimed the mirror.
 * @throws MirrorError `busy` as `fenceClient`, `still_held` when all was erased but is in the file until another program closes it
 */
export async function forgetClient(
  mirror: Mirror,
  { clientId, folder, now }: { clientId: string; folder: string | undefined; now: number },
): Promise<Erased> {
  await fenceClient(mirror, { clientId, now })
  const files = folder === undefined ? 0 : await eraseFiles(folder, clientId)
  await mirror.transaction(async (db) => {
    for (const table of ofClients) {
      await sql`DELETE FROM ${sql.table(table)} WHERE client_id = ${clientId}`.execute(db)
    }
    await db.deleteFrom('clients').where('id', '=', clientId).execute()
    const named = await db
      .selectFrom('runs')
      .select(['id', 'summary'])
      .where(sql`CAST(summary AS text)`, 'like', `%${clientId}%`)
      .execute()
    for (const { id, summary } of named) {
      const { failed = [], ...rest } = JSON.parse(summary ?? '{}') as {
        failed?: readonly { readonly client_id: string | null }[]
      }
      const kept = JSON.stringify({ ...rest, failed: failed.filter((one) => one.client_id !== clientId) })
      await db.updateTable('runs').set({ summary: kept }).where('id', '=', id).execute()
    }
  })
  await reclaim(mirror, clientId)
  return { files }
}

/** Frees the room of what was erased. @throws MirrorError `still_held` */
async function reclaim({ kind, db, shown }: Mirror, clientId: string): Promise<void> {
  if (kind === 'postgres') {
    for (const table of [...ofClients, 'clients', 'runs']) await sql`VACUUM ${sql.table(table)}`.execute(db)
    return
  }
  const { rows } = await sql<{ busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db)
  if (rows[0]?.busy === 0) return
  throw new MirrorError(
    'still_held',
    `The rows of ${clientId} are erased, but ${shown} and ${shown}-wal still hold them: another program reads the mirror.`,
    'Close that program, then run the same command again',
    { exit: 'operationFailed' },
  )
}

/** @throws MirrorError `no_such_client` */
export function assertKnown(mirror: Mirror, clientId: string, { known }: Held): void {
  if (known) return
  throw new MirrorError(
    'no_such_row',
    `The mirror ${mirror.shown} has no Client ${clientId}.`,
    "See its Clients: bankapi sync query 'select id, name, external_id from clients'",
    { exit: 'notFound' },
  )
}

async function countOf(db: Mirror['db'], table: string, column: string, value: string): Promise<number> {
  const { rows } = await sql<{ rows: number | string }>`
    SELECT count(*) AS rows FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${value}`.execute(db)
  return Number(rows[0]?.rows ?? 0)
}
