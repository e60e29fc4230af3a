/**
 * A watch gets 2,000 deliveries in another order, a tenth of them not at all and a tenth twice; then, with all of them, the time
 * from a change to the mirror.
 */
import { expect, onTestFinished, test } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator.ts'
import { receiver } from '../support/http-receiver.ts'
import { startTestListener } from '../support/test-listener.ts'
import { until } from '../support/until.ts'
import { contentOf, differences, startWatch, type Watching, walked } from '../support/watching.ts'

const DELIVERIES = 2000
const CLIENTS = 40

/** Numbers that look random, the same ones at each run of a test. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function post(emulator: Emulator, path: string, body: object) {
  const response = await fetch(`${emulator.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { signing_secret: string }
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

const allTypes = [
  ...['connection.requires_action', 'connection.active', 'connection.failed', 'connection.disconnected'],
  ...['connection.capability_changed', 'account.refresh.completed', 'account.refresh.failed'],
  'statement.available',
]

/** A listener whose verified deliveries are signals to the watch, as the command puts the two together. */
async function listenFor({ watch }: Watching, signingSecret: () => string, now = Date.now) {
  const listener = await startTestListener({ secrets: async () => [signingSecret()], clock: { now } })
  onTestFinished(() => listener.stop())
  listener.listener.subscribe((event) => {
    if (event.kind === 'delivery' && event.delivery.verified) watch.deliver(event.delivery.event)
  })
  return listener
}

/** Accounts of each Client of the crowd, by Connection. */
async function banksOf({ db }: Watching['mirror']): Promise<readonly (readonly [string, string[]])[]> {
  const accounts = await db
    .selectFrom('accounts')
    .select(['id', 'connection_id', 'client_id'])
    .where('client_id', 'like', 'cli_crowd%')
    .execute()
  const grouped = Map.groupBy(accounts, ({ connection_id }) => connection_id ?? '')
  return [...grouped].map(([connection, of]) => [connection, of.map(({ id }) => id)])
}

test('2,000 deliveries, shuffled, a tenth dropped and a tenth doubled: after the next scheduled run the mirror is equal', async () => {
  await using emulator = await startEmulator({
    crowd: { clients: CLIENTS, accounts: 2, transactions: 30 },
    refreshDuration: '1ms',
  })
  const watching = await startWatch(emulator)
  const caught = await receiver()
  onTestFinished(() => caught.close())
  const { signing_secret } = await post(emulator, '/webhooks/subscriptions', {
    url: caught.url,
    event_types: allTypes,
  })
  // The clock of the emulator goes ahead with each step, and the signatures with it.
  let ahead = 0
  const listener = await listenFor(
    watching,
    () => signing_secret,
    () => Date.now() + ahead,
  )
  const random = randomOf(7)
  const banks = await banksOf(watching.mirror)
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T

  const change = () => {
    const [connection, accounts] = pick(banks)
    const bank = emulator.bank(pick(accounts))
    const kind = random()
    if (kind < 0.5) bank.record({ amount: -Math.round(random() * 9000) / 100, pending: random() < 0.4 })
    else {
      // Where nothing is pending, something new is.
      try {
        if (kind < 0.65) bank.settle()
        else if (kind < 0.75) bank.drop()
        else bank.reissue()
      } catch {
        bank.record({ amount: -4, pending: true })
      }
    }
    return connection
  }
  let sent = 0
  let posted = 0
  let late: (typeof caught)['all'] extends () => readonly (infer R)[] ? R[] : never = []
  const play = async () => {
    const rows = caught.all().slice(sent)
    sent += rows.length
    // What is held back now comes among later ones.
    const pool = [...late, ...rows].map((row) => ({ row, at: random() })).sort((a, b) => a.at - b.at)
    late = pool.splice(0, Math.floor(pool.length / 5)).map(({ row }) => row)
    const playing = pool.flatMap(({ row }) => {
      const luck = random()
      return luck < 0.1 ? [] : luck < 0.2 ? [row, row] : [row]
    })
    const left = [...playing]
    const worker = async () => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) {
        const { host: _host, connection: _connection, 'content-length': _length, ...headers } = row.headers
        const answer = await fetch(listener.url, {
          method: 'POST',
          headers: headers as Record<string, string>,
          body: row.body,
        })
        expect(answer.status).toBe(200)
        posted += 1
      }
    }
    await Promise.all(Array.from({ length: 10 }, worker))
  }

  while (caught.all().length < DELIVERIES) {
    for (let count = 0; count < 40; count += 1) {
      const connection = change()
      if (random() < 0.1) {
        for (const type of ['connection.requires_action', 'connection.active']) {
          emulator.trigger({ type, connection })
        }
      } else emulator.trigger({ type: 'account.refresh.completed', connection })
    }
    await emulator.advance('1s')
    ahead += 1000
    await emulator.settled()
    await play()
  }
  // The last deliveries about some Clients never come.
  for (const [connection, [account = '']] of banks.slice(0, 5)) {
    emulator.bank(account).record({ amount: -1.25, description: 'NO DELIVERY' })
    emulator.trigger({ type: 'account.refresh.completed', connection })
  }
  await emulator.advance('1s')
  await emulator.settled()

  await until(async () => watching.of('reread').length > 0, 'a reading')
  expect(listener.of('delivery').filter(({ delivery }) => !delivery.verified)).toEqual([])
  expect(differences(await contentOf(watching.mirror), await walked(emulator)).length).toBeGreaterThan(0)
  const rereads = watching.of('reread').length
  watching.moveOn(3_600_000)
  await watching.runs(2)
  await watching.stop()
  expect(differences(await contentOf(watching.mirror), await walked(emulator))).toEqual([])
  expect(watching.of('trouble')).toEqual([])
  expect(watching.of('reread').flatMap(({ failed }) => failed)).toEqual([])
  expect(watching.of('run').map(({ summary }) => summary.outcome)).toEqual(['complete', 'complete'])
  process.stdout.write(`${sent} deliveries, ${posted} played, ${rereads} readings of a Client\n`)
}, 300_000)

test('with every delivery, a change that has an event is in the mirror soon', async () => {
  await using emulator = await startEmulator({
    crowd: { clients: CLIENTS, accounts: 2, transactions: 30 },
    refreshDuration: '1ms',
  })
  const watching = await startWatch(emulator, { debounceMs: undefined })
  let signingSecret = ''
  const listener = await listenFor(watching, () => signingSecret)
  const made = await post(emulator, '/webhooks/subscriptions', { url: listener.url, event_types: allTypes })
  signingSecret = made.signing_secret
  const banks = await banksOf(watching.mirror)
  const times: number[] = []
  for (let count = 0; count < 40; count += 1) {
    const [connection, [account = '']] = banks[count % banks.length] ?? ['', []]
    const started = performance.now()
    const id = emulator.bank(account).record({ amount: -count - 1 })
    emulator.trigger({ type: 'account.refresh.completed', connection })
    await until(
      () =>
        watching.mirror.db
          .selectFrom('transactions')
          .select('id')
          .where('account_id', '=', account)
          .where('id', '=', id)
          .executeTakeFirst(),
      `${id} in the mirror`,
    )
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  const [median = 0, last = 0] = [times[times.length / 2], times.at(-1)]
  process.stdout.write(
    `from a change to the mirror: ${Math.round(median)} ms at the median, ${Math.round(last)} ms at most\n`,
  )
  expect(times).toHaveLength(40)
}, 120_000)
