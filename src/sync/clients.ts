/** Lists the Clients of the environment, and checks first that the key is that of the mirror's customer. */
import type { Connection } from '../contract/connections.ts'
import { pageSize } from '../contract/service.ts'
import { proveGone } from './gone.ts'
import { byId, mergeRows } from './listing.ts'
import { MirrorError } from './mirror/mirror-error.ts'
import { isNotFound } from './reader.ts'
import { cleaned, clientRow } from './rows.ts'
import { type RunContext, timestamp } from './run-context.ts'
import { CHECKED_CLIENTS, checkedClients } from './same-customer.ts'
import { advance, completed, takeStream } from './streams.ts'

/**
 * Reads the Connections of three known Clients: of three that were erased when the mirror has no other. Returns those it read,
 * which need not be read again in this run.
 * @throws MirrorError `other_customer` when the service knows none of the three: nothing may be written then.
 */
export async function checkCustomer(context: RunContext): Promise<Map<string, readonly Connection[]>> {
  const { mirror, reader } = context
  const known = await checkedClients(mirror)
  const erased = await mirror.db
    .selectFrom('forgotten_clients')
    .select('client_id as id')
    .orderBy('forgotten_at', 'desc')
    .limit(known.length === 0 ? CHECKED_CLIENTS : 0)
    .execute()
  const read = new Map<string, readonly Connection[]>()
  let unknown = 0
  for (const { id } of erased) {
    const found = await reader
      .byId((options) => reader.api.connections.list({ client_id: id, limit: 1 }, options))
      // Any failure but 404 says nothing of the customer.
      .catch(() => 'unknown')
    reader.signal.throwIfAborted()
    if (found === undefined) unknown += 1
  }
  for (const { id } of known) {
    try {
      read.set(id, await reader.all(reader.api.connections.list, { client_id: id }))
    } catch (error) {
      if (isNotFound(error)) unknown += 1
      // Any other failure says nothing of the customer: the stream itself will meet and report it.
    }
    context.reader.signal.throwIfAborted()
  }
  const asked = known.length + erased.length
  if (asked > 0 && unknown === asked && !(await listsKnownClient(context))) {
    throw new MirrorError(
      'other_customer',
      `The mirror ${mirror.shown} is of another customer: the service knows none of its Clients with this key.`,
      'Use the key that the mirror was made with, or another mirror: --to',
    )
  }
  return read
}

/** Whether the first page of the Clients has one that the mirror has or had: then those that it does not know were deleted. */
async function listsKnownClient({ mirror, reader }: RunContext): Promise<boolean> {
  const { data } = await reader.call((options) => reader.api.clients.list({ limit: pageSize.max }, options))
  if (data.length === 0) return false
  const ids = data.map(({ id }) => id)
  const known = await mirror.db.selectFrom('clients').select('id').where('id', 'in', ids).limit(1).execute()
  if (known.length > 0) return true
  const erased = await mirror.db
    .selectFrom('forgotten_clients')
    .select('client_id')
    .where('client_id', 'in', ids)
    .limit(1)
    .execute()
  return erased.length > 0
}

/**
 * Lists every Client, page by page, and yields the ids of each page after they are stored; those that were forgotten are left
 * out. At the end those that are no longer listed are marked as gone when the service does not know them either.
 */
export async function* listClients(context: RunContext): AsyncGenerator<readonly string[]> {
  const { mirror, reader, counts } = context
  const { api } = reader
  const count = counts.of('clients')
  let stream = await takeStream(context, { kind: 'clients', subject: '', clientId: null })
  const walk = stream.walk + 1
  const forgotten = new Set(
    (await mirror.db.selectFrom('forgotten_clients').select('client_id').execute()).map(
      ({ client_id }) => client_id,
    ),
  )
  for await (const page of reader.pages(api.clients.list, {}, { ahead: true })) {
    const clients = [...byId(page.data.map(cleaned)).values()].filter(({ id }) => !forgotten.has(id))
    const ids = clients.map(({ id }) => id)
    stream = await mirror.transaction(async (db) => {
      const stored = await db
        .selectFrom('clients')
        .select(['id', 'fingerprint', 'gone_at', 'missing_since'])
        .where('id', 'in', ids)
        .execute()
      const rows = clients.map((client) => ({ ...clientRow(client), listed_in: walk }))
      await mergeRows(context, db, { table: 'clients', rows, stored: byId(stored), counts: count })
      await db.updateTable('clients').set({ listed_in: walk }).where('id', 'in', ids).execute()
      return advance(context, db, stream, { walk })
    })
    yield ids
  }
  const live = await mirror.db
    .selectFrom('clients')
    .select((is) => is.fn.countAll<number>().as('rows'))
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow()
  const missing = await mirror.db
    .selectFrom('clients')
    .select(['id', 'missing_since'])
    .where('gone_at', 'is', null)
    .where('listed_in', '<', walk)
    .execute()
  // A Client cannot be asked for by its id; the service answers 404 for the Connections of one that it does not know.
  const { gone, there } = await proveGone(context, missing, {
    live: Number(live.rows),
    what: 'Clients',
    ask: async ({ id }) => {
      const found = await reader.byId((options) => api.connections.list({ client_id: id, limit: 1 }, options))
      return found === undefined ? { is: 'not_found' } : { is: 'there', item: found }
    },
  })
  await mirror.transaction(async (db) => {
    const now = timestamp(context)
    for (const { row, because } of gone) {
      count.gone += 1
      const changes = { gone_at: now, gone_reason: because, changed_at: now, missing_since: null }
      await db.updateTable('clients').set(changes).where('id', '=', row.id).execute()
      // Nothing lists what it had any more.
      for (const table of ['connections', 'accounts'] as const) {
        await db
          .updateTable(table)
          .set(changes)
          .where('client_id', '=', row.id)
          .where('gone_at', 'is', null)
          .execute()
      }
    }
    for (const { row } of there) {
      await db
        .updateTable('clients')
        .set({ missing_since: row.missing_since ?? now })
        .where('id', '=', row.id)
        .execute()
    }
    await advance(context, db, stream, { ...completed(context), complete_walk: walk })
  })
}
