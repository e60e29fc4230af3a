import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../src/emulator.ts'
import { describeSchema, schemaSql } from '../../src/sync/mirror/schema.ts'
import { mirrorStatus } from '../../src/sync/status.ts'
import { temporaryFolder } from '../support/machine.ts'
import { openedMirror, synced } from '../support/mirrors.ts'
import { until } from '../support/until.ts'
import { startWatch, type Watching } from '../support/watching.ts'

const hour = 3_600_000
const crowd = { clients: 1, accounts: 1, transactions: 3 }
const other = 'cli_crowd_000001'

const statusOf = (
  { mirror }: Watching,
  { later = 0, maxAgeMs }: { later?: number; maxAgeMs?: number } = {},
) => mirrorStatus(mirror, { now: Date.now() + later, maxAgeMs, limit: 10 })

describe('status', () => {
  test('of a mirror that is complete: rows and ages, per kind and per Client', async () => {
    await using emulator = await startEmulator({ crowd })
    const watching = await startWatch(emulator)
    await watching.stop()
    const status = await statusOf(watching, { later: hour, maxAgeMs: 24 * hour })
    expect(status).toMatchObject({
      state: 'fresh',
      environment: 'local',
      last_run: { outcome: 'complete' },
      failing: [],
    })
    const { rows = 0, behind_seconds: behind = 0 } =
      status.kinds.find(({ kind }) => kind === 'transactions') ?? {}
    expect(rows).toBe(status.clients.reduce((sum, client) => sum + client.rows, 0))
    expect(behind).toBeGreaterThanOrEqual(3600)
    expect(status.clients.find(({ client_id }) => client_id === other)).toMatchObject({
      rows: 3,
      state: 'fresh',
    })
  })

  test('something older than --max-age is stale; statements and checks may be a day older', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    await watching.stop()
    expect((await statusOf(watching, { later: 25 * hour })).state).toBe('fresh')
    const { state, kinds } = await statusOf(watching, { later: 25 * hour, maxAgeMs: 24 * hour })
    expect(state).toBe('stale')
    expect(kinds.map((each) => each.state)).toEqual(['stale', 'stale', 'stale', 'stale', 'fresh', 'fresh'])
    const later = await statusOf(watching, { later: 49 * hour, maxAgeMs: 24 * hour })
    expect(later.kinds.map((each) => each.state)).not.toContain('fresh')
  })

  test('a Client whose accounts fail is never called fresh, and is named first', async () => {
    await using emulator = await startEmulator({ crowd })
    const watching = await startWatch(emulator)
    emulator.faults.add({ pattern: 'GET /accounts', status: 422 })
    watching.watch.deliver({ type: 'account.refresh.failed', data: { account: { client_id: other } } })
    await until(() => watching.of('reread').length, 'the reading')
    await watching.stop()
    const status = await statusOf(watching)
    expect(status.state).toBe('failing')
    expect(status.clients.map(({ client_id, state }) => [client_id, state])).toEqual([
      [other, 'failing'],
      ['cli_demo', 'fresh'],
    ])
    expect(status.clients[0]?.failing).toMatchObject([{ kind: 'accounts', subject: other, failures: 1 }])
    expect(status.kinds.find(({ kind }) => kind === 'accounts')).toMatchObject({
      state: 'failing',
      failing: 1,
    })
  })

  test('what was never read to its end is unfinished: nothing at all, and the middle of a run', async () => {
    await using emulator = await startEmulator({ latency: '10ms' })
    const watching = await startWatch(emulator, { first: false })
    const nothing = await statusOf(watching)
    expect(nothing).toMatchObject({ state: 'unfinished', clients: [] })
    expect(nothing.kinds.map(({ state }) => state)).toEqual(Array(6).fill('unfinished'))
    const { db } = watching.mirror
    await until(() => db.selectFrom('accounts').select('id').limit(1).executeTakeFirst(), 'accounts')
    await watching.stop()
    expect(await statusOf(watching)).toMatchObject({
      state: 'unfinished',
      clients: [{ state: 'unfinished' }],
    })
  })

  test('a Client that was listed and no more is unfinished, and so is an account that no walk began', async () => {
    await using emulator = await startEmulator({ crowd })
    const watching = await startWatch(emulator)
    await watching.stop()
    const { db } = watching.mirror
    await db
      .deleteFrom('streams')
      .where('client_id', '=', other)
      .where('kind', 'in', ['connections', 'accounts'])
      .execute()
    const stateOf = async () =>
      (await statusOf(watching)).clients.map(({ client_id, state }) => [client_id, state])
    expect(await stateOf()).toEqual([
      [other, 'unfinished'],
      ['cli_demo', 'fresh'],
    ])
    const { subject } = await db
      .selectFrom('streams')
      .select('subject')
      .where('kind', '=', 'transactions')
      .executeTakeFirstOrThrow()
    await db.deleteFrom('streams').where('kind', '=', 'transactions').where('subject', '=', subject).execute()
    expect((await stateOf()).map(([, state]) => state)).toEqual(['unfinished', 'unfinished'])
  })

  test('a kind that the key has no scope for is named, and is no failure', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    await watching.stop()
    const { db } = watching.mirror
    const { summary } = await db.selectFrom('runs').select('summary').executeTakeFirstOrThrow()
    const missing_scopes = [{ kind: 'checks', message: 'no scope' }]
    await db
      .updateTable('runs')
      .set({ summary: JSON.stringify({ ...JSON.parse(summary ?? ''), missing_scopes }) })
      .execute()
    await db.updateTable('streams').set({ complete_at: null }).where('kind', '=', 'checks').execute()
    const { state, kinds, clients } = await statusOf(watching, { maxAgeMs: hour })
    expect([state, clients[0]?.state, kinds.at(-1)?.state]).toEqual(['fresh', 'fresh', 'missing_scope'])
  })
})

