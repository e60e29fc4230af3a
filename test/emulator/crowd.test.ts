import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/emulator/store/store.ts'
import { temporaryFolder } from '../support/machine.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const crowd = { clients: 120, accounts: 3, transactions: 40 }
const member = 'cli_crowd_000077'

async function everyPage(emulator: TestEmulator, path: string): Promise<Record<string, unknown>[]> {
  const rows = []
  let cursor = ''
  do {
    const page = await emulator.get(`${path}limit=50${cursor && `&cursor=${cursor}`}`)
    rows.push(...page.data)
    cursor = page.next_cursor ?? ''
  } while (cursor !== '')
  return rows
}

/** Everything of one member, as the API shows it. */
async function belongings(emulator: TestEmulator) {
  const accounts = await everyPage(emulator, `/accounts?client_id=${member}&`)
  const histories = await Promise.all(
    accounts.map(({ id }) => everyPage(emulator, `/accounts/${id}/transactions?client_id=${member}&`)),
  )
  return { accounts, histories }
}

describe('a crowd of Clients for load tests', () => {
  test('has exactly as many Clients, accounts and transactions as asked for, under ids of their own', async () => {
    const emulator = await runningEmulator({ crowd })
    const clients = await everyPage(emulator, '/clients?')
    expect(clients.filter(({ id }) => String(id).startsWith('cli_crowd_'))).toHaveLength(crowd.clients)
    const { accounts, histories } = await belongings(emulator)
    expect(accounts).toHaveLength(crowd.accounts)
    const ids = histories.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(crowd.accounts * crowd.transactions)
    for (const [index, history] of histories.entries()) {
      const dates = history.map(({ date }) => String(date)).sort()
      expect(accounts[index]?.['oldest_transaction_date']).toBe(dates[0])
    }
    const summary = await emulator.get('/metrics/summary')
    expect(summary.active_connections).toBe(3 + crowd.clients)
    expect(summary.linked_accounts).toBeGreaterThan(crowd.clients * crowd.accounts)
  })

  test('behaves like any other Client: its bank refreshes, and tells', async () => {
    const emulator = await runningEmulator({ crowd })
    const listener = await emulator.listen(['account.refresh.completed'])
    const { status } = await emulator.refreshed('con_AGGREGATOR_A_crowd000077')
    expect(status).toBe('succeeded')
    expect(listener.deliveries).toHaveLength(crowd.accounts)
    await emulator.advance(86_400_000)
    expect((await emulator.connection('con_AGGREGATOR_A_crowd000120')).status).toBe('active')
  })

  test('is the same for the same seed, again after a reset, and after a restart', async () => {
    const dataDir = temporaryFolder()
    const kept = await runningEmulator({ crowd, memory: false, dataDir })
    const before = await belongings(kept)
    expect(await belongings(await runningEmulator({ crowd }))).toEqual(before)
    await kept.call('DELETE', '/connections/con_AGGREGATOR_A_crowd000077')
    await kept.stop()
    // The size is remembered: a reset makes the same crowd again without being told.
    const again = await runningEmulator({ memory: false, dataDir })
    expect((await again.connection('con_AGGREGATOR_A_crowd000077')).status).toBe('disconnected')
    await again.reset()
    expect(await belongings(again)).toEqual(before)
  })

  test('a start that was interrupted while making it begins anew', async () => {
    const dataDir = temporaryFolder()
    const first = await runningEmulator({ crowd, memory: false, dataDir })
    const before = await belongings(first)
    await first.stop()
    const store = openStore(join(dataDir, 'emulator.db'))
    store.db.run("DELETE FROM meta WHERE name = 'seeded'")
    store.close()
    const second = await runningEmulator({ memory: false, dataDir })
    expect(await belongings(second)).toEqual(before)
    expect((await second.get('/metrics/summary')).total_clients).toBe(1 + crowd.clients)
  })

  test('data that is there keeps its crowd: another size is refused, the same one is not', async () => {
    const options = { memory: false, dataDir: temporaryFolder() }
    const size = { clients: 2, accounts: 1, transactions: 3 }
    await (await runningEmulator(options)).stop()
    await expect(runningEmulator({ ...options, crowd: size })).rejects.toThrow('was made with no crowd')
    const crowded = { memory: false, dataDir: temporaryFolder() }
    await (await runningEmulator({ ...crowded, crowd: size })).stop()
    await expect(runningEmulator({ ...crowded, crowd })).rejects.toThrow('was made with a crowd of 2x1x3')
    const again = await runningEmulator({ ...crowded, crowd: size })
    expect((await again.get('/metrics/summary')).total_clients).toBe(3)
  })

  test.each([
    { clients: -1, accounts: 1, transactions: 1 },
    { clients: 1, accounts: 100, transactions: 1 },
    { clients: 1, accounts: 1, transactions: 0.5 },
  ])('a size that cannot be made is refused, and nothing is made: %o', async (size) => {
    const options = { memory: false, dataDir: temporaryFolder() }
    await expect(runningEmulator({ ...options, crowd: size })).rejects.toThrow('a crowd has whole numbers')
    const emulator = await runningEmulator(options)
    expect((await emulator.get('/metrics/summary')).total_clients).toBe(1)
  })
})
