/** How a listener starts, watches its targets, explains refusals, and ends, with a target in the same process. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  Server as SocketServer,
} from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ListenerEvent } from '../../src/listener/events.ts'
import { createListener } from '../../src/listener/listener.ts'
import type { ListenerOptions } from '../../src/listener/options.ts'
import { deadPort } from '../api/servers.ts'
import { deliver, eventBody, secret, signedHeaders, startTestListener } from '../support/test-listener.ts'

async function listen(options: Partial<ListenerOptions> = {}) {
  const here = await startTestListener(options)
  onTestFinished(() => here.stop())
  const kinds = () => here.events.map(({ kind }) => kind)
  return { ...here, kinds }
}

/** A target that hears deliveries and answers when the test says so. */
async function startTarget(port = 0) {
  const answers: ((status: number, body?: Buffer) => void)[] = []
  const server = createServer((request, response) => {
    request.resume()
    answers.push((status, body) => response.writeHead(status).end(body))
  })
  // It offers to keep a connection for ten minutes.
  server.keepAliveTimeout = 600_000
  const ended: Promise<unknown>[] = []
  server.on('connection', (socket) => ended.push(once(socket, 'close')))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  const bound = (server.address() as AddressInfo).port
  return { answers, ended, stop, port: bound, url: `http://127.0.0.1:${bound}` }
}

const statusOf = (answer: Promise<Response>) =>
  answer.then(
    ({ status }) => status,
    () => 'none',
  )

test.each([
  [undefined, '/'],
  ['', '/'],
  ['/', '/'],
  ['//', '/'],
  ['hooks/a', '/hooks/a'],
  ['//hooks/a//', '/hooks/a'],
])('the path %j is %j', async (path, pathname) => {
  const here = await listen({ path })
  expect(new URL(here.url).pathname).toBe(pathname)
  expect((await deliver(here.url)).status).toBe(200)
})

test('an address of IPv6 has brackets in the URL', async () => {
  const here = await listen({ host: '::1' })
  expect(here.url).toBe(`http://[::1]:${here.port}/`)
  expect((await deliver(here.url)).status).toBe(200)
})

test('a port in use is the system’s error, and a socket that is lost later a fatal one', async () => {
  const busy = createSocketServer()
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void busy.close())
  await expect(startTestListener({ port: (busy.address() as AddressInfo).port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
  const listening = vi.spyOn(SocketServer.prototype, 'listen')
  onTestFinished(() => listening.mockRestore())
  const here = await listen()
  const error = new Error('accept EMFILE')
  ;(listening.mock.contexts[0] as SocketServer).emit('error', error)
  expect(here.of('error')).toMatchObject([{ error, fatal: true }])
})

test('when no subscription can be made, what is being forwarded already does not hold up the end', async () => {
  const target = await startTarget()
  const here = await listen()
  let answer: Promise<unknown> = Promise.resolve()
  const events: ListenerEvent[] = []
  const listener = createListener({
    environment: 'local',
    inbox: here.inbox,
    secrets: async () => [secret],
    clock: { now: Date.now },
    port: 0,
    forward: [{ url: target.url }],
    onBound: async (url) => {
      answer = statusOf(deliver(url))
      await expect.poll(() => target.answers.length).toBe(1)
      throw new Error('no scope')
    },
  })
  listener.subscribe((event) => events.push(event))
  await expect(listener.start()).rejects.toThrow('no scope')
  expect([503, 'none']).toContain(await answer)
  expect(events.at(-1)).toMatchObject({ kind: 'closed', forced: true })
})

test('a target that is down is told at the start, looked at every two seconds or as asked, and told when it is up', async () => {
  const started = vi.spyOn(globalThis, 'setInterval')
  const cleared = vi.spyOn(globalThis, 'clearInterval')
  onTestFinished(() => void vi.restoreAllMocks())
  const port = await deadPort()
  const url = `http://127.0.0.1:${port}`
  const here = await listen({ forward: [{ url }], probeEveryMs: 21 })
  await expect.poll(() => here.of('target-down')).toMatchObject([{ url, error: 'ECONNREFUSED' }])
  expect(started.mock.calls.at(-1)?.[1]).toBe(21)
  await startTarget(port)
  await expect.poll(() => here.of('target-up')).toMatchObject([{ url }])

  const other = await listen({ forward: [{ url: `http://127.0.0.1:${await deadPort()}` }] })
  await expect.poll(() => other.of('target-down').length).toBe(1)
  expect(started.mock.calls.at(-1)?.[1]).toBe(2000)
  const interval = started.mock.results.at(-1)?.value
  expect(cleared).not.toHaveBeenCalledWith(interval)
  await other.listener.close()
  expect(cleared).toHaveBeenCalledWith(interval)
})

test('a forward tells whether its target is up; one that took too long tells nothing', async () => {
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }], forwardTimeoutMs: 300, probeEveryMs: 60_000 })
  // Never answered.
  expect((await deliver(here.url)).status).toBe(504)
  expect(here.of('target-down')).toEqual([])
  await target.stop()
  expect((await deliver(here.url)).status).toBe(502)
  expect(here.of('target-down')).toMatchObject([{ error: 'nothing listens there (ECONNREFUSED)' }])
  const again = await startTarget(target.port)
  expect((await deliver(here.url)).status).toBe(504)
  expect(here.of('target-up')).toEqual([])
  const answer = deliver(here.url)
  await expect.poll(() => again.answers.length).toBe(2)
  again.answers[1]?.(500)
  expect((await answer).status).toBe(500)
  expect(here.of('target-up')).toHaveLength(1)
})

