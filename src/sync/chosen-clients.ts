/** Finds the Clients that a run was given (`--client`). */
import type { ClientContext } from './client-sync.ts'
import { byId, mergeRows } from './listing.ts'
import { MirrorError } from './mirror/mirror-error.ts'
import { cleaned, clientRow } from './rows.ts'

/**
 * Finds them in the listing, which is the only place that shows them; what the mirror knows is not listed again. Those that are
 * not found are failures of the run, unless `mayBeUnknown`.
 * @throws MirrorError `unknown_client` or `client_forgotten` when that leaves none.
 */
export async function* findClients(
  context: ClientContext,
  chosen: readonly string[],
  mayBeUnknown: boolean,
): AsyncGenerator<readonly string[]> {
  const { db } = context.mirror
  const forgotten = await db
    .selectFrom('forgotten_clients')
    .select('client_id')
    .where('client_id', 'in', [...chosen])
    .execute()
  const erased = new Set(forgotten.map(({ client_id }) => client_id))
  const wanted = new Set(chosen.filter((id) => !erased.has(id)))
  const known = await db
    .selectFrom('clients')
    .select('id')
    .where('id', 'in', [...wanted])
    .where('gone_at', 'is', null)
    .execute()
  const found = new Set<string>()
  if (known.length === wanted.size) {
    for (const { id } of known) found.add(id)
    yield [...found]
  } else {
    for await (const ids of listOnly(context, wanted)) {
      for (const id of ids) found.add(id)
      yield ids
      if (found.size === wanted.size) break
    }
  }
  if (mayBeUnknown) return
  const unknown = [...wanted].filter((id) => !found.has(id))
  if (found.size === 0) throw unknown.length > 0 ? isUnknown(unknown) : isForgotten([...erased])
  for (const error of [
    ...unknown.map((id) => isUnknown([id])),
    ...[...erased].map((id) => isForgotten([id])),
  ]) {
    const [subject = ''] = error.clients
    context.onFailure({
      kind: 'clients',
      subject,
      clientId: subject,
      code: error.code,
      message: error.sentence,
      error,
    })
  }
}

/** Lists Clients and stores these alone: no listing of all of them is begun or ended by that. */
async function* listOnly(
  context: ClientContext,
  wanted: ReadonlySet<string>,
): AsyncGenerator<readonly string[]> {
  const { mirror, reader, counts } = context
  for await (const page of reader.pages(reader.api.clients.list, {}, { ahead: true })) {
    const clients = [...byId(page.data.map(cleaned)).values()].filter(({ id }) => wanted.has(id))
    if (clients.length === 0) continue
    const ids = clients.map(({ id }) => id)
    await mirror.transaction(async (db) => {
      const stored = await db
        .selectFrom('clients')
        .select(['id', 'fingerprint', 'gone_at', 'missing_since', 'listed_in'])
        .where('id', 'in', ids)
        .execute()
      const before = byId(stored)
      // A new one was in no listing of all of them: the next one looks for it.
      const rows = clients.map((client) => ({
        ...clientRow(client),
        listed_in: before.get(client.id)?.listed_in ?? 0,
      }))
      await mergeRows(context, db, { table: 'clients', rows, stored: before, counts: counts.of('clients') })
    })
    yield ids
  }
}

type Absent = MirrorError & { readonly clients: readonly string[] }

function isUnknown(clients: readonly string[]): Absent {
  const error = new MirrorError(
    'unknown_client',
    `The service lists no Client ${clients.join(', ')} with this key`,
    'Its Clients: bankapi clients list',
    { exit: 'notFound' },
  )
  return Object.assign(error, { clients })
}

function isForgotten(clients: readonly string[]): Absent {
  const error = new MirrorError(
    'client_forgotten',
    `The mirror has forgotten ${clients.join(', ')} for good: bankapi sync forget erased it, and no run reads it again`,
    'Another mirror may have it: --to',
    { exit: 'notFound' },
  )
  return Object.assign(error, { clients })
}
