import { describe, expect, test } from 'vitest'
import { testInbox } from '../../test/support/test-inbox.ts'
import type { NewDelivery } from './delivery-rows.ts'
import { watchDeliveries } from './watch-deliveries.ts'

const files = testInbox()
const { now, open, delivery } = files

const ids = (found: { eventId?: string | undefined }[]) => found.map(({ eventId }) => eventId)

describe('deliveries', () => {
  test('are kept to the byte, across a restart', () => {
    const body = Buffer.from([0, 255, 13, 10, 0xc3, 0x28])
    const before = open()
    const { id } = before.deliveries.record(
      delivery('evt_1', { body, livemode: true, reason: 'r', detail: 'd' }),
    )
    before.deliveries.recordForward(id, {
      url: 'http://x/',
      status: 200,
      durationMs: 1.5,
      body: Buffer.from('ok'),
    })
    before.close()
    const [kept] = open().deliveries.get('evt_1')
    expect(kept).toMatchObject({
      ...delivery('evt_1'),
      body: new Uint8Array(body),
      livemode: true,
      reason: 'r',
      detail: 'd',
      forwards: [{ url: 'http://x/', status: 200, durationMs: 1.5, body: new Uint8Array(Buffer.from('ok')) }],
    })
  })

  test('keep signatures, and of credentials only the name of the header', () => {
    const { deliveries } = open()
    const { id } = deliveries.record(
      delivery('evt_1', {
        headers: [
          ['X-LS-Webhook-Signature', 'abc'],
          ['Authorization', 'Bearer sk_live_1'],
          ['Cookie', 'sid=sk_live_1'],
          ['X-Api-Key', 'sk_live_1'],
        ],
      }),
    )
    deliveries.recordForward(id, { url: 'http://x/', durationMs: 1, headers: [['Set-Cookie', 'sk_live_1']] })
    const [kept] = deliveries.get('evt_1')
    expect(kept?.headers[0]).toEqual(['X-LS-Webhook-Signature', 'abc'])
    expect(kept?.headers[1]).toEqual(['Authorization', '[not kept]'])
    expect(JSON.stringify(kept)).not.toContain('sk_live_1')
  })

  test('repeat only within their environment and subscription, and only what was verified', () => {
    const { deliveries } = open()
    const record = (over: Partial<NewDelivery>) => deliveries.record(delivery('evt_1', over)).duplicate
    expect(record({ verified: false })).toBe(false)
    expect(record({ shape: 'no_envelope' })).toBe(false)
    expect(record({})).toBe(false)
    expect(record({})).toBe(true)
    expect(record({ environment: 'live' })).toBe(false)
    expect(record({ subscription: 'whk_1' })).toBe(false)
    expect(record({ verified: false })).toBe(false)
    expect(record({ replayOf: 3 })).toBe(false)
    expect(deliveries.record(delivery('EVT_1')).duplicate).toBe(false)
  })

  test('are accepted when a target has answered 2xx', () => {
    const { deliveries } = open()
    const wasAccepted = (environment = 'sandbox') =>
      deliveries.claim({ eventId: 'evt_1', environment }, 0, { at: now, forMs: 0 }) === 'accepted'
    const { id } = deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }))
    for (const status of [undefined, 500, 302]) {
      deliveries.recordForward(id, { url: 'http://x/', status, durationMs: 1 })
      expect(wasAccepted()).toBe(false)
    }
    expect(ids(deliveries.list({ failed: true }))).toEqual(['evt_1'])
    const replay = deliveries.record(delivery('evt_1', { replayOf: id, forwardTo: 'http://y/' }))
    deliveries.recordForward(replay.id, { url: 'http://y/', status: 204, durationMs: 1 })
    expect(wasAccepted()).toBe(true)
    expect(wasAccepted('live')).toBe(false)
    expect(deliveries.list({ failed: true })).toEqual([])
  })

  test('are claimed by one at a time, until the outcome is recorded, the claim is over or the clock is set back', () => {
    const { deliveries } = open()
    const other = open().deliveries
    const event = { eventId: 'evt_1', environment: 'sandbox' }
    const first = deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }))
    const second = other.record(delivery('evt_1', { forwardTo: 'http://x/' }))
    const claimFirst = (at = now) => deliveries.claim(event, first.id, { at, forMs: 30_000 })
    const claimSecond = (at = now) => other.claim(event, second.id, { at, forMs: 30_000 })
    expect(claimFirst()).toBe('claimed')
    expect(claimSecond()).toBe('running')
    other.recordForward(second.id, { url: 'http://x/', durationMs: 1 })
    expect(claimSecond(now + 29_999)).toBe('running')
    deliveries.recordForward(first.id, { url: 'http://x/', status: 500, durationMs: 1 })
    expect(claimSecond()).toBe('claimed')
    expect(claimFirst(now + 30_000)).toBe('claimed')
    expect(claimSecond(now - 60_000)).toBe('claimed')
    other.recordForward(second.id, { url: 'http://x/', status: 200, durationMs: 1 })
    expect(claimSecond(now + 60_000)).toBe('accepted')
    // A repeat of what a target has accepted is not to be forwarded.
    expect(deliveries.get(event.eventId).map(({ forwardTo }) => forwardTo)).toContain(undefined)
    expect(claimFirst()).toBe('accepted')
    expect(other.claim({ ...event, environment: 'live' }, second.id, { at: now, forMs: 0 })).toBe('running')
  })

  test('are listed by type, time, outcome and number', () => {
    const { deliveries } = open()
    deliveries.record(delivery('evt_1', { receivedAt: now - 5000 }))
    deliveries.record(delivery('evt_2', { type: 'statement.available' }))
    deliveries.record(delivery('evt_3', { type: 'connection.failed', verified: false, environment: 'live' }))
    expect(ids(deliveries.list())).toEqual(['evt_1', 'evt_2', 'evt_3'])
    expect(ids(deliveries.list({ limit: 2 }))).toEqual(['evt_2', 'evt_3'])
    expect(ids(deliveries.list({ type: 'connection.*' }))).toEqual(['evt_1', 'evt_3'])
    expect(ids(deliveries.list({ type: 'statement.available' }))).toEqual(['evt_2'])
    expect(ids(deliveries.list({ type: '%' }))).toEqual([])
    expect(ids(deliveries.list({ since: now }))).toEqual(['evt_2', 'evt_3'])
    expect(ids(deliveries.list({ failed: true }))).toEqual(['evt_3'])
    expect(ids(deliveries.list({ failed: false }))).toEqual(['evt_1', 'evt_2'])
    expect(ids(deliveries.list({ verified: false, environment: 'live' }))).toEqual(['evt_3'])
  })

  test('are seen by a watch as they come, from another handle too', async () => {
    const { deliveries } = open()
    deliveries.record(delivery('evt_0'))
    const other = open()
    const stop = new AbortController()
    const seen: (string | undefined)[] = []
    const watching = (async () => {
      for await (const { eventId } of watchDeliveries(deliveries, { signal: stop.signal, intervalMs: 5 })) {
        seen.push(eventId)
        if (seen.length === 1) other.deliveries.record(delivery('evt_2'))
        else stop.abort()
      }
    })()
    other.deliveries.record(delivery('evt_1'))
    await watching
    expect(seen).toEqual(['evt_1', 'evt_2'])
  })
})

