/** Seeds the data of the first start: both customers in both environments, with their keys. */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { scopes } from '../contract/scopes.ts'
import { keyPrefixes } from '../contract/service.ts'
import type { CrowdSize } from './catalog/crowd-model.ts'
import { demoData } from './catalog/demo-data.ts'
import type { ClientSeed, ConnectionSeed } from './catalog/seed-rows.ts'
import { storeAccount } from './engine/accounts.ts'
import { addKey } from './engine/api-keys.ts'
import { firstCapabilities } from './engine/capabilities.ts'
import { type Engine, today } from './engine/engine.ts'
import { derived, type RootSecret } from './engine/ids.ts'
import { scheduleDailyRefresh } from './engine/schedule.ts'
import { checkCrowdSize, seedCrowd } from './seed-crowd.ts'
import type { Customer, Environment, Tenant } from './store/customers.ts'
import type { Store } from './store/store.ts'

const environments: readonly Environment[] = ['sandbox', 'live']

/** What the data of a store is made from. */
export interface Origin {
  readonly seed: number
  readonly root: RootSecret
}

/** The stored origin; for an empty store one with a random root, unless a seed is asked for. */
export function originOf({ meta }: Store, asked: number | undefined): Origin {
  const stored = meta.get('seed')
  if (stored === undefined) return { seed: asked ?? 1, root: asked ?? randomBytes(32).toString('hex') }
  return { seed: Number(stored), root: meta.get('root_secret') ?? Number(stored) }
}

/** The key of a customer that a start prints; it is the same at every start. */
export function firstKey(root: RootSecret, environment: Environment, customer: Customer): string {
  return `${keyPrefixes[environment]}${derived(root, 'key', environment, customer).slice(0, 40)}`
}

export function portalSecret(root: RootSecret, environment: Environment): string {
  return `portal_${derived(root, 'portal', environment).slice(0, 32)}`
}

export interface Data {
  /** Forgets what is there and makes the first start's data. */
  makeAnew(): void
}

/** Makes the data where there is none, and frees what a killed emulator held. Throws RangeError for an impossible crowd. */
export function openData(engine: Engine, { seed, root }: Origin, wanted: CrowdSize | undefined): Data {
  const { store } = engine
  const crowd = crowdOf(engine, wanted)
  if (crowd) checkCrowdSize(crowd)
  // A crowd takes several transactions; what an interrupted start left of it is not marked as seeded, and goes.
  const makeAnew = () => {
    store.db.transaction(() => {
      store.clear()
      store.meta.set('seed', String(seed))
      if (typeof root === 'string') store.meta.set('root_secret', root)
      if (crowd) store.meta.set('crowd', JSON.stringify(crowd))
      seedStore(engine, { seed, root })
    })
    if (crowd) store.db.bulk(() => seedCrowd(engine, seed, crowd))
    store.meta.set('seeded', 'yes')
  }
  if (store.meta.get('seeded') === undefined) makeAnew()
  store.idempotentRequests.abandonAll()
  return { makeAnew }
}

/**
 * The size asked for when the data is first made; from then on the stored one, which a reset makes again. Throws
 * RangeError when another is asked for then.
 */
function crowdOf({ store: { meta } }: Engine, wanted: CrowdSize | undefined): CrowdSize | undefined {
  if (meta.get('seed') === undefined) return wanted
  const text = meta.get('crowd')
  const stored = text === undefined ? undefined : (JSON.parse(text) as CrowdSize)
  if (wanted && !isDeepStrictEqual(wanted, stored)) {
    const held = stored
      ? `a crowd of ${stored.clients}x${stored.accounts}x${stored.transactions}`
      : 'no crowd'
    throw new RangeError(`the data that is there was made with ${held}`)
  }
  return stored
}

/** Fills an empty store, all of it or nothing. */
function seedStore(engine: Engine, { seed, root }: Origin): void {
  const { customers } = demoData(seed, today(engine))
  engine.store.db.transaction(() => {
    for (const environment of environments) {
      for (const { name, clients } of customers) {
        const tenant = engine.store.tenants.add(environment, name)
        addKey(engine, tenant, firstKey(root, environment, name), scopes)
        for (const client of clients) seedClient(engine, tenant, client)
      }
    }
  })
}

function seedClient(
  engine: Engine,
  tenant: Tenant,
  { connections, pdfAccounts, ...client }: ClientSeed,
): void {
  const seq = engine.store.clients.add(tenant.seq, client)
  for (const connection of connections) seedConnection(engine, tenant.seq, seq, connection)
  for (const account of pdfAccounts) {
    storeAccount(engine, { tenant: tenant.seq, client: seq, connection: null }, account, recordedAt)
  }
}

function seedConnection(engine: Engine, tenant: number, client: number, seed: ConnectionSeed): void {
  const { accounts, ...row } = seed
  const connection = engine.store.connections.add({
    ...row,
    tenant,
    client,
    placeholder_id: null,
    reached_active: 1,
    last_error: null,
    capabilities: JSON.stringify(firstCapabilities(row.source, row.last_refreshed_at)),
    widget_token: null,
    redirect_url: null,
    bank_account_id: row.id.slice(`con_${row.source}_`.length),
    syncs: 0,
    recovered: 0,
    unshared_accounts: 0,
  })
  for (const account of accounts) storeAccount(engine, { tenant, client, connection }, account, recordedAt)
  scheduleDailyRefresh(engine, connection)
}

/** History was recorded on its own days. */
function recordedAt(date: string): string {
  return `${date}T12:00:00.000Z`
}