describe('status without the scope of transactions', () => {
  test('names that at each Client, and calls neither them nor the whole fresh', async () => {
    await using emulator = await startEmulator({ crowd })
    const response = await fetch(`${emulator.baseUrl}/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['read:clients', 'read:connections', 'read:accounts'] }),
    })
    const { secret } = (await response.json()) as { secret: string }
    const mirror = await openedMirror(join(temporaryFolder(), 'mirror.sqlite'))
    await synced(mirror, { baseUrl: emulator.baseUrl, apiKey: secret })
    const limits = { now: Date.now(), maxAgeMs: hour, limit: 10 }
    const { state, clients, kinds } = await mirrorStatus(mirror, limits)
    expect(kinds.find(({ kind }) => kind === 'transactions')?.state).toBe('missing_scope')
    expect(clients.map((client) => client.state)).toEqual(['missing_scope', 'missing_scope'])
    expect(state).toBe('missing_scope')
    await synced(mirror, emulator)
    expect((await mirrorStatus(mirror, limits)).state).toBe('fresh')
  })
})

describe('schema', () => {
  test('says of every column of every table and view what it means', () => {
    const described = describeSchema()
    expect(described.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ledger', 'streams', 'clients']),
    )
    for (const { name, means, columns } of described) {
      expect(means, name).toMatch(/^[A-Z]/)
      for (const column of columns) expect(column.means, `${name}.${column.name}`).not.toBe('')
    }
    const net = described.find(({ name }) => name === 'cashflow_monthly')?.columns
    expect(net?.map(({ name }) => name)).toContain('net_minor')
  })

  test('the statements are those of the store', () => {
    expect(schemaSql('sqlite')).toContain('"amount" TEXT')
    expect(schemaSql('postgres')).toContain('"amount" numeric')
    for (const sql of [schemaSql('sqlite'), schemaSql('postgres')]) {
      expect(sql).toMatch(/^CREATE TABLE "clients"/)
      expect(sql).toMatch(/CREATE (?:OR REPLACE )?VIEW (?:bankapi\.)?"ledger"/)
      expect(sql).not.toMatch(/DROP|INSERT/)
    }
  })
})