describe('operations', () => {
  test('keep what is known when a later sight says less', () => {
    const { operations } = open()
    operations.record({
      environment: 'local',
      id: 'op_1',
      seenAt: 1000,
      type: 'account.refresh',
      subject: 'con_FDE_123',
      estimatedSeconds: 120,
    })
    operations.record({
      environment: 'local',
      id: 'op_1',
      seenAt: 3000,
      status: 'succeeded',
      completedAt: 2500,
    })
    operations.record({ environment: 'local', id: 'op_1', seenAt: 2000, status: 'queued' })
    operations.record({ environment: 'live', id: 'op_1', seenAt: 4000 })
    expect(operations.get('local', 'op_1')).toEqual({
      environment: 'local',
      id: 'op_1',
      type: 'account.refresh',
      subject: 'con_FDE_123',
      status: 'succeeded',
      startedAt: 1000,
      estimatedSeconds: 120,
      seenAt: 3000,
      completedAt: 2500,
    })
    expect(operations.list().map(({ environment }) => environment)).toEqual(['live', 'local'])
    expect(operations.list({ status: 'queued' })).toHaveLength(1)
    expect(operations.list({ environment: 'local', status: 'queued' })).toEqual([])
    expect(operations.get('local', 'op_2')).toBeUndefined()
  })
})
