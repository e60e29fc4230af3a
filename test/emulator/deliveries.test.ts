import { createHmac } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type Delivery, runningEmulator } from '../support/running-emulator.ts'

const hour = 3_600_000
const day = 24 * hour

/** Node's own HMAC, not the project's. */
function hmac(secret: string, { headers, body }: Delivery): string {
  return createHmac('sha256', secret)
    .update(`${headers['x-ls-webhook-timestamp']}.`)
    .update(body)
    .digest('hex')
}

describe('webhook deliveries', () => {
  test('the envelope and the headers are those of the reference', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    const [{ headers, event, body }] = listener.deliveries as [Delivery]
    expect(Object.keys(event)).toEqual(['event_id', 'type', 'created_at', 'api_version', 'livemode', 'data'])
    expect(event).toMatchObject({
      event_id: expect.stringMatching(/^evt_/),
      type: 'connection.failed',
      created_at: '2026-03-10T12:00:00.000Z',
      api_version: '2026-05-22',
      livemode: false,
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-ls-webhook-event-id': event.event_id,
      'x-ls-webhook-event-type': 'connection.failed',
      'x-ls-webhook-signature': hmac(listener.subscription.signing_secret, { headers, event, body }),
    })
    expect(headers).not.toHaveProperty('x-ls-webhook-signature-prev')
  })

  test('the timestamp is the wall clock of the attempt, so that a receiver can reject replays', {
    tags: ['slow'],
  }, async () => {
    const emulator = await runningEmulator()
    await emulator.advance(400 * day)
    const listener = await emulator.listen()
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    const timestamp = Number(listener.deliveries[0]?.headers['x-ls-webhook-timestamp'])
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60)
    expect(listener.deliveries[0]?.event.created_at).toBe('2027-04-14T12:00:00.000Z')
  })

  test('account.refresh.* and statement.available go by a bare UUID', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    await emulator.linked('ins_b_partial')
    emulator.trigger({ type: 'account.refresh.completed', connection: 'con_FDE_123' })
    emulator.trigger({ type: 'account.refresh.failed', connection: 'con_FDE_123' })
    await emulator.advance(2000)
    expect(new Set(listener.types())).toEqual(
      new Set([
        'connection.requires_action',
        'connection.active',
        'statement.available',
        'account.refresh.completed',
        'account.refresh.failed',
      ]),
    )
    for (const { event } of listener.deliveries) {
      const bare = !event.type.startsWith('connection.')
      expect(event.event_id).toMatch(bare ? /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/ : /^evt_/)
    }
    expect(new Set(listener.deliveries.map(({ event }) => event.event_id)).size).toBe(
      listener.deliveries.length,
    )
  })

  test('events of the live base have livemode true and stay there', async () => {
    const emulator = await runningEmulator()
    const sandbox = await emulator.listen()
    const body = { url: sandbox.url, event_types: ['connection.failed'] }
    const { signing_secret } = await emulator.post('/webhooks/subscriptions', body, { base: 'live' })
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123', environment: 'live' })
    await emulator.advance(0)
    expect(sandbox.deliveries).toHaveLength(1)
    const [delivery] = sandbox.deliveries as [Delivery]
    expect(delivery.event.livemode).toBe(true)
    expect(delivery.headers['x-ls-webhook-signature']).toBe(hmac(signing_secret, delivery))
    expect((await emulator.connection('con_FDE_123')).status).toBe('active')
  })

  test('only the event types asked for are delivered, to each subscription its own copy with the same event_id', async () => {
    const emulator = await runningEmulator()
    const one = await emulator.listen(['connection.failed'])
    const other = await emulator.listen(['connection.failed', 'connection.active'])
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(day)
    expect(one.types()).toEqual(['connection.failed'])
    expect(other.types()).toEqual(['connection.failed', 'connection.active'])
    expect(one.deliveries[0]?.event.event_id).toBe(other.deliveries[0]?.event.event_id)
  })

  test('retries with exponential backoff for up to 24 hours, the same bytes each time, then gives up', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.disconnected'])
    listener.answer(500)
    emulator.trigger({ type: 'connection.disconnected', connection: 'con_FDE_123' })
    const times: number[] = []
    let seen = 0
    for (const step of [0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 20_480, 40_960]) {
      await emulator.advance(Math.max(0, step * 1000 - 1))
      expect(listener.deliveries).toHaveLength(step === 0 ? 1 : seen)
      await emulator.advance(step === 0 ? 0 : 1)
      seen = listener.deliveries.length
      times.push(seen)
    }
    expect(times).toEqual(Array.from({ length: 14 }, (_, index) => index + 1))
    await emulator.advance(7 * day)
    expect(listener.deliveries).toHaveLength(14)
    expect(new Set(listener.deliveries.map(({ body }) => body.toString())).size).toBe(1)
    expect(emulator.status().deliveries).toEqual({ pending: 0, delivered: 0, given_up: 1 })
  })

  test('a 2xx ends the retries; a redirect is no 2xx', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    const answers = [302, 404, 204]
    listener.answer(() => answers.shift() ?? 500)
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(day)
    expect(listener.deliveries).toHaveLength(3)
  })

  test('a receiver that does not answer in time counts as failed, one that is not there too', async () => {
    const emulator = await runningEmulator({ deliveryTimeoutMs: 100 })
    const silent = createServer((socket) => socket.on('error', () => undefined))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    for (const url of [`http://127.0.0.1:${port}/`, 'http://127.0.0.1:1/']) {
      await emulator.post('/webhooks/subscriptions', { url, event_types: ['connection.failed'] })
    }
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(1)
    silent.close()
    const { failure_count, total_deliveries } = await emulator.get('/metrics/webhook-delivery')
    expect([failure_count, total_deliveries]).toEqual([2, 2])
    expect(emulator.status().deliveries.pending).toBe(2)
  })

  test('deliveries go in parallel: a slow receiver does not hold up another', async () => {
    const emulator = await runningEmulator()
    const slow = await emulator.listen(['connection.failed'])
    const quick = await emulator.listen(['connection.failed'])
    emulator.faults.add({ pattern: 'DELIVERY connection.failed', delay_ms: 300, times: 1 })
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    const advanced = emulator.advance(0)
    await expect.poll(() => quick.deliveries.length).toBe(1)
    expect(slow.deliveries).toHaveLength(0)
    await advanced
    expect(slow.deliveries).toHaveLength(1)
  })

  test('for 24 hours after a rotation both signatures are sent, then the new one alone', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed', 'connection.active'])
    const path = `/webhooks/subscriptions/${listener.subscription.id}`
    const old = listener.subscription.signing_secret
    const { signing_secret } = await emulator.post(`${path}/rotate-secret`)
    expect(signing_secret).toMatch(/^whsec_/)
    expect(signing_secret).not.toBe(old)
    for (const [wait, both] of [
      [0, true],
      [day - 1, true],
      [1, false],
    ] as const) {
      await emulator.advance(wait)
      listener.clear()
      await emulator.post(`${path}/test`)
      await emulator.advance(0)
      const [delivery] = listener.deliveries as [Delivery]
      expect(delivery.headers['x-ls-webhook-signature']).toBe(hmac(signing_secret, delivery))
      expect(delivery.headers['x-ls-webhook-signature-prev']).toBe(both ? hmac(old, delivery) : undefined)
    }
  })

  test('a test fire answers 202 with the event_id only, bypasses the filter and is signed with the real secret', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    const answer = await emulator.call('POST', `/webhooks/subscriptions/${listener.subscription.id}/test`)
    expect([answer.status, Object.keys(answer.json)]).toEqual([202, ['event_id']])
    await emulator.advance(0)
    const [delivery] = listener.deliveries as [Delivery]
    expect([delivery.event.type, delivery.event.event_id]).toEqual(['webhook.test', answer.json.event_id])
    expect(delivery.headers['x-ls-webhook-signature']).toBe(
      hmac(listener.subscription.signing_secret, delivery),
    )
    const unknown = await emulator.call('POST', '/webhooks/subscriptions/whk_0000/test')
    expect(unknown.status).toBe(404)
  })
})

