/** Reads everything of the service with its own loop over fetch, for comparison with what a sync made of it. */
import type { EmulatorEnvironment } from '../../src/emulator.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers, compared as it is
type Item = any

/** Rows by their id. */
export type Rows = ReadonlyMap<string, Item>

export interface WalkedAccount {
  readonly account: Item
  readonly clientId: string
  readonly transactions: Rows
  readonly statements: Rows
  readonly checks: Rows
}

export interface Walked {
  readonly clients: Rows
  readonly connections: Rows
  readonly accounts: ReadonlyMap<string, WalkedAccount>
}

type Service = Pick<EmulatorEnvironment, 'baseUrl' | 'apiKey'>

export async function listAll({ baseUrl, apiKey }: Service, path: string): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor: string | undefined; ; ) {
    const query = `limit=500${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const response = await fetch(`${baseUrl}${path}${path.includes('?') ? '&' : '?'}${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const page = (await response.json()) as Item
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(page)}`)
    found.push(...page.data)
    if (!page.has_more) return found
    cursor = page.next_cursor
  }
}

/** Everything, or with `wanted` the rows of these accounts alone, perhaps of a listing of before. */
export async function walkAll(
  service: Service,
  wanted: (accountId: string) => boolean = () => true,
  listing?: Walked,
): Promise<Walked> {
  const list = async (path: string): Promise<Rows> =>
    new Map((await listAll(service, path)).map((item) => [item.id, item]))
  const clients = listing?.clients ?? (await list('/clients'))
  const connections = new Map<string, Item>(listing?.connections)
  const accounts = new Map<string, WalkedAccount>(listing?.accounts)
  for (const clientId of listing === undefined ? clients.keys() : []) {
    for (const [id, item] of await list(`/clients/${clientId}/connections`)) connections.set(id, item)
    const none = new Map()
    for (const [id, account] of await list(`/accounts?client_id=${clientId}`)) {
      accounts.set(id, { account, clientId, transactions: none, statements: none, checks: none })
    }
  }
  for (const [id, walked] of accounts) {
    if (!wanted(id)) continue
    const of = (kind: string) => list(`/accounts/${id}/${kind}?client_id=${walked.clientId}`)
    const { source } = walked.account
    accounts.set(id, {
      ...walked,
      transactions: await of('transactions'),
      statements: source === 'PDF' ? new Map() : await of('statements'),
      checks: source === 'FDE' ? await of('checks') : new Map(),
    })
  }
  return { clients, connections, accounts }
}
