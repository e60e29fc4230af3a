import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deadPort, serveBytes } from '../../test/api/servers.ts'
import { startTlsTarget } from '../../test/support/tls-target.ts'
import { BodyMemory } from './body-memory.ts'
import { createForwarder, type ForwarderOptions } from './forward.ts'

async function targetThat(answer: (response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?a=1`
}

function forwarderWith(options: Partial<ForwarderOptions> = {}) {
  const forwarder = createForwarder({ timeoutMs: 5000, insecureTls: false, extraHeaders: [], ...options })
  onTestFinished(() => forwarder.abort())
  const forward = (url: string) =>
    forwarder.forward({ url, method: 'POST', headers: [], body: Buffer.from('{}') })
  return { forwarder, forward }
}

test('the final answer counts, not an early one; its headers keep their spelling and order', async () => {
  const url = await targetThat((response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeHead(201, [
      ['X-B', '1'],
      ['x-a', '2'],
      ['X-B', '3'],
    ])
    response.end('made')
  })
  const started = performance.now()
  const outcome = await forwarderWith().forward(url)
  expect(outcome).toMatchObject({ method: 'POST', url, status: 201, failure: undefined, error: undefined })
  expect(outcome.headers.filter(([name]) => /^x-/i.test(name))).toEqual([
    ['X-B', '1'],
    ['x-a', '2'],
    ['X-B', '3'],
  ])
  expect(outcome.headers.map(([name]) => name.toLowerCase())).not.toContain('link')
  expect(Buffer.from(outcome.body).toString()).toBe('made')
  expect(outcome.durationMs).toBeGreaterThan(0)
  expect(outcome.durationMs).toBeLessThanOrEqual(performance.now() - started)
})

test('an answer of more than 10 MiB is broken, one of exactly that is not', async () => {
  const limit = 10 * 1024 * 1024
  const { forward } = forwarderWith()
  const exact = await forward(await targetThat((response) => response.end(Buffer.alloc(limit))))
  expect(exact).toMatchObject({ status: 200, failure: undefined })
  expect(exact.body).toHaveLength(limit)
  const more = await forward(await targetThat((response) => response.end(Buffer.alloc(limit + 1))))
  expect(more).toMatchObject({
    status: undefined,
    failure: 'broken_answer',
    error: 'the answer is larger than 10 MiB',
  })
})

test('an answer for which there is no memory is broken; what earlier ones took was given back', async () => {
  const { forward } = forwarderWith({ memory: new BodyMemory(1000) })
  const small = await targetThat((response) => response.end(Buffer.alloc(900)))
  const large = await targetThat((response) => response.end(Buffer.alloc(1001)))
  const cut = await targetThat((response) => {
    response.writeHead(200, { 'Content-Length': '2000' })
    response.write(Buffer.alloc(900), () => response.destroy())
  })
  for (const url of [small, large, small, cut, small]) {
    const { failure, error } = await forward(url)
    expect(failure).toBe(url === small ? undefined : 'broken_answer')
    if (url === large) expect(error).toBe('too many large answers were arriving at once')
  }
})

test('no answer in time, nothing there and no HTTP are told apart, in words', async () => {
  const { forward } = forwarderWith({ timeoutMs: 100 })
  const started = performance.now()
  const silent = await forward(await targetThat(() => undefined))
  expect(silent).toMatchObject({ failure: 'timeout', error: 'no answer within 0.1 s (--forward-timeout)' })
  expect(silent.durationMs).toBeGreaterThan(90)
  expect(silent.durationMs).toBeLessThanOrEqual(performance.now() - started)
  expect(await forward(`http://127.0.0.1:${await deadPort()}/`)).toMatchObject({
    failure: 'unreachable',
    error: 'nothing listens there (ECONNREFUSED)',
  })
  const other = await serveBytes((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  expect(await forward(other.baseUrl)).toMatchObject({
    failure: 'broken_answer',
    error: expect.stringMatching(/^Response does not match .* \(HTTPParserError\)$/),
  })
})

test('a target with a certificate that is not trusted gets nothing, unless insecureTls says so', async () => {
  const { url, received } = await startTlsTarget()
  expect(await forwarderWith().forward(url)).toMatchObject({
    failure: 'unreachable',
    error: 'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); see --insecure-tls',
  })
  expect(received).toEqual([])
  expect(await forwarderWith({ insecureTls: true }).forward(url)).toMatchObject({ status: 200 })
  expect(received).toMatchObject([{ url: '/hooks' }])
})

test('an abort ends what is under way, even before a connection is made, and closing afterwards is possible', async () => {
  const asked = Promise.withResolvers<void>()
  const url = await targetThat(() => asked.resolve())
  const { forwarder, forward } = forwarderWith()
  const first = forward(url)
  await asked.promise
  const second = forward(url)
  await forwarder.abort()
  for (const outcome of [await first, await second]) {
    expect(outcome).toMatchObject({
      status: undefined,
      failure: 'aborted',
      error: 'ended before an answer came',
      headers: [],
    })
  }
  await forwarder.close()
})

test('a target that speaks HTTP/2 too is called with HTTP/1.1, as the listener is', async () => {
  const { url, received } = await startTlsTarget()
  expect(await forwarderWith({ insecureTls: true }).forward(url)).toMatchObject({ status: 200 })
  expect(received).toMatchObject([{ httpVersion: '1.1' }])
})

test('a forward that is over, answered or not, is not under way any more, and its time limit is gone', async () => {
  const started = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  const { forwarder, forward } = forwarderWith({ timeoutMs: 54_321 })
  const url = await targetThat((response) => response.end())
  for (const target of [url, `http://127.0.0.1:${await deadPort()}/`]) {
    const outcome = forward(target)
    expect(forwarder.running).toBe(1)
    await outcome
    expect(forwarder.running).toBe(0)
  }
  const limits = started.mock.results.filter((_, at) => started.mock.calls[at]?.[1] === 54_321)
  expect(limits).toHaveLength(2)
  for (const { value } of limits) expect(cleared).toHaveBeenCalledWith(value)
})

test('closing ends the connection that was kept for the next forward', async () => {
  const ended = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume()
    response.end()
  })
  // It offers to keep it for ten minutes.
  server.keepAliveTimeout = 600_000
  server.on('connection', (socket: Socket) => socket.once('close', () => ended.resolve()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { forwarder, forward } = forwarderWith()
  await forward(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await forwarder.close()
  await ended.promise
})