describe('webhook subscriptions', () => {
  test('the secret is shown at creation only; the rest on get, list and patch', async () => {
    const emulator = await runningEmulator()
    const { subscription } = await emulator.listen()
    expect(subscription.signing_secret).toMatch(/^whsec_/)
    const { signing_secret: _secret, ...rest } = subscription
    const path = `/webhooks/subscriptions/${subscription.id}`
    expect(await emulator.get(path)).toEqual(rest)
    expect((await emulator.get('/webhooks/subscriptions')).data).toEqual([rest])
    const patched = await emulator.call('PATCH', path, { body: { event_types: ['connection.active'] } })
    expect(patched.json).toEqual({ ...rest, event_types: ['connection.active'] })
  })

  test('last_success_at and last_failure_at are omitted, never null; a success does not clear a failure', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    const marks = async () => {
      const row = await emulator.get(`/webhooks/subscriptions/${listener.subscription.id}`)
      return Object.fromEntries(Object.entries(row).filter(([name]) => name.startsWith('last_')))
    }
    expect(await marks()).toEqual({})
    listener.answer(503)
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    expect(await marks()).toEqual({ last_failure_at: '2026-03-10T12:00:00.000Z' })
    await emulator.advance(10_000)
    expect(await marks()).toEqual({ last_failure_at: '2026-03-10T12:00:10.000Z' })
    listener.answer(200)
    await emulator.advance(20_000)
    expect(await marks()).toEqual({
      last_failure_at: '2026-03-10T12:00:10.000Z',
      last_success_at: '2026-03-10T12:00:30.000Z',
    })
    expect((await emulator.get(`/webhooks/subscriptions/${listener.subscription.id}`)).status).toBe('active')
  })

  test('a test fire counts as a success', async () => {
    const emulator = await runningEmulator()
    const { subscription } = await emulator.listen(['connection.failed'])
    await emulator.post(`/webhooks/subscriptions/${subscription.id}/test`)
    await emulator.advance(0)
    expect(await emulator.get(`/webhooks/subscriptions/${subscription.id}`)).toHaveProperty('last_success_at')
  })

  test('a deleted subscription gets nothing more, not even what was waiting', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    listener.answer(500)
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    expect(
      (await emulator.call('DELETE', `/webhooks/subscriptions/${listener.subscription.id}`)).status,
    ).toBe(204)
    await emulator.advance(day)
    expect(listener.deliveries).toHaveLength(1)
  })

  test.each([
    [{ url: 'http://127.0.0.1/', event_types: ['connection.initiated'] }, 'event_types.0'],
    [{ url: 'http://127.0.0.1/', event_types: ['connection.active', 'nope'] }, 'event_types.1'],
    [{ url: 'http://127.0.0.1/', event_types: [] }, 'event_types'],
    [{ url: 'not a url', event_types: ['connection.active'] }, 'url'],
    [{ url: 'file:///etc/passwd', event_types: ['connection.active'] }, 'url'],
    [{ event_types: ['connection.active'] }, 'url'],
  ])('%j is validation_failed naming %s', async (body, param) => {
    const emulator = await runningEmulator()
    const { status, json } = await emulator.call('POST', '/webhooks/subscriptions', { body })
    expect([status, json.error.code, json.error.param]).toEqual([400, 'validation_failed', param])
    expect(json.error.errors[0].param).toBe(param)
  })
})

describe('delivery metrics', () => {
  test('attempts, successes, failures, p95 by the emulator clock and the event types that fail most', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed', 'connection.active'])
    listener.answer(({ event }) => (event.type === 'connection.failed' ? 500 : 200))
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(30_000)
    emulator.trigger({ type: 'connection.active', connection: 'con_FDE_123' })
    // `to` is exclusive and defaults to now.
    await emulator.advance(1)
    // Attempts that failed at 0, 10 and 30 s, and one success at once.
    expect(await emulator.get('/metrics/webhook-delivery')).toEqual({
      total_deliveries: 4,
      success_count: 1,
      failure_count: 3,
      p95_latency_ms: 30_000,
      failures_by_event: [{ event_type: 'connection.failed', count: 3 }],
    })
    const none = '?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z'
    expect(await emulator.get(`/metrics/webhook-delivery${none}`)).toEqual({
      total_deliveries: 0,
      success_count: 0,
      failure_count: 0,
      p95_latency_ms: 0,
      failures_by_event: [],
    })
  })
})
