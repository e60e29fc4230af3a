import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator.ts'
import { systemClock } from '../../src/machine/machine.ts'
import { forgetClient } from '../../src/sync/forget.ts'
import { signalOf } from '../../src/sync/signals.ts'
import { Limiter } from '../../src/workflows/limiter.ts'
import { temporaryFolder } from '../support/machine.ts'
import { mirrorStores } from '../support/mirrors.ts'
import { endClaims } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { contentOf, differences, startWatch, type Watching, walked } from '../support/watching.ts'

const account = 'acc_AGGREGATOR_A_100101'
const connection = 'con_AGGREGATOR_A_1001'

/** Events as the service sends them. */
const completed = (ids: object = { client_id: 'cli_demo' }) => ({
  type: 'account.refresh.completed',
  data: { account: { new_transaction_count: 0, ...ids } },
})
const active = (ids: object = { client_id: 'cli_demo' }) => ({
  type: 'connection.active',
  data: { connection: { status: 'active', ...ids } },
})
const available = (ids: object) => ({ type: 'statement.available', data: { statement: ids } })

/** Counts the requests that fit a pattern from now on. */
function counted(emulator: Emulator, pattern: string): { count: number } {
  const requests = { count: 0 }
  emulator.faults.add({
    pattern,
    meanwhile: () => {
      requests.count += 1
    },
  })
  return requests
}

