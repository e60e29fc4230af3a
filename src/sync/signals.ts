/** Reads from an event what is to be read again (rule 7): a delivery is a signal, never data. */
import type { Parts } from './client-sync.ts'
import type { Mirror } from './mirror/mirror.ts'

export interface Signal {
  /** Ids of each kind, wherever the event has them: their place is not documented. */
  readonly clients: ReadonlySet<string>
  readonly connections: ReadonlySet<string>
  readonly accounts: ReadonlySet<string>
  readonly parts: Parts
}

const none: Parts = { connections: false, accounts: false, statements: new Set() }

/** Undefined for an event that says nothing about data, such as a test. */
export function signalOf(event: unknown): Signal | undefined {
  const { type, data } = (typeof event === 'object' && event !== null ? event : {}) as {
    readonly type?: unknown
    readonly data?: unknown
  }
  if (type === 'webhook.test') return undefined
  const ids = { cli: new Set<string>(), con: new Set<string>(), acc: new Set<string>() }
  collect(data, ids)
  return {
    clients: ids.cli,
    connections: ids.con,
    accounts: ids.acc,
    parts: partsOf(typeof type === 'string' ? type : '', ids.acc),
  }
}

/** The Clients that a signal is about: named, or those of a Connection or account that the mirror has. */
export async function namedClients(
  { db }: Pick<Mirror, 'db'>,
  { clients, connections, accounts }: Signal,
): Promise<ReadonlySet<string>> {
  for (const [table, ids] of [
    ['connections', connections],
    ['accounts', accounts],
  ] as const) {
    if (clients.size > 0 || ids.size === 0) continue
    const rows = await db
      .selectFrom(table)
      .select('client_id')
      .where('id', 'in', [...ids])
      .execute()
    if (rows.length > 0) return new Set(rows.map(({ client_id }) => client_id))
  }
  return clients
}

/** An event of a type that came later than this program says which Client it is about, and that is read whole. */
function partsOf(type: string, accounts: ReadonlySet<string>): Parts {
  if (type.startsWith('account.refresh.')) return { ...none, accounts: true }
  if (type === 'statement.available') return { ...none, statements: accounts.size > 0 ? accounts : 'all' }
  return { ...none, connections: true, accounts: true }
}

export function merged(one: Parts, other: Parts): Parts {
  return {
    connections: one.connections || other.connections,
    accounts: one.accounts || other.accounts,
    statements:
      one.statements === 'all' || other.statements === 'all'
        ? 'all'
        : new Set([...one.statements, ...other.statements]),
  }
}

const MAX_DEPTH = 8

function collect(value: unknown, ids: Record<'cli' | 'con' | 'acc', Set<string>>, depth = 0): void {
  if (typeof value === 'string') {
    const [, kind] = /^(cli|con|acc)_\S{1,200}$/.exec(value) ?? []
    if (kind !== undefined) ids[kind as keyof typeof ids].add(value)
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    for (const inner of Object.values(value)) collect(inner, ids, depth + 1)
  }
}
