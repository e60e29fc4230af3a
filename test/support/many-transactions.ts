/** Fills an emulator's data folder with very many transactions of one account, for tests of long lists. */
import { join } from 'node:path'
import { startEmulator } from '../../src/emulator/start.ts'
import { openStore } from '../../src/emulator/store/store.ts'

/** The account; it belongs to cli_demo. */
export const busyAccount = 'acc_FDE_12301'

/** Adds transactions until the account has exactly `count`. The emulator must not be running. */
export async function seedTransactions(emulatorFolder: string, count: number): Promise<void> {
  const emulator = await startEmulator({ port: 0, livePort: 0, dataDir: emulatorFolder })
  await emulator.stop()
  const store = openStore(join(emulatorFolder, 'emulator.db'))
  const account = store.db.get<{ seq: number }>(
    `SELECT a.seq FROM accounts a JOIN tenants t ON t.seq = a.tenant
      WHERE a.id = ? AND t.environment = 'sandbox' AND t.customer = 'A'`,
    busyAccount,
  )?.seq
  if (account === undefined) throw new Error(`the emulator has no ${busyAccount}`)
  const held = 'SELECT count(*) AS n FROM transactions WHERE account = ? AND retracted = 0'
  const there = store.db.get<{ n: number }>(held, account)?.n ?? 0
  store.db.transaction(() => {
    for (let number = there; number < count; number++) store.transactions.add(account, transaction(number))
  })
  store.close()
}

function transaction(number: number) {
  const day = new Date(Date.UTC(2020, 0, 1) + (number % 2000) * 86_400_000).toISOString()
  return {
    id: `txn_FDE_${number.toString(16).padStart(16, '0')}`,
    amount: -((number * 37) % 20_000) / 100,
    iso_currency_code: 'USD',
    date: day.slice(0, 10),
    description: `HILLTOP GROCERS ${number % 1000} PORTLAND OR`,
    external_id: null,
    merchant_name: 'Hilltop Grocers',
    category: 'groceries',
    pending: false,
    created_at: day,
  }
}
