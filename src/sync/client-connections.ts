/** Reads every Client's Connections with their accounts from the mirror, for triage: no request is made. */
import type { Account } from '../contract/accounts.ts'
import type { Connection } from '../contract/connections.ts'
import type { ClientConnections } from '../workflows/triage.ts'
import type { Mirror } from './mirror/mirror.ts'
import { MirrorError } from './mirror/mirror-error.ts'

/** Clients read at once. */
const BATCH = 500

export interface MirrorAge {
  /** Since when all of it is complete: the oldest complete reading of a Client's Connections; null when there is none. */
  readonly complete_since: string | null
  /** Clients whose Connections were never read to their end. */
  readonly unfinished: number
}

/** @throws MirrorError for a mirror of another environment. */
export async function mirrorAge({ db, shown }: Mirror, environment: string): Promise<MirrorAge> {
  const mark = await db
    .selectFrom('mirror')
    .select('value')
    .where('name', '=', 'environment')
    .executeTakeFirst()
  if (mark !== undefined && mark.value !== environment)
    throw new MirrorError(
      'other_environment',
      `The mirror ${shown} is of ${mark.value}, not of ${environment}.`,
      `Name the environment: --env ${mark.value}`,
    )
  const streams = await db
    .selectFrom('streams')
    .innerJoin('clients', 'clients.id', 'streams.client_id')
    .select('streams.complete_at')
    .where('streams.kind', '=', 'connections')
    .where('clients.gone_at', 'is', null)
    .execute()
  const times = streams.flatMap(({ complete_at }) =>
    complete_at === null ? [] : [new Date(complete_at).toISOString()],
  )
  return { complete_since: times.toSorted()[0] ?? null, unfinished: streams.length - times.length }
}

/**
 * Clients that have Connections, by id. An account is stale, or not, at the time when it was read: an old mirror says nothing
 * of the banks. Rejects with MirrorError `unknown_client` for a Client that was named and is not there.
 */
export async function* mirroredConnections(
  mirror: Mirror,
  clients: readonly string[] | undefined,
): AsyncGenerator<ClientConnections> {
  const { db } = mirror
  const missing = new Set(clients)
  let after = ''
  for (;;) {
    let query = db
      .selectFrom('clients')
      .select(['id', 'external_id'])
      .where('gone_at', 'is', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
    if (clients !== undefined) query = query.where('id', 'in', [...clients])
    const batch = await query.execute()
    const last = batch.at(-1)
    if (last === undefined) break
    after = last.id
    for (const { id } of batch) missing.delete(id)
    yield* connectionsOf(mirror, batch)
  }
  if (missing.size > 0)
    throw new MirrorError(
      'unknown_client',
      `The mirror ${mirror.shown} has no Client ${[...missing].join(', ')}.`,
      'Bring it up to date: bankapi sync',
      { exit: 'notFound' },
    )
}

async function* connectionsOf(
  { db }: Mirror,
  clients: readonly { readonly id: string; readonly external_id: string | null }[],
): AsyncGenerator<ClientConnections> {
  const ids = clients.map(({ id }) => id)
  const [connections, accounts, events, streams] = await Promise.all([
    db
      .selectFrom('connections')
      .select(['client_id', 'raw'])
      .where('gone_at', 'is', null)
      .where('client_id', 'in', ids)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('accounts')
      .select(['client_id', 'raw'])
      .where('gone_at', 'is', null)
      .where('client_id', 'in', ids)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('connection_events')
      .select(['client_id', 'connection_id', 'changed_at', 'status', 'error_code'])
      .where('client_id', 'in', ids)
      .orderBy('changed_at')
      .execute(),
    db
      .selectFrom('streams')
      .select(['client_id', 'complete_at'])
      .where('kind', '=', 'accounts')
      .where('client_id', 'in', ids)
      .execute(),
  ])
  for (const client of clients) {
    const ofClient = <T extends { readonly client_id: string | null }>(rows: readonly T[]) =>
      rows.filter(({ client_id }) => client_id === client.id)
    const own = ofClient(connections).map(({ raw }) => JSON.parse(raw) as Connection)
    if (own.length === 0) continue
    const read = ofClient(streams)[0]?.complete_at
    yield {
      client,
      connections: own,
      accounts: read == null ? undefined : ofClient(accounts).map(({ raw }) => JSON.parse(raw) as Account),
      now: Date.parse(read ?? ''),
      since: sinceOf(own, ofClient(events)),
    }
  }
}

interface StatusEvent {
  readonly connection_id: string
  readonly changed_at: string
  readonly status: string | null
  readonly error_code: string | null
}

/**
 * When each took its status and error: as the service has it, or when the mirror first saw it, whichever is earlier. The
 * service's `updated_at` moves with other changes, too.
 */
function sinceOf(
  connections: readonly Connection[],
  events: readonly StatusEvent[],
): ReadonlyMap<string, string> {
  return new Map(
    connections.map(({ id, updated_at }) => {
      const own = events.filter(({ connection_id }) => connection_id === id)
      let first = own.at(-1)
      for (const event of own.toReversed()) {
        if (event.status !== first?.status || event.error_code !== first.error_code) break
        first = event
      }
      const seen = first === undefined ? undefined : new Date(first.changed_at).toISOString()
      return [id, seen !== undefined && Date.parse(seen) < Date.parse(updated_at) ? seen : updated_at]
    }),
  )
}