/** Runs in place of the diagnosis: says what it was asked. */
const echo = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ known }) => parentPort.postMessage('known: ' + JSON.stringify(known)))`)}`,
)
const known = [{ label: 'live', secret: 'whsec_live' }] as never

test.each<[string, Partial<ListenerOptions>, string]>([
  [
    'the other secrets of this machine',
    { knownSecrets: async () => known },
    `known: ${JSON.stringify(known)}`,
  ],
  ['none when they cannot be read', { knownSecrets: () => Promise.reject(new Error('locked')) }, 'known: []'],
  ['none when there are none', {}, 'known: []'],
])('a refusal is explained by its program, which gets %s', async (_, options, detail) => {
  const here = await listen({ ...options, diagnosisProgram: echo })
  const body = eventBody()
  await deliver(here.url, body, await signedHeaders(body, { key: 'whsec_other' }))
  await expect.poll(() => here.of('delivery')).toMatchObject([{ delivery: { detail } }])
  expect(here.inbox.deliveries.list()).toMatchObject([{ detail }])
})

test('a delivery for which there is no secret is explained as well', async () => {
  const here = await listen({
    secrets: async () => [],
    knownSecrets: async () => known,
    diagnosisProgram: echo,
  })
  await deliver(here.url)
  const detail = `known: ${JSON.stringify(known)}`
  await expect.poll(() => here.of('delivery')).toMatchObject([{ delivery: { reason: 'no_secret', detail } }])
})

test('an explanation that cannot be stored is told, and so is the trouble', async () => {
  const { inbox } = await listen()
  const deliveries = {
    ...inbox.deliveries,
    explain: () => {
      throw new Error('disk gone')
    },
  }
  const here = await listen({ inbox: { ...inbox, deliveries }, diagnosisProgram: echo })
  const body = eventBody()
  await deliver(here.url, body, await signedHeaders(body, { key: 'whsec_other' }))
  await expect.poll(() => here.of('delivery')).toMatchObject([{ delivery: { detail: 'known: []' } }])
  expect(here.of('error')).toMatchObject([{ error: { message: 'disk gone' }, fatal: false }])
})

test('closing gives a forward that begins meanwhile no more time than the others, and leaves no timer', async () => {
  const started = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }], dedupe: true, forwardTimeoutMs: 654 })
  const body = eventBody('evt_1')
  const first = deliver(here.url, body)
  await expect.poll(() => target.answers.length).toBe(1)
  const repeat = statusOf(deliver(here.url, body))
  await expect.poll(() => here.of('delivery').length).toBe(2)
  const closed = here.listener.close()
  target.answers[0]?.(500)
  expect((await first).status).toBe(500)
  await closed
  expect([503, 'none']).toContain(await repeat)
  expect(here.of('settled')).toMatchObject([{ answered: 500 }, { forward: { failure: 'aborted' } }])

  started.mockClear()
  const other = await listen({ forwardTimeoutMs: 54_321 })
  await other.listener.close()
  const limits = started.mock.results.filter((_, at) => started.mock.calls[at]?.[1] === 54_321)
  expect(limits).toHaveLength(1)
  expect(cleared).toHaveBeenCalledWith(limits[0]?.value)
})

test('closing ends the connection to the target, which was kept for the next forward', async () => {
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }] })
  const answer = deliver(here.url)
  await expect.poll(() => target.answers.length).toBe(1)
  target.answers[0]?.(200)
  await answer
  await here.listener.close()
  await Promise.all(target.ended)
})

/**
 * A sender whose answer of 10 MiB is leaving, more than the system takes for one that does not read it. `next` follows its
 * request.
 */
async function slowSender(next = '') {
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }] })
  const body = eventBody()
  const signed = Object.entries(await signedHeaders(body)).map(([name, value]) => `${name}: ${value}\r\n`)
  const sender = connect(here.port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void sender.destroy())
  sender.pause()
  sender.write(
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n${signed.join('')}\r\n${body}${next}`,
  )
  await expect.poll(() => target.answers.length).toBe(1)
  const bytes = 10 * 1024 * 1024
  target.answers[0]?.(200, Buffer.alloc(bytes))
  await expect.poll(() => here.of('settled').length).toBe(1)
  /** How much of the answer comes until the connection is closed. */
  const readAll = async () => {
    let read = 0
    sender.on('data', (chunk) => (read += chunk.byteLength))
    sender.resume()
    await once(sender, 'close')
    return read
  }
  return { listener: here.listener, bytes, readAll }
}

test('an answer that is leaving when the listener closes still arrives whole', async () => {
  const { listener, bytes, readAll } = await slowSender()
  const closed = listener.close()
  expect(await readAll()).toBeGreaterThan(bytes)
  await closed
})

test('a sender that does not read its answer is cut a second later, so that closing ends', async () => {
  const { listener, bytes, readAll } = await slowSender('POST / HT')
  await listener.close()
  expect(await readAll()).toBeLessThan(bytes)
})

test('by force it is cut at once', async () => {
  const { listener, bytes, readAll } = await slowSender()
  const started = performance.now()
  await listener.close({ force: true })
  expect(performance.now() - started).toBeLessThan(800)
  expect(await readAll()).toBeLessThan(bytes)
})