async function createClient({ baseUrl, apiKey }: Emulator, name: string): Promise<string> {
  const response = await fetch(`${baseUrl}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  return ((await response.json()) as { id: string }).id
}

const postgres = mirrorStores.find(({ name }) => name === 'Postgres')

describe.skipIf(postgres?.missing !== undefined)('several watches on one Postgres', () => {
  test('the schedule runs once however many watch', async () => {
    await using emulator = await startEmulator()
    const to = (await postgres?.place()) ?? ''
    const everyMs = 6 * 3_600_000
    const began = Date.now()
    const one = await startWatch(emulator, { to, everyMs, shared: true })
    const other = await startWatch(emulator, { to, everyMs, shared: true, first: false })
    other.watch.deliver(completed())
    await until(() => other.of('reread').length, 'a reading')
    one.moveOn(everyMs)
    await one.runs(2)
    // What the one has run is not due for the other until as long after it.
    other.moveOn(everyMs)
    other.moveOn(everyMs)
    await other.runs(1)
    expect(other.of('run')[0]?.at).toBeGreaterThanOrEqual(began + 2 * everyMs)
    expect(one.of('run')).toHaveLength(2)
  })

  test('a run that loses its claim on the mirror ends, is said and tried again', async () => {
    await using emulator = await startEmulator()
    const to = (await postgres?.place()) ?? ''
    const watching = await startWatch(emulator, { to, shared: true })
    emulator.bank(account).record({ amount: -7 })
    await heldWalk(emulator, watching, () => watching.moveOn(3_600_000))
    expect(await endClaims(to)).toBe(1)
    await until(() => watching.of('trouble').length, 'what is wrong')
    expect(watching.of('trouble')[0]?.message).toContain('that kept other runs out was lost')
    expect(watching.of('run')).toHaveLength(1)
    watching.moveOn(600_000)
    await watching.runs(2)
    expect(watching.of('run')[1]?.summary.counts.transactions.new).toBe(1)
  })
})

describe('what an event names is read again', () => {
  test('connection.*: the Connections, the accounts and what changed of them', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    const connections = counted(emulator, 'GET /clients/*/connections')
    const accounts = counted(emulator, 'GET /accounts')
    emulator.trigger({ type: 'connection.requires_action', connection })
    const id = emulator.bank(account).record({ amount: -7 })
    watching.watch.deliver(active())
    await until(() => watching.of('reread').length, 'a reading')
    expect(watching.of('reread')[0]).toMatchObject({
      clientId: 'cli_demo',
      what: ['connections', 'accounts', 'transactions'],
      failed: [],
    })
    expect([connections.count, accounts.count]).toEqual([1, expect.any(Number)])
    expect(accounts.count).toBeGreaterThan(0)
    const content = await contentOf(watching.mirror)
    expect(content[`connections ${connection}`]).toMatchObject({ status: 'requires_action' })
    expect(content).toHaveProperty([`transactions ${account} ${id}`])
  })

  test('account.refresh.*: the accounts and what changed of them, whatever the count, and no Connection', async () => {
    await using emulator = await startEmulator()
    const held = emulator.bank(account).record({ amount: -7, pending: true })
    const watching = await startWatch(emulator)
    const connections = counted(emulator, 'GET /clients/*/connections')
    emulator.bank(account).settle(held)
    watching.watch.deliver(completed())
    await until(() => watching.of('reread').length, 'a reading')
    expect(watching.of('reread')[0]).toMatchObject({
      what: ['accounts', 'transactions'],
      counts: { settled: 1 },
    })
    expect(connections.count).toBe(0)
  })

  test('statement.available: the statements of its account alone, although their day is not over', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    const statements = counted(emulator, 'GET /accounts/*/statements')
    const accounts = counted(emulator, 'GET /accounts')
    watching.watch.deliver(available({ id: 'stmt_AGGREGATOR_A_9', account_id: account }))
    await until(() => watching.of('reread').length, 'a reading')
    expect(watching.of('reread')[0]?.what).toEqual(['statements'])
    expect([statements.count, accounts.count]).toEqual([1, 0])
  })

  test('the Client is found by a Connection or an account, wherever the event has it', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    const unusual = {
      type: 'account.refresh.completed',
      data: { accounts: [{ ref: { account_id: account } }] },
    }
    for (const [count, event] of [active({ id: connection }), unusual].entries()) {
      watching.watch.deliver(event)
      await until(() => watching.of('reread').length > count, `the reading of ${JSON.stringify(event)}`)
    }
    expect(watching.of('reread').map(({ clientId }) => clientId)).toEqual(['cli_demo', 'cli_demo'])
    expect(watching.of('run')).toHaveLength(1)
  })

  test('a test delivery is about nothing; a type of tomorrow is about the whole Client', () => {
    expect(signalOf({ type: 'webhook.test', data: { account: { id: account } } })).toBeUndefined()
    const parts = { connections: true, accounts: true }
    expect(signalOf({ type: 'client.moved', data: { client_id: 'cli_demo' } })).toMatchObject({ parts })
  })
})

test('what comes within a moment for one Client is one reading', async () => {
  await using emulator = await startEmulator()
  const watching = await startWatch(emulator, { debounceMs: 3000 })
  watching.watch.deliver(completed())
  // A reading that did not wait would begin meanwhile.
  for (let count = 0; count < 5; count += 1) await createClient(emulator, 'Ada')
  for (let count = 0; count < 50; count += 1) watching.watch.deliver(count % 2 ? completed() : active())
  await until(() => watching.of('reread').length, 'a reading')
  expect(watching.of('reread').map(({ what }) => what)).toEqual([['connections', 'accounts', 'transactions']])
})

test('what comes while its Client is read is read again after that', async () => {
  await using emulator = await startEmulator()
  const watching = await startWatch(emulator)
  emulator.faults.add({
    pattern: 'GET /accounts',
    times: 1,
    meanwhile: () => watching.watch.deliver(active()),
  })
  watching.watch.deliver(completed())
  await until(() => watching.of('reread').length === 2, 'a reading after that of the signal')
  expect(watching.of('reread').map(({ what }) => what[0])).toEqual(['accounts', 'connections'])
})

/** Holds the walk of `account` that the next run does, and resolves when it is in it. */
async function heldWalk(emulator: Emulator, { mirror }: Watching, begin: () => void): Promise<void> {
  emulator.faults.add({ pattern: `GET /accounts/${account}/transactions`, delay: '3s', times: 1 })
  begin()
  const walking = () =>
    mirror.db
      .selectFrom('streams')
      .select('subject')
      .where('subject', '=', account)
      .where('leased_until', 'is not', null)
      .executeTakeFirst()
  await until(walking, 'the walk')
}

test('while a run reads a Client, what deliveries say of it waits, and keeps no other waiting', async () => {
  await using emulator = await startEmulator({ crowd: { clients: 1, accounts: 1, transactions: 3 } })
  const limiter = new Limiter({ clock: systemClock, concurrency: 8 })
  const watching = await startWatch(emulator, { concurrency: 1, limiter })
  emulator.bank(account).record({ amount: -7 })
  await heldWalk(emulator, watching, () => watching.moveOn(3_600_000))
  watching.watch.deliver(completed())
  watching.watch.deliver(completed({ client_id: 'cli_crowd_000001' }))
  await until(() => watching.of('reread').length === 2, 'both readings')
  await watching.runs(2)
  const [other] = watching.of('reread')
  const [, run] = watching.of('run')
  expect(watching.events.indexOf(other as never)).toBeLessThan(watching.events.indexOf(run as never))
  expect(watching.of('reread').map(({ clientId }) => clientId)).toEqual(['cli_crowd_000001', 'cli_demo'])
  // A stream that another reader takes ends the walk of the run: its rows would be counted by the other.
  expect(watching.of('run')[1]?.summary.counts.transactions.new).toBe(1)
})

test('a run waits for the reading of a Client', async () => {
  await using emulator = await startEmulator()
  const watching = await startWatch(emulator)
  emulator.bank(account).record({ amount: -7 })
  emulator.faults.add({
    pattern: `GET /accounts/${account}/transactions`,
    delay: '500ms',
    times: 1,
    meanwhile: () => watching.moveOn(3_600_000),
  })
  watching.watch.deliver(completed())
  await watching.runs(2)
  expect(watching.of('reread')).toMatchObject([{ counts: { new: 1 } }])
  expect(watching.of('run')[1]?.summary.counts.transactions).toMatchObject({ new: 0 })
})

describe('what the mirror does not have', () => {
  test('a new Client is synced after a listing', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    const id = await createClient(emulator, 'Ada')
    watching.watch.deliver(active({ client_id: id }))
    await watching.runs(2)
    expect(watching.of('run')[1]).toMatchObject({ why: 'new Clients', summary: { clients: 1 } })
    expect(differences(await contentOf(watching.mirror), await walked(emulator))).toEqual([])
  })

  test('ids that nobody knows: a reconciliation, and at most one in five minutes', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    const unknown = () => watching.watch.deliver(completed({ id: 'acc_AGGREGATOR_A_9' }))
    watching.moveOn(300_000)
    unknown()
    await watching.runs(2)
    unknown()
    watching.watch.deliver({ type: 'account.refresh.completed', data: 'nothing' })
    watching.moveOn(290_000)
    // Another Client's reading shows that the signals were taken in.
    watching.watch.deliver(completed())
    await until(() => watching.of('reread').length, 'a reading')
    expect(watching.of('run').map(({ why }) => why)).toEqual(['schedule', 'unknown ids'])
    watching.moveOn(10_000)
    await watching.runs(3)
    watching.moveOn(1_000_000)
    await watching.stop()
    expect(watching.of('run').map(({ why }) => why)).toEqual(['schedule', 'unknown ids', 'unknown ids'])
  })

  test('a Client that was forgotten is not imported again, and lists nothing', async () => {
    await using emulator = await startEmulator({ crowd: { clients: 1, accounts: 1, transactions: 3 } })
    const watching = await startWatch(emulator)
    await forgetClient(watching.mirror, { clientId: 'cli_demo', folder: undefined, now: Date.now() })
    watching.watch.deliver(completed())
    watching.watch.deliver(completed({ client_id: 'cli_crowd_000001' }))
    await until(() => watching.of('reread').length, 'a reading')
    watching.moveOn(3_600_000)
    await watching.runs(2)
    expect(watching.of('run').map(({ why }) => why)).toEqual(['schedule', 'schedule'])
    expect(watching.of('reread').map(({ clientId }) => clientId)).toEqual(['cli_crowd_000001'])
    const clients = await watching.mirror.db.selectFrom('clients').select('id').execute()
    expect(clients).toEqual([{ id: 'cli_crowd_000001' }])
  })

  test('--client: what a delivery says of others is not read', async () => {
    await using emulator = await startEmulator({ crowd: { clients: 2, accounts: 1, transactions: 3 } })
    const watching = await startWatch(emulator, { clients: ['cli_crowd_000001'] })
    watching.watch.deliver(completed())
    watching.watch.deliver(completed({ client_id: 'cli_crowd_000001' }))
    await until(() => watching.of('reread').length, 'a reading')
    await watching.stop()
    expect(watching.of('reread').map(({ clientId }) => clientId)).toEqual(['cli_crowd_000001'])
  })
})

describe('what fails', () => {
  test('a service that is away is said once, and tried again: nothing is lost', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    emulator.faults.add({ pattern: 'GET /**', drop: true })
    const id = emulator.bank(account).record({ amount: -7 })
    watching.watch.deliver(completed())
    await until(() => watching.of('trouble').length, 'what is wrong')
    watching.moveOn(3_600_000)
    const runs = () => watching.mirror.db.selectFrom('runs').select('outcome').execute()
    await until(async () => (await runs()).some(({ outcome }) => outcome === 'failed'), 'a run in vain')
    expect(watching.of('trouble')).toHaveLength(1)
    emulator.faults.clear()
    watching.moveOn(600_000)
    await watching.runs(2)
    await until(() => watching.of('reread').length, 'the reading')
    expect(watching.of('well')).toHaveLength(1)
    expect(await contentOf(watching.mirror)).toHaveProperty([`transactions ${account} ${id}`])
  })

  test('a reading that fails names its stream, and the watch goes on', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator)
    emulator.faults.add({ pattern: 'GET /accounts', status: 500, times: 3 })
    watching.watch.deliver(completed())
    await until(() => watching.of('reread').length, 'a reading')
    expect(watching.of('reread')[0]?.failed).toMatchObject([{ kind: 'accounts', subject: 'cli_demo' }])
    watching.watch.deliver(completed())
    await until(() => watching.of('reread').length === 2, 'another reading')
    expect(watching.of('reread')[1]?.failed).toEqual([])
  })

  test("another customer's mirror ends it, and nothing is written", async () => {
    const to = join(temporaryFolder(), 'mirror.sqlite')
    await using emulator = await startEmulator()
    const made = await startWatch(emulator, { to })
    // A Client of another customer in the place of the one that this key has.
    await made.mirror.db.updateTable('clients').set({ id: 'cli_of_another' }).execute()
    const before = await contentOf(made.mirror)
    await made.stop()
    const watching = await startWatch(emulator, { to, first: false })
    await expect(watching.ended).rejects.toMatchObject({ code: 'other_customer' })
    expect(await contentOf(watching.mirror)).toEqual(before)
  })

  test.each([
    ['a Client of --client that nobody knows', { clients: ['cli_typo'] }, 'unknown_client', 'notFound'],
    ['a folder of --files that is a file', { files: import.meta.filename }, 'files_not_writable', 'usage'],
  ])('%s ends it with the error of a single run', async (_what, options, code, exit) => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator, { ...options, first: false })
    await expect(watching.ended).rejects.toMatchObject({ code, exit })
    expect(watching.events).toEqual([])
  })

  test('the only Client of --client, forgotten meanwhile, ends it at the next run', async () => {
    await using emulator = await startEmulator()
    const watching = await startWatch(emulator, { clients: ['cli_demo'] })
    await forgetClient(watching.mirror, { clientId: 'cli_demo', folder: undefined, now: Date.now() })
    watching.moveOn(3_600_000)
    await expect(watching.ended).rejects.toMatchObject({ code: 'client_forgotten', exit: 'notFound' })
  })

  test('a folder of --files that was there is waited for', async () => {
    await using emulator = await startEmulator()
    const files = join(temporaryFolder(), 'files')
    const watching = await startWatch(emulator, { files })
    renameSync(files, `${files}-away`)
    writeFileSync(files, 'in its place')
    watching.moveOn(3_600_000)
    await until(() => watching.of('trouble').length, 'what is wrong')
    rmSync(files)
    renameSync(`${files}-away`, files)
    watching.moveOn(600_000)
    await watching.runs(2)
    expect(watching.of('well')).toHaveLength(1)
  })

  test('stopped in the middle of a run, it ends in order, and the next one goes on', async () => {
    const to = join(temporaryFolder(), 'mirror.sqlite')
    await using emulator = await startEmulator({ latency: '5ms' })
    const first = await startWatch(emulator, { to, first: false })
    const some = () => first.mirror.db.selectFrom('transactions').select('id').limit(1).executeTakeFirst()
    await until(some, 'rows')
    await first.stop()
    expect(first.of('run')).toEqual([])
    const next = await startWatch(emulator, { to })
    await next.stop()
    expect(differences(await contentOf(next.mirror), await walked(emulator))).toEqual([])
  })
})
