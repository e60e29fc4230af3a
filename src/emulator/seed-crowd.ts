/** Seeds a crowd of Clients for load tests: copies of one person under ids of their own. */
import { accountNumber } from './catalog/account-seed.ts'
import { type CrowdSize, crowdModel } from './catalog/crowd-model.ts'
import type { AccountSeed } from './catalog/seed-rows.ts'
import { firstCapabilities } from './engine/capabilities.ts'
import { type Engine, isoNow, today } from './engine/engine.ts'
import { day } from './engine/schedule.ts'

/** Clients in one transaction of the store: large enough to be quick, small enough for its log. */
const together = 500

const source = 'AGGREGATOR_A'

/**
 * Adds customer A's crowd in the sandbox: `cli_crowd_000001` and so on, each with one Connection. Not all or nothing: the
 * caller notes when it is done.
 */
export function seedCrowd(engine: Engine, seed: number, size: CrowdSize): void {
  const { db, copiedHistories, tenants } = engine.store
  const tenant = tenants.all().find((one) => one.environment === 'sandbox' && one.customer === 'A')
  if (!tenant) throw new Error('the crowd needs customer A')
  const model = crowdModel(seed, today(engine), size)
  const histories = model.map(({ transactions }) =>
    transactions.map(({ id: _id, account_id: _account, external_id: _external, ...row }) => ({
      ...row,
      created_at: `${row.date}T12:00:00.000Z`,
    })),
  )
  copiedHistories.between(histories, () => {
    for (let first = 1; first <= size.clients; first += together) {
      db.transaction(() => {
        const last = Math.min(size.clients, first + together - 1)
        for (let number = first; number <= last; number += 1) {
          // Spread over the day, as a service would spread its daily refreshes.
          const firstRefresh = Math.floor((day * number) / size.clients)
          addMember(engine, tenant.seq, number, model, firstRefresh)
        }
      })
    }
  })
}

/** Throws RangeError for a size that cannot be made. */
export function checkCrowdSize({ clients, accounts, transactions }: CrowdSize): void {
  const whole = [clients, accounts, transactions].every((count) => Number.isSafeInteger(count) && count >= 0)
  if (!whole || accounts < 1 || accounts > 99) {
    throw new RangeError('a crowd has whole numbers of Clients, of accounts (1 to 99) and of transactions')
  }
}

function addMember(
  engine: Engine,
  tenant: number,
  number: number,
  model: readonly AccountSeed[],
  firstRefresh: number,
): void {
  const { store } = engine
  const name = String(number).padStart(6, '0')
  const bankAccountId = `crowd${name}`
  const at = isoNow(engine)
  const client = store.clients.add(tenant, {
    id: `cli_crowd_${name}`,
    email: `crowd-${name}@mail.example`,
    name: `Crowd ${name}`,
    external_id: `crowd-${name}`,
    created_at: at,
  })
  const connection = store.connections.add({
    tenant,
    client,
    placeholder_id: null,
    id: `con_${source}_${bankAccountId}`,
    institution_id: 'ins_a_ok',
    source,
    status: 'active',
    reached_active: 1,
    created_at: at,
    updated_at: at,
    last_refreshed_at: at,
    last_error: null,
    capabilities: JSON.stringify(firstCapabilities(source, at)),
    widget_token: null,
    redirect_url: null,
    bank_account_id: bankAccountId,
    syncs: 0,
    recovered: 0,
    unshared_accounts: 0,
  })
  engine.schedule.add(firstRefresh, { kind: 'daily_refresh', connection })
  for (const [index, { account: row }] of model.entries()) {
    const { client_id: _client, connection_id: _connection, liabilities, ...account } = row
    const numbered = accountNumber(bankAccountId, index + 1)
    const seq = store.accounts.add(tenant, client, {
      ...account,
      id: `acc_${source}_${numbered}`,
      connection,
      liabilities: liabilities && JSON.stringify(liabilities),
    })
    store.copiedHistories.copy(index, seq, `txn_${source}_${numbered}_`)
  }
}
