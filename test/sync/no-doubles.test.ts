import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { startEmulator } from '../../src/emulator.ts'
import { temporaryFolder } from '../support/machine.ts'
import { syncOnce } from '../support/sync-run.ts'

/** What two mirrors of the same service have in common: all but when each of them saw it. */
function contentOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = (view: string) =>
    database
      .prepare(`SELECT * FROM ${view} ORDER BY account_id, id`)
      .all()
      .map(({ first_seen_at: _first, changed_at: _changed, ...row }) => row)
  const ids = (table: string, key: string) =>
    database.prepare(`SELECT ${key} FROM ${table} WHERE gone_at IS NULL ORDER BY ${key}`).all()
  const content = {
    ledger: rows('ledger'),
    pending: rows('pending'),
    clients: ids('clients', 'id'),
    connections: ids('connections', 'id'),
    accounts: ids('accounts', 'id'),
    transactions: ids('transactions', 'account_id, id'),
    statements: ids('statements', 'account_id, id'),
    checks: ids('checks', 'account_id, id'),
  }
  database.close()
  return content
}

test('after ten days of daily runs the mirror has what a fresh one has, row by row', async () => {
  await using emulator = await startEmulator({ seed: 1, frozenAt: '2026-03-10T12:00:00.000Z' })
  const { baseUrl, apiKey } = emulator
  const daily = join(temporaryFolder(), 'daily.sqlite')
  const fresh = join(temporaryFolder(), 'fresh.sqlite')
  let gone = 0
  let settled = 0
  for (let day = 0; day <= 10; day += 1) {
    const { outcome, counts } = await syncOnce({ baseUrl, apiKey, to: daily })
    expect(outcome).toBe('complete')
    gone += counts.transactions.gone
    settled += counts.transactions.settled
    if (day < 10) await emulator.advance('24h')
  }
  await syncOnce({ baseUrl, apiKey, to: fresh })
  // Charges were settled in both ways meanwhile: under their ids, and reissued under others.
  expect([gone > 0, settled > 0]).toEqual([true, true])
  const content = contentOf(daily)
  expect(content.ledger.length).toBeGreaterThan(1000)
  expect(content).toEqual(contentOf(fresh))
})
