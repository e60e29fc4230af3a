/** What a bank holds and the Connection did not know: accounts opened later, older history. */
import { accountOpenedLater } from '../catalog/accounts-for-link.ts'
import { addDays } from '../catalog/calendar.ts'
import { transactionsSince } from '../catalog/new-transactions.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import { storeAccount, storeTransaction } from './account-storage.ts'
import { type Engine, isoNow } from './engine.ts'
import { linkOf } from './linking.ts'

/** Accounts opened at the bank since the link join the Connection. */
export function shareOpenedAccounts(engine: Engine, row: ConnectionRow): void {
  const { store } = engine
  const held = store.accounts.ofConnection(row.seq).length
  const now = isoNow(engine)
  for (let count = 1; count <= row.unshared_accounts; count += 1) {
    const seed = accountOpenedLater(linkOf(engine, row), held + count)
    storeAccount(engine, { tenant: row.tenant, client: row.client, connection: row.seq }, seed, () => now)
  }
  store.connections.change(row.seq, { unshared_accounts: 0 })
}

/** The month before what is held, which changes no balance. False when nothing is held. */
export function backfill(engine: Engine, account: AccountRow): boolean {
  const { oldest_transaction_date: oldest } = account
  if (oldest === null) return false
  const older = transactionsSince({
    account,
    from: addDays(oldest, -31),
    to: addDays(oldest, -1),
    random: engine.ids.random('backfill'),
  }).map((row) => ({ ...row, pending: false }))
  for (const row of older) storeTransaction(engine, account.seq, row, isoNow(engine))
  engine.store.accounts.change(account.seq, {
    oldest_transaction_date: engine.store.transactions.dates(account.seq).oldest,
    updated_at: isoNow(engine),
  })
  return older.length > 0
}
