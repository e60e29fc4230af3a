/**
 * Several listeners and one inbox in Postgres. They are killed in turn during BANKAPI_TEST_DELIVERIES deliveries, by default 2000
 * (10000, the full run, takes a minute).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHome, type Home, type Started } from '../support/cli.ts'
import { freePort } from '../support/free-port.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'
import { deliver, eventBody, secret } from '../support/test-listener.ts'

const missing = whyNoPostgres()
const count = Number(process.env['BANKAPI_TEST_DELIVERIES'] ?? 2000)
const KILL_EVERY_MS = count > 2000 ? 2000 : 700

/** The integrator's server: counts what it accepts of each event, is slow now and then, and fails now and then. */
async function startTarget(failing = 0) {
  const accepted = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    const { event_id: id } = JSON.parse(Buffer.concat(chunks).toString()) as { event_id: string }
    if (Math.random() < 0.1) await delay(Math.random() * 200)
    if (Math.random() < failing) return void response.writeHead(500).end()
    accepted.set(id, (accepted.get(id) ?? 0) + 1)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { accepted, port: (server.address() as AddressInfo).port }
}

/** A machine of its own whose inbox is the shared one. */
function machine(at: string): Home {
  return createHome({
    env: { BANKAPI_ENV: 'sandbox', BANKAPI_WEBHOOK_SECRET: secret, BANKAPI_INBOX_AT: at },
  })
}

interface Replica {
  readonly home: Home
  readonly url: string
  start(): Started
}

async function replica(at: string, options: readonly string[]): Promise<Replica> {
  const home = machine(at)
  const port = String(await freePort())
  const args = ['webhooks', 'listen', '--json', '--dedupe', '--port', port, ...options]
  return { home, url: `http://127.0.0.1:${port}/`, start: () => home.start(args) }
}

/** What the service does: sends to one of the listeners until one answers 2xx. */
async function sendUntilAccepted(urls: readonly string[], body: string): Promise<void> {
  for (;;) {
    const url = urls[Math.floor(Math.random() * urls.length)] as string
    const status = await deliver(url, body).then(
      (response) => response.status,
      () => 0,
    )
    if (status >= 200 && status < 300) return
    await delay(50 + Math.random() * 200)
  }
}

