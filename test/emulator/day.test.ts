import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { runningEmulator } from '../support/running-emulator.ts'

const hour = 3_600_000

test('a day: link, refresh, fail, rotate a secret, advance 25 h: every event and retry is accounted for', async () => {
  const emulator = await runningEmulator()
  const steady = await emulator.listen()
  const broken = await emulator.listen(['connection.active', 'connection.failed'])
  broken.answer(500)

  const id = await emulator.linked('ins_a_ok')
  expect((await emulator.refreshed(id)).status).toBe('succeeded')
  emulator.trigger({ type: 'connection.failed', connection: id })
  await emulator.advance(0)
  const old = steady.subscription.signing_secret
  const rotated = await emulator.post(`/webhooks/subscriptions/${steady.subscription.id}/rotate-secret`)
  await emulator.advance(25 * hour)

  // The daily refresh found the failed connection recovered.
  expect((await emulator.connection(id)).status).toBe('active')
  const own = steady.deliveries.filter(({ event }) => JSON.stringify(event.data).includes(id))
  const statuses = own.filter(({ event }) => event.type.startsWith('connection.')).map(({ event }) => event)
  const inOrder = statuses
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
    .map(({ type }) => type)
  expect(inOrder).toEqual(['connection.active', 'connection.failed', 'connection.active'])

  // Every event once, at a receiver that answers; each signed, by both secrets during the day after the rotation.
  const ids = steady.deliveries.map(({ event }) => event.event_id)
  expect(new Set(ids).size).toBe(ids.length)
  let doubly = 0
  for (const { headers, body, event } of steady.deliveries) {
    const sign = (secret: string) =>
      createHmac('sha256', secret).update(`${headers['x-ls-webhook-timestamp']}.`).update(body).digest('hex')
    const signature = headers['x-ls-webhook-signature']
    const previous = headers['x-ls-webhook-signature-prev']
    if (previous !== undefined) {
      doubly += 1
      expect([signature, previous]).toEqual([sign(rotated.signing_secret), sign(old)])
    } else expect([sign(old), sign(rotated.signing_secret)]).toContain(signature)
    expect(headers['x-ls-webhook-event-id']).toBe(event.event_id)
  }
  expect(doubly).toBeGreaterThan(0)

  // The broken receiver: three events, each tried until 24 hours were used up, or the day ended.
  const tries = new Map<string, number>()
  for (const { event } of broken.deliveries) tries.set(event.event_id, (tries.get(event.event_id) ?? 0) + 1)
  expect([...tries.values()].sort((a, b) => b - a)).toEqual([14, 14, 9])

  await emulator.advance(1)
  const numbers = await emulator.get('/metrics/webhook-delivery')
  expect(numbers.total_deliveries).toBe(steady.deliveries.length + broken.deliveries.length)
  expect(numbers.failure_count).toBe(broken.deliveries.length)
  expect(numbers.success_count).toBe(steady.deliveries.length)
  const { deliveries } = emulator.status()
  expect(deliveries).toEqual({ delivered: steady.deliveries.length, given_up: 2, pending: 1 })
})
