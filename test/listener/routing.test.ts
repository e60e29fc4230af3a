import { afterEach, describe, expect, test } from 'vitest'
import type { ListenerOptions } from '../../src/listener/options.ts'
import { type PythonReceiver, startPythonReceiver } from '../support/python-receiver.ts'
import { sampleDelivery } from '../support/sample-delivery.ts'
import {
  deliver,
  eventBody,
  secret,
  signedHeaders,
  startTestListener,
  type TestListener,
} from '../support/test-listener.ts'

let receiver: PythonReceiver
let here: TestListener

async function listen(options: Partial<ListenerOptions> = {}, ...receiverFlags: string[]): Promise<void> {
  receiver = await startPythonReceiver(secret, ...receiverFlags)
  here = await startTestListener({ forward: [{ url: receiver.url }], ...options })
}

afterEach(async () => {
  await here.stop()
  await receiver.stop()
})

describe('routes and filters', () => {
  test('a delivery goes to the route of its type, else to the default', async () => {
    const second = await startPythonReceiver(secret)
    receiver = second
    const first = await startPythonReceiver(secret)
    here = await startTestListener({
      forward: [{ url: first.url }, { match: 'connection.*', url: `${second.url}hooks` }],
    })
    await deliver(here.url, eventBody('evt_1', 'connection.active'))
    await deliver(here.url, eventBody('evt_2', 'statement.available'))
    expect(second.received).toMatchObject([{ path: '/hooks' }])
    expect(first.received).toMatchObject([{ path: '/' }])
    await first.stop()
  })

  test('types outside the filter are recorded and answered, not forwarded; a test delivery passes', async () => {
    await listen({ events: ['connection.*'] })
    expect((await deliver(here.url, eventBody('evt_1', 'statement.available'))).status).toBe(200)
    expect((await deliver(here.url, eventBody('evt_2', 'connection.failed'))).status).toBe(200)
    expect((await deliver(here.url, eventBody('evt_3', 'webhook.test'))).status).toBe(200)
    expect(receiver.received).toHaveLength(2)
    expect(here.of('delivery').map(({ delivery }) => delivery.eventId)).toEqual(['evt_2', 'evt_3'])
    expect(here.inbox.deliveries.list()).toHaveLength(3)
  })

  test('unknown types and bodies that are no event are forwarded, and marked', async () => {
    await listen()
    for (const body of [eventBody('evt_1', 'bank.sneezed'), '[1,2]', 'no json', '"text"', 'null']) {
      expect((await deliver(here.url, body)).status).toBe(200)
    }
    expect(receiver.received).toHaveLength(5)
    expect(here.of('delivery').map(({ delivery }) => delivery.shape)).toEqual([
      'unknown_type',
      'no_envelope',
      'no_envelope',
      'no_envelope',
      'no_envelope',
    ])
  })
})

describe('repeats', () => {
  test('are marked and forwarded', async () => {
    await listen()
    const body = eventBody('evt_1')
    await deliver(here.url, body)
    await deliver(here.url, body)
    expect(receiver.received).toHaveLength(2)
    expect(here.of('delivery').map(({ delivery }) => delivery.duplicate)).toEqual([false, true])
  })

  test('with dedupe are answered 200 without forwarding', async () => {
    await listen({ dedupe: true })
    const body = eventBody('evt_1')
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(here.url, body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(receiver.received).toHaveLength(1)
    expect(here.inbox.deliveries.list({ duplicates: false })).toHaveLength(1)
  })

  test('with dedupe are forwarded when their body has no event id: the one in the header is not signed', async () => {
    await listen({ dedupe: true })
    const body = '{"type":"connection.active"}'
    const headers = { ...(await signedHeaders(body)), 'X-LS-Webhook-Event-Id': 'evt_1' }
    await deliver(here.url, body, headers)
    await deliver(here.url, body, headers)
    expect(receiver.received).toHaveLength(2)
    expect(here.of('delivery').map(({ delivery }) => delivery.duplicate)).toEqual([false, false])
  })

  test('with dedupe still reach a target that has not accepted the event', async () => {
    await listen({ dedupe: true }, '--status', '500')
    const body = eventBody('evt_1')
    expect((await deliver(here.url, body)).status).toBe(500)
    expect((await deliver(here.url, body)).status).toBe(500)
    expect(receiver.received).toHaveLength(2)
  })

  test('with dedupe are forwarded once when two listeners of one inbox get them at once', async () => {
    await listen({ dedupe: true }, '--delay', '0.05')
    const forward = [{ url: receiver.url }]
    const other = await startTestListener({ forward, dedupe: true }, { path: here.path })
    const ids = Array.from({ length: 30 }, (_, at) => `evt_${at}`)
    const answers = await Promise.all(
      ids.flatMap((id) => [deliver(here.url, eventBody(id)), deliver(other.url, eventBody(id))]),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200))
    expect(receiver.received).toHaveLength(30)
    expect(here.inbox.deliveries.list()).toHaveLength(60)
    await other.stop()
  })

  test('with dedupe are answered 503 while their event is being forwarded for longer than they wait', {
    tags: ['slow'],
  }, async () => {
    await listen({ dedupe: true, repeatWaitMs: 100 }, '--delay', '3')
    const body = eventBody('evt_1')
    const first = deliver(here.url, body)
    await expect.poll(() => receiver.received.length).toBe(1)
    const repeat = await deliver(here.url, body)
    expect(repeat.status).toBe(503)
    expect(repeat.headers.get('retry-after')).toBe('1')
    expect(here.of('refused')).toMatchObject([{ status: 503, why: 'evt_1 is being forwarded already' }])
    expect((await first).status).toBe(200)
    expect(await (await deliver(here.url, body)).json()).toEqual({ received: true, duplicate: true })
    expect(receiver.received).toHaveLength(1)
  })

  test('with dedupe are forwarded when the listener that was forwarding their event has died', async () => {
    await listen({ dedupe: true })
    const { deliveries } = here.inbox
    const at = Date.now()
    const { id } = deliveries.record(
      sampleDelivery('evt_1', { receivedAt: at, environment: 'local', forwardTo: receiver.url }),
    )
    deliveries.claim({ eventId: 'evt_1', environment: 'local' }, id, { at, forMs: 300 })
    expect((await deliver(here.url, eventBody('evt_1'))).status).toBe(200)
    expect(Date.now()).toBeGreaterThanOrEqual(at + 300)
    expect(receiver.received).toHaveLength(1)
  })

  test('a forged delivery does not make the genuine one a repeat', async () => {
    await listen({ dedupe: true })
    const body = eventBody('evt_1')
    expect((await deliver(here.url, body, {})).status).toBe(401)
    expect((await deliver(here.url, body)).status).toBe(200)
    expect(receiver.received).toHaveLength(1)
    expect(here.of('delivery').map(({ delivery }) => delivery.duplicate)).toEqual([false, false])
  })
})
