/** Kills the listener during BANKAPI_TEST_DELIVERIES deliveries, by default 400 (10000, the full run, takes some minutes). */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openInbox } from '../../src/inbox/open.ts'
import type { Started } from '../support/cli.ts'
import { createEmulatorHome, type EmulatorHome } from '../support/emulator-process.ts'
import { freePort } from '../support/free-port.ts'

const count = Number(process.env['BANKAPI_TEST_DELIVERIES'] ?? 400)

/** The integrator's server: records the ids of events, and fails now and then. */
async function startTarget() {
  const reached = new Map<string, number>()
  const server = createServer((request, response) => {
    const id = String(request.headers['x-ls-webhook-event-id'])
    request.resume()
    request.on('end', () => {
      if (Math.random() < 0.02) return void response.writeHead(500).end()
      reached.set(id, (reached.get(id) ?? 0) + 1)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { reached, port, stop }
}

/** Makes the emulator send test deliveries, some at a time, while several listeners are killed. Returns their event ids. */
async function fire(home: EmulatorHome, subscription: string, deliveries: number): Promise<string[]> {
  const ids: string[] = []
  let left = deliveries
  const { base_url, api_key } = home.sandbox
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left-- > 0) {
        await delay(Math.random() * 150)
        const response = await fetch(`${base_url}/webhooks/subscriptions/${subscription}/test`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${api_key}`, 'Content-Length': '0' },
        })
        ids.push(((await response.json()) as { event_id: string }).event_id)
      }
    }),
  )
  return ids
}

it('kill -9 of the listener at random moments: every event reaches the target, and the inbox has each exactly once', async () => {
  const home = await createEmulatorHome()
  onTestFinished(() => home.remove())
  const target = await startTarget()
  onTestFinished(target.stop)
  const port = String(await freePort())
  const start = (): Started =>
    home.start(['webhooks', 'listen', '--json', '--port', port, '--forward', `localhost:${target.port}`])
  const subscriptionOf = async (listener: Started) =>
    (JSON.parse(await listener.line()) as { subscription_id: string }).subscription_id

  let listener = start()
  const subscription = await subscriptionOf(listener)
  let firing = true
  const fired = fire(home, subscription, count).finally(() => {
    firing = false
  })
  let kills = 0
  while (firing || kills < 5) {
    await delay(20 + Math.random() * 400)
    listener.process.kill('SIGKILL')
    await listener.ended
    kills++
    listener = start()
    // Killed at any moment, mostly after it has found its subscription again.
    if (Math.random() < 0.8) expect(await subscriptionOf(listener)).toBe(subscription)
  }
  const ids = await fired
  expect(await subscriptionOf(listener)).toBe(subscription)

  let pending = 1
  for (let hours = 0; pending > 0 && hours < 24; hours++) {
    await home.json(['emulator', 'advance', '1h'])
    pending = (await home.json<{ deliveries: { pending: number } }>(['emulator', 'status'])).deliveries
      .pending
  }
  const { deliveries } = await home.json<{ deliveries: object }>(['emulator', 'status'])
  expect(deliveries).toEqual({ pending: 0, delivered: count, given_up: 0 })
  expect(ids.filter((id) => !target.reached.has(id))).toEqual([])

  listener.process.kill('SIGINT')
  expect((await listener.ended).code).toBe(0)
  const inbox = openInbox({ path: join(home.env['BANKAPI_DATA_DIR'] ?? '', 'inbox.sqlite'), now: Date.now })
  const kept = inbox.deliveries.list({ duplicates: false }).map(({ eventId }) => eventId)
  const all = inbox.deliveries.list().length
  inbox.close()
  expect(kept.toSorted()).toEqual(ids.toSorted())
  process.stdout.write(`${count} events, ${kills} kills, ${all} deliveries in the inbox\n`)
}, 900_000)
