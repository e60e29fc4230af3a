import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { verifyWebhook } from '../signing/webhook.ts'
import { type TriggerOptions, trigger } from './trigger.ts'

const start = 1_790_000_000_000

async function set(options: Partial<TriggerOptions> = {}) {
  const heard: { headers: Record<string, string | string[] | undefined>; body: Buffer }[] = []
  let open = 0
  let most = 0
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++open)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    heard.push({ headers: request.headers, body: Buffer.concat(chunks) })
    open--
    response.writeHead(heard.length === 2 ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  let now = start
  const slept: number[] = []
  const sent: string[] = []
  const all: TriggerOptions = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    secret: 'whsec_1',
    event: (number) => ({
      eventId: `evt_${number}`,
      type: 'webhook.test',
      body: Buffer.from(`{"n":${number}}`),
    }),
    count: 1,
    copies: 1,
    ageSeconds: 0,
    timeoutMs: 5000,
    insecureTls: false,
    clock: {
      now: () => now,
      elapsed: () => now - start + 1000,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted()
        slept.push(ms)
        now += ms
      },
    },
    signal: new AbortController().signal,
    onSent: ({ eventId }, { status }) => sent.push(`${eventId} ${status}`),
    ...options,
  }
  return { heard, slept, sent, most: () => most, run: () => trigger(all) }
}

test('each event is sent in as many copies as asked for, one after the other, whatever the answer', async () => {
  const { sent, slept, most, run } = await set({ count: 2, copies: 2 })
  await run()
  expect(sent).toEqual(['evt_0 200', 'evt_0 500', 'evt_1 200', 'evt_1 200'])
  expect(most()).toBe(1)
  expect(slept).toEqual([])
})

test('the next event is made when the one before is answered', async () => {
  const steps: string[] = []
  const { run } = await set({
    count: 3,
    event: (number) => {
      steps.push(`event ${number}`)
      return { eventId: `evt_${number}`, type: 'webhook.test', body: Buffer.from('{}') }
    },
    onSent: ({ eventId }) => steps.push(`sent ${eventId}`),
  })
  await run()
  expect(steps).toEqual(['event 0', 'sent evt_0', 'event 1', 'sent evt_1', 'event 2', 'sent evt_2'])
})

test('a delivery is JSON, signed for the present or for a time so many seconds ago', async () => {
  const { heard, run } = await set({ ageSeconds: 400 })
  await run()
  const [{ headers, body } = { headers: {}, body: Buffer.of() }] = heard
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-ls-webhook-event-id': 'evt_0',
    'x-ls-webhook-event-type': 'webhook.test',
    'x-ls-webhook-timestamp': '1789999600',
  })
  const verdict = { secrets: ['whsec_1'], headers, body, now: start / 1000 - 400 }
  expect(await verifyWebhook(verdict)).toMatchObject({ verified: true })
})

test('at a rate they are started on time, answered or not', async () => {
  const { sent, slept, run } = await set({ count: 4, perSecond: 4 })
  await run()
  expect(slept).toEqual([250, 250, 250])
  expect(sent.map((line) => line.split(' ')[0]).sort()).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_3'])
})

test('an abort ends it with its own reason, and sends nothing more', async () => {
  for (const perSecond of [undefined, 1000]) {
    const stop = new AbortController()
    const reason = new Error('Ctrl-C')
    const sent: unknown[] = []
    const { heard, run } = await set({
      count: 50,
      perSecond,
      signal: stop.signal,
      onSent: (event) => {
        sent.push(event)
        stop.abort(reason)
      },
    })
    await expect(run()).rejects.toBe(reason)
    expect(sent).toHaveLength(1)
    expect(heard.length).toBeLessThan(50)
  }
})

test('what was aborted before sends nothing', async () => {
  const { heard, run } = await set({ signal: AbortSignal.abort(new Error('Ctrl-C')) })
  await expect(run()).rejects.toThrow('Ctrl-C')
  expect(heard).toEqual([])
})

test('an abort while the next delivery waits for its time is no unhandled error', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const stop = new AbortController()
  const server = createServer(() => stop.abort(new Error('Ctrl-C')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { run } = await set({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    count: 2,
    perSecond: 1,
    signal: stop.signal,
    clock: {
      now: () => start,
      elapsed: () => 0,
      sleep: (_ms, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => setTimeout(() => reject(signal.reason), 20))
        }),
    },
  })
  await expect(run()).rejects.toThrow('Ctrl-C')
  await new Promise(setImmediate)
  expect(unhandled).not.toHaveBeenCalled()
})

test('at any rate at most 256 are under way at once', async () => {
  const held: (() => void)[] = []
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    request.resume()
    most = Math.max(most, ++open)
    held.push(() => {
      open--
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { signal } = new AbortController()
  const { sent, run } = await set({ url, count: 270, perSecond: 1_000_000, signal })
  const running = run()
  await expect.poll(() => held.length).toBe(256)
  expect(sent).toEqual([])
  // Each answer lets one more begin.
  for (let answered = 0; answered < 270; answered++) {
    await expect.poll(() => held.length, { interval: 1 }).toBe(Math.min(270, 256 + answered))
    held[answered]?.()
  }
  await running
  expect(sent).toHaveLength(270)
  expect(most).toBe(256)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
