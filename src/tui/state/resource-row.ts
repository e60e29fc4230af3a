/** Clients, Connections, accounts and transactions as rows of a list. Every text in them is safe to show. */

export const resourceKinds = ['clients', 'connections', 'accounts', 'transactions'] as const
export type ResourceKind = (typeof resourceKinds)[number]

export interface ResourceRow {
  readonly id: string
  readonly kind: ResourceKind
  /** Its texts by the name of their column. */
  readonly cells: Readonly<Record<string, string>>
  readonly type: string | undefined
  readonly status: string | undefined
  /** Somebody has to act on it. */
  readonly failed: boolean
  /** Money came in. */
  readonly income: boolean
  readonly clientId: string | undefined
  readonly connectionId: string | undefined
  readonly docUrl: string | undefined
  /** Of a transaction: the balance after it, in major units; undefined when it cannot be told. */
  readonly balance: number | undefined
}

/** What a list of resources belongs to. */
export interface Parent {
  readonly clientId?: string | undefined
  readonly connectionId?: string | undefined
  readonly accountId?: string | undefined
  /** Shown in the title. */
  readonly name: string
}

/** The kind of list below a row of this kind. */
export const kindBelow: Readonly<Record<ResourceKind, ResourceKind | undefined>> = {
  clients: 'connections',
  connections: 'accounts',
  accounts: 'transactions',
  transactions: undefined,
}

/** What the list below a row belongs to; undefined when there is none. */
export function parentOf(row: ResourceRow): Parent | undefined {
  const { id, kind, clientId, connectionId } = row
  const name = row.cells['name'] ?? id
  switch (kind) {
    case 'clients':
      return { clientId: id, name }
    case 'connections':
      return { clientId, connectionId: id, name }
    case 'accounts':
      return clientId === undefined ? undefined : { clientId, connectionId, accountId: id, name }
    case 'transactions':
      return undefined
  }
}
