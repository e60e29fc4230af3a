/** Seeds the data of the first start: both customers in both environments, with keys that follow from the seed. */
import { scopes } from '../contract/scopes.ts'
import { keyPrefixes } from '../contract/service.ts'
import type { CrowdSize } from './catalog/crowd-model.ts'
import { demoData } from './catalog/demo-data.ts'
import type { ClientSeed, ConnectionSeed } from './catalog/seed-rows.ts'
import { storeAccount } from './engine/accounts.ts'
import { addKey } from './engine/api-keys.ts'
import { firstCapabilities } from './engine/capabilities.ts'
import { type Engine, today } from './engine/engine.ts'
import { derived } from './engine/ids.ts'
import { scheduleDailyRefresh } from './engine/schedule.ts'
import { checkCrowdSize, seedCrowd } from './seed-crowd.ts'
import type { Customer, Environment, Tenant } from './store/customers.ts'

const environments: readonly Environment[] = ['sandbox', 'live']

/** The key of a customer that a start prints; it is the same for the same seed. */
export function firstKey(seed: number, environment: Environment, customer: Customer): string {
  return `${keyPrefixes[environment]}${derived(seed, 'key', environment, customer).slice(0, 40)}`
}

export function portalSecret(seed: number, environment: Environment): string {
  return `portal_${derived(seed, 'portal', environment).slice(0, 32)}`
}

export interface Data {
  /** Forgets what is there and makes the first start's data. */
  makeAnew(): void
}

/** Makes the data where there is none, and frees what a killed emulator held. Throws RangeError for an impossible crowd. */
export function openData(engine: Engine, seed: number, wanted: CrowdSize | undefined): Data {
  const { store } = engine
  const crowd = crowdOf(engine, wanted)
  if (crowd) checkCrowdSize(crowd)
  // A crowd takes several transactions; what an interrupted start left of it is not marked as seeded, and goes.
  const makeAnew = () => {
    store.db.transaction(() => {
      store.clear()
      store.meta.set('seed', String(seed))
      if (crowd) store.meta.set('crowd', JSON.stringify(crowd))
      seedStore(engine, seed)
    })
    if (crowd) store.db.bulk(() => seedCrowd(engine, seed, crowd))
    store.meta.set('seeded', 'yes')
  }
  if (store.meta.get('seeded') === undefined) makeAnew()
  store.idempotentRequests.abandonAll()
  return { makeAnew }
}

/** The size asked for when the data is first made; from then on the stored one, which a reset makes again. */
function crowdOf({ store: { meta } }: Engine, wanted: CrowdSize | undefined): CrowdSize | undefined {
  if (meta.get('seed') === undefined) return wanted
  const stored = meta.get('crowd')
  return stored === undefined ? undefined : (JSON.parse(stored) as CrowdSize)
}

/** Fills an empty store, all of it or nothing. */
function seedStore(engine: Engine, seed: number): void {
  const { customers } = demoData(seed, today(engine))
  engine.store.db.transaction(() => {
    for (const environment of environments) {
      for (const { name, clients } of customers) {
        const tenant = engine.store.tenants.add(environment, name)
        addKey(engine, tenant, firstKey(seed, environment, name), scopes)
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
