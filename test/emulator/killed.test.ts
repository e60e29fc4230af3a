import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/machine.ts'
import { type MortalEmulator, startMortal } from '../support/mortal-emulator.ts'
import { brokenInvariants } from '../support/store-invariants.ts'

/** How often it is killed; BANKAPI_KILL_ROUNDS=500 for a long look. */
const rounds = Number(process.env['BANKAPI_KILL_ROUNDS'] ?? 5)
const hour = 3_600_000

/** An integrator's server in trouble: it answers 200, answers 500, or does not answer, until it is well. */
async function moodyReceiver() {
  const bodies = new Map<string, Set<string>>()
  const accepted = new Set<string>()
  let well = false
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const id = String(request.headers['x-ls-webhook-event-id'])
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
    const mood = well ? 0 : Math.random()
    if (mood > 0.8) return
    response.statusCode = mood > 0.4 ? 500 : 200
    if (response.statusCode === 200) accepted.add(id)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Every body that came under an event id. */
    bodies,
    accepted,
    recover() {
      well = true
    },
  }
}

/** What the caller was told, and so may rely on. */
interface Promises {
  clients: string[]
  operations: string[]
  linked: string[]
  /** By Idempotency-Key: the answer, once there was one. */
  sessions: Map<string, string | undefined>
}

/**
 * Calls without a pause, each kind of change in a loop of its own, until nobody answers any more. `onLinking` is called
 * when banks are about to be linked: the change with the most rows.
 */
function keepWriting(emulator: MortalEmulator, promised: Promises, onLinking: () => void): Promise<unknown> {
  const { call, control } = emulator
  const until = async (work: () => Promise<boolean>) => {
    while (await work());
  }
  const refresh = (connection: string) => async () => {
    const answer = await call('POST', `/connections/${connection}/refresh`)
    if (answer?.status === 202) promised.operations.push(answer.json.operation_id)
    await sleep(5)
    return answer !== undefined
  }
  return Promise.all([
    until(async () => {
      const answer = await call('POST', '/clients', { name: 'Ada' })
      if (answer?.status === 201) promised.clients.push(answer.json.id)
      return answer !== undefined
    }),
    until(async () => {
      const issued = await Promise.all(Array.from({ length: 4 }, () => placeholder(emulator, promised)))
      onLinking()
      const linked = await Promise.all(
        issued.map((connection_id) => connection_id && control('/link', { connection_id })),
      )
      for (const answer of linked) {
        if (answer && answer.status === 200) promised.linked.push(answer.json.connection_id)
      }
      return linked.every((answer) => answer !== undefined && answer !== '')
    }),
    until(refresh('con_FDE_123')),
    until(refresh('con_AGGREGATOR_A_1001')),
    until(async () => {
      for (const type of ['connection.failed', 'connection.active']) {
        const answer = await control('/trigger', { type, connection: 'con_AGGREGATOR_B_2001' })
        if (answer === undefined) return false
      }
      return true
    }),
    until(async () => {
      const key = `key-${promised.sessions.size}`
      promised.sessions.set(key, undefined)
      const answer = await connectSession(emulator, key)
      if (answer?.status === 201) promised.sessions.set(key, answer.text)
      return answer !== undefined
    }),
  ])
}

/** Begins a link and waits for its placeholder id; undefined when the emulator is gone. */
async function placeholder({ call }: MortalEmulator, promised: Promises): Promise<string | undefined> {
  const started = await call('POST', '/clients/cli_demo/connections', { institution_id: 'ins_a_ok' })
  if (started?.status !== 202) return undefined
  promised.operations.push(started.json.operation_id)
  for (;;) {
    const read = await call('GET', `/operations/${started.json.operation_id}`)
    if (read?.json.status !== 'queued') return read?.json.result.connection.id
    await sleep(10)
  }
}

function connectSession(emulator: MortalEmulator, key: string) {
  return emulator.call('POST', '/clients/cli_demo/connect-session', {}, { 'idempotency-key': key })
}

/** Every row of a list. */
async function all(emulator: MortalEmulator, path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  for (let cursor = ''; ; ) {
    const answer = await emulator.call('GET', `${path}?limit=500${cursor && `&cursor=${cursor}`}`)
    const { data, has_more, next_cursor } = answer?.json ?? {}
    rows.push(...data)
    if (!has_more) return rows
    cursor = next_cursor
  }
}