describe.skipIf(missing !== undefined)(`listeners that share an inbox ${missing ?? ''}`, () => {
  it('kill -9 of any of three at random moments: nothing answered 2xx is lost, and the target accepts each event once', async () => {
    const at = await (await postgresServer()).database()
    const target = await startTarget(0.02)
    const options = ['--forward', `localhost:${target.port}`, '--forward-timeout', '3s']
    const replicas = await Promise.all([replica(at, options), replica(at, options), replica(at, options)])
    const running = replicas.map((one) => one.start())
    await Promise.all(running.map((one) => one.line()))

    const urls = replicas.map(({ url }) => url)
    const ids = Array.from({ length: Math.ceil(count / 2) }, () => `evt_${crypto.randomUUID()}`)
    // Half of the deliveries are repeats, at once or later, to any listener.
    const repeats = Array.from(
      { length: count - ids.length },
      () => ids[Math.floor(Math.random() * ids.length)],
    )
    const queue = [...ids, ...repeats] as string[]
    for (let last = queue.length - 1; last > 0; last--) {
      const other = Math.floor(Math.random() * (last + 1))
      ;[queue[last], queue[other]] = [queue[other] as string, queue[last] as string]
    }
    const acknowledged = new Set<string>()
    let sending = true
    const sent = Promise.all(
      Array.from({ length: 24 }, async () => {
        for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
          await sendUntilAccepted(urls, eventBody(id))
          acknowledged.add(id)
        }
      }),
    ).finally(() => {
      sending = false
    })
    let kills = 0
    while (sending) {
      await Promise.race([sent, delay(KILL_EVERY_MS)])
      if (queue.length === 0) break
      const victim = kills % 3
      running[victim]?.process.kill('SIGKILL')
      await running[victim]?.ended
      kills++
      running[victim] = (replicas[victim] as Replica).start()
    }
    await sent
    expect(kills).toBeGreaterThan(0)
    expect(acknowledged.size).toBe(ids.length)

    const database = new Client({ connectionString: at, ssl: false })
    await database.connect()
    onTestFinished(() => database.end())
    const { rows } = await database.query<{
      id: string
      accepted: number
      interrupted: number
      all: number
    }>(`
      SELECT event_id AS id, count(*)::int AS all, count(*) FILTER (WHERE status = 200)::int AS accepted,
        count(*) FILTER (WHERE forward_to IS NOT NULL AND delivery_id IS NULL)::int AS interrupted
      FROM bankapi_inbox.deliveries LEFT JOIN bankapi_inbox.forwards ON delivery_id = deliveries.id
      WHERE verified GROUP BY event_id`)
    const kept = new Map(rows.map((row) => [row.id, row]))
    expect(ids.filter((id) => !kept.has(id))).toEqual([])
    // One forward that was accepted is recorded of each. What the target accepted beside it was interrupted by a kill between
    // the forward and its record.
    expect(rows.filter(({ accepted }) => accepted !== 1)).toEqual([])
    const times = (id: string) => target.accepted.get(id) ?? 0
    expect(ids.filter((id) => times(id) < 1 || times(id) > 1 + (kept.get(id)?.interrupted ?? 0))).toEqual([])
    const twice = ids.filter((id) => times(id) > 1).length
    const all = rows.reduce((sum, row) => sum + row.all, 0)
    process.stdout.write(
      `${count} deliveries of ${ids.length} events, ${kills} kills, ${all} rows, ${twice} events reached the target again after a kill\n`,
    )
    for (const one of running) one.process.kill('SIGINT')
    for (const one of running) expect((await one.ended).stderr).toBe('')
  }, 900_000)

  it('a database that goes away: deliveries are answered 503, one sentence says so, and it goes on when it is back', async () => {
    const server = await postgresServer()
    const one = await replica(await server.database(), [])
    const listener = one.start()
    await listener.line()
    expect((await deliver(one.url)).status).toBe(200)
    await server.stop('immediate')
    for (let at = 0; at < 3; at++) {
      const refused = await deliver(one.url)
      expect(refused.status).toBe(503)
      expect(refused.headers.get('Retry-After')).toBe('1')
      expect(await refused.json()).toEqual({ error: { code: 'inbox_unavailable' } })
    }
    const refused = await one.home.run(['webhooks', 'events'])
    expect(refused.code).toBe(11)
    expect(refused.stderr).toMatch(
      /^Error: The database postgres:\S+ cannot be reached.* \(unreachable\)\nTry: /,
    )
    await server.start()
    expect((await deliver(one.url, eventBody('evt_back'))).status).toBe(200)
    listener.process.kill('SIGINT')
    const { code, stderr } = await listener.ended
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^Warning: The database postgres:\S+ cannot be reached, or the connection to it was lost\.\n$/,
    )
    expect((await one.home.run(['webhooks', 'events', '--jq', '.data[].event_id'])).stdout).toContain(
      'evt_back',
    )
  })

  it('events, show, expect, replay and operations work from any machine', async () => {
    const at = await (await postgresServer()).database()
    const target = await startTarget()
    const one = await replica(at, [])
    const listener = one.start()
    await listener.line()
    const elsewhere = machine(at)
    const expected = elsewhere.run([
      'webhooks',
      'expect',
      'connection.active',
      '--jq',
      '.event_id',
      '--since',
      '1h',
    ])
    expect((await deliver(one.url, eventBody('evt_1'))).status).toBe(200)
    expect((await deliver(one.url, eventBody('evt_1'))).status).toBe(200)
    expect((await expected).stdout.trim()).toBe('evt_1')
    const events = await elsewhere.json<{ data: object[] }>(['webhooks', 'events'])
    expect(events.data).toMatchObject([
      { event_id: 'evt_1', duplicate: true },
      { event_id: 'evt_1', duplicate: false },
    ])
    const shown = await elsewhere.json<{ data: { event: object }[] }>(['webhooks', 'show', 'evt_1'])
    expect(shown.data[0]?.event).toEqual(JSON.parse(eventBody('evt_1')))
    const byNumber = await elsewhere.run(['webhooks', 'show', '2'])
    expect(byNumber.stdout).toContain('duplicate')
    const replay = await elsewhere.run(['webhooks', 'replay', 'evt_1', '--to', `${target.port}`])
    expect(replay.code).toBe(0)
    const replayed = await one.home.json<{ data: object[] }>(['webhooks', 'events', '--limit', '1'])
    expect(replayed.data[0]).toMatchObject({ event_id: 'evt_1', replay_of: 2, forward: { status: 200 } })
    const none = await elsewhere.run(['operations', 'list'])
    expect(none).toMatchObject({ code: 0, stderr: 'No operations of sandbox are in the inbox.\n' })

    // Another customer sees nothing of it.
    const other = { env: { BANKAPI_INBOX_CUSTOMER: 'bolt' } }
    expect((await elsewhere.run(['webhooks', 'events'], other)).stderr).toContain(
      'No such deliveries are in the inbox.',
    )
    // The same from the settings.
    const settled = createHome()
    await settled.run(['config', 'set', 'inbox.at', at])
    expect((await settled.json<{ data: object[] }>(['webhooks', 'events'])).data).toHaveLength(3)
    await settled.run(['config', 'set', 'inbox.customer', 'bolt'])
    expect((await settled.json<{ data: object[] }>(['webhooks', 'events'])).data).toEqual([])
    const checked = await settled.run(['doctor'])
    expect(checked.stdout + checked.stderr).toContain(`The inbox ${at} can be written`)

    // What comes after its start.
    const watching = elsewhere.start(['tui', '--json'], {
      env: { BANKAPI_BASE_URL: 'http://127.0.0.1:9/v3' },
    })
    await expect
      .poll(async () => {
        await deliver(one.url)
        return watching.stdout()
      })
      .toContain('connection.active')
  })

  it('a password in the address is refused, and said nowhere', async () => {
    const at = 'postgres://ana:s3cret@127.0.0.1/bank'
    const home = createHome()
    for (const { code, stdout, stderr } of [
      await home.run(['config', 'set', 'inbox.at', at]),
      await home.run(['webhooks', 'events'], { env: { BANKAPI_INBOX_AT: at } }),
    ]) {
      expect(code).toBe(2)
      expect(stderr).toContain('has a password in it')
      expect(stderr).toContain('PGPASS')
      expect(stdout + stderr).not.toContain('s3cret')
    }
  })
})