async function alive(dataDir: string): Promise<MortalEmulator> {
  const emulator = await startMortal(dataDir, { refreshBudget: 100_000 })
  if (!emulator) throw new Error('the emulator did not start again')
  return emulator
}

describe('an emulator that is killed (kill -9) at any moment', () => {
  test(`${rounds} times while it links, refreshes and delivers: no half state, nothing lost, nothing renamed`, async () => {
    const dataDir = temporaryFolder()
    const receiver = await moodyReceiver()
    const promised: Promises = { clients: [], operations: [], linked: [], sessions: new Map() }
    const first = await alive(dataDir)
    const event_types = [
      'connection.requires_action',
      'connection.active',
      'connection.failed',
      'account.refresh.completed',
    ]
    await first.call('POST', '/webhooks/subscriptions', { url: receiver.url, event_types })
    await first.kill()

    for (let round = 0; round < rounds; round += 1) {
      const emulator = await alive(dataDir)
      const linking = Promise.withResolvers<void>()
      const writing = keepWriting(emulator, promised, linking.resolve)
      // At any time in one round; in the next while banks are being linked.
      if (round % 2 === 0) await sleep(Math.random() * 400)
      else await linking.promise.then(() => sleep(Math.random() * 25))
      await emulator.kill()
      await writing
      expect(brokenInvariants(dataDir), `after kill ${round + 1}`).toEqual([])
    }

    const last = await alive(dataDir)
    receiver.recover()
    // What was answered is there.
    const clients = new Set((await all(last, '/clients')).map(({ id }) => id))
    expect(promised.clients.filter((id) => !clients.has(id))).toEqual([])
    const connections = new Map(
      (await all(last, '/clients/cli_demo/connections')).map(({ id, status }) => [id, status]),
    )
    expect(promised.linked.filter((id) => connections.get(id) !== 'active')).toEqual([])
    // What was accepted comes to its end.
    for (const id of promised.operations) {
      const status = async () => (await last.call('GET', `/operations/${id}`))?.json.status
      await expect.poll(status, { timeout: 20_000 }).toBe('succeeded')
    }
    // A key that was answered replays that answer; one that was not is free.
    for (const [key, text] of promised.sessions) {
      const again = await connectSession(last, key)
      expect(again?.status).toBe(201)
      if (text !== undefined) expect([again?.replayed, again?.text]).toEqual([true, text])
    }
    // Every event reaches the receiver, under its one id and with its one body.
    await last.control('/advance', { ms: hour })
    await last.kill()
    expect(brokenInvariants(dataDir)).toEqual([])
    expect([...receiver.bodies].filter(([, bodies]) => bodies.size > 1)).toEqual([])
    expect([...receiver.bodies.keys()].filter((id) => !receiver.accepted.has(id))).toEqual([])
    const events = [...receiver.bodies.values()].map(([body = '']) => JSON.parse(body))
    const told = new Set(
      events.filter(({ type }) => type === 'connection.active').map(({ data }) => data.connection.id),
    )
    expect(promised.linked.filter((id) => !told.has(id))).toEqual([])
    expect(promised.operations.length).toBeGreaterThan(rounds)
  }, 600_000)

  test('while it starts for the first time, or makes a crowd: the next start begins anew', async () => {
    const options = { crowd: { clients: 1000, accounts: 2, transactions: 60 } }
    const begun = performance.now()
    await (await startMortal(temporaryFolder(), options))?.kill()
    const whole = performance.now() - begun
    const dataDir = temporaryFolder()
    for (const part of [0.35, 0.5, 0.65, 0.8]) {
      const emulator = await startMortal(dataDir, options, whole * part)
      await emulator?.kill()
      expect(brokenInvariants(dataDir), `killed after ${part} of a start`).toEqual([])
    }
    const emulator = await startMortal(dataDir, options)
    const summary = await emulator?.call('GET', '/metrics/summary')
    expect(summary?.json.total_clients).toBe(1001)
    expect(await all(emulator as MortalEmulator, '/clients')).toHaveLength(1001)
  })
})
