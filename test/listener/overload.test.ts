/** More bodies and connections than the listener takes: genuine deliveries get in, and memory follows bytes. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  deliver,
  eventBody,
  signedHeaders,
  startTestListener,
  type TestListener,
} from '../support/test-listener.ts'
import { usedMemory } from '../support/used-memory.ts'

let here: TestListener

afterEach(() => here.stop())

const chunkedHead = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n'

/** A connection that has sent these bytes, with what came back so far. */
async function opened(bytes: string | Buffer): Promise<{ socket: Socket; answer: () => string }> {
  const socket = connect(here.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  await once(socket, 'connect')
  if (bytes.length > 0) await new Promise((resolve) => socket.write(bytes, resolve))
  return { socket, answer: () => answer }
}

/** `bytes` bytes of a body, each a chunk of its own. */
const oneByteChunks = (bytes: number) => Buffer.from('1\r\nx\r\n'.repeat(bytes))

describe('bodies', () => {
  test('in chunks of one byte take memory by their bytes', async () => {
    here = await startTestListener()
    const before = usedMemory()
    const bytes = 200_000
    for (let at = 0; at < 5; at++)
      await opened(Buffer.concat([Buffer.from(`${chunkedHead}\r\n`), oneByteChunks(bytes)]))
    // A delivery that comes behind them is read after them.
    expect((await deliver(here.url)).status).toBe(200)
    expect(usedMemory() - before).toBeLessThan(15)
  })

  test('a genuine one in chunks of one byte verifies', async () => {
    here = await startTestListener()
    const body = eventBody('evt_slow')
    const signed = Object.entries(await signedHeaders(body)).map(([name, value]) => `${name}: ${value}\r\n`)
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
    const { answer } = await opened(`${chunkedHead}${signed.join('')}\r\n${chunks}0\r\n\r\n`)
    await expect.poll(answer).toContain('200 OK')
    expect(here.inbox.deliveries.get('evt_slow')).toMatchObject([
      { verified: true, body: new Uint8Array(Buffer.from(body)) },
    ])
  })

  test('beyond the bound over all of them, the oldest is answered 503 with Retry-After', async () => {
    here = await startTestListener({ maxBytesInFlight: 300_000 })
    const part = (bytes: number) => `${chunkedHead}\r\n${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
    const first = await opened(part(140_000))
    const second = await opened(part(140_000))
    expect((await deliver(here.url, eventBody())).status).toBe(200)
    const third = await opened(part(100_000))
    await expect.poll(first.answer).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s)
    await expect.poll(() => first.socket.closed).toBe(true)
    expect(second.answer() + third.answer()).toBe('')
    expect(here.of('refused')).toMatchObject([{ status: 503, why: 'too many bodies were arriving at once' }])
    // One that is finished is handled, and what it held is free again.
    second.socket.write('0\r\n\r\n')
    await expect.poll(second.answer).toContain('401')
    const fourth = await opened(part(190_000))
    expect((await deliver(here.url)).status).toBe(200)
    expect(third.answer() + fourth.answer()).toBe('')
  })

  test('one that is larger than the bound is 503, too', async () => {
    here = await startTestListener({ maxBytesInFlight: 1000 })
    const response = await deliver(here.url, Buffer.alloc(2000))
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    expect((await deliver(here.url)).status).toBe(200)
  })

  test('answers of targets count, and one that began waits in nobody’s way', { tags: ['slow'] }, async () => {
    const target = createServer((request, response) => {
      request.resume()
      // Held open: it is never complete.
      if (request.url === '/large') response.write('x'.repeat(200_000))
      else if (request.url !== '/silent') response.end('ok')
    })
    target.listen(0, '127.0.0.1')
    await once(target, 'listening')
    onTestFinished(() => {
      target.closeAllConnections()
      target.close()
    })
    const { port } = target.address() as AddressInfo
    here = await startTestListener({
      maxBytesInFlight: 300_000,
      forward: [{ url: `http://127.0.0.1:${port}/` }],
      forwardTimeoutMs: 3000,
    })
    const silent = deliver(`${here.url}silent`)
    const first = deliver(`${here.url}large`)
    await expect.poll(() => here.of('delivery').length).toBe(2)
    const second = deliver(`${here.url}large`)
    const answers = await Promise.race([first, second])
    expect(answers.status).toBe(502)
    expect(here.of('forwarded')).toMatchObject([
      { forward: { failure: 'broken_answer', error: 'too many large answers were arriving at once' } },
    ])
    expect((await deliver(here.url)).status).toBe(200)
    expect((await silent).status).toBe(504)
    await Promise.all([first, second])
  })
})

describe('connections', () => {
  test('silent ones, and those that stop inside the header, make room for a delivery', async () => {
    here = await startTestListener({ maxConnections: 20 })
    const attackers: Awaited<ReturnType<typeof opened>>[] = []
    for (let at = 0; at < 40; at++) attackers.push(await opened(at % 2 === 0 ? '' : 'POST / HTTP/1.1\r\nHo'))
    const started = performance.now()
    expect((await deliver(here.url)).status).toBe(200)
    expect(performance.now() - started).toBeLessThan(2000)
    await expect.poll(() => attackers.filter(({ socket }) => socket.closed).length).toBe(21)
    expect(attackers.at(-1)?.socket.closed).toBe(false)
  })

  test('four requests of one may wait for their answer; with a fifth it is closed', async () => {
    here = await startTestListener()
    const request = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'
    const { answer, socket } = await opened(request.repeat(4))
    await expect.poll(() => answer().match(/401 Unauthorized/g)?.length).toBe(4)
    // They are answered, so four more may come.
    socket.write(request.repeat(4))
    await expect.poll(() => answer().match(/401 Unauthorized/g)?.length).toBe(8)
    const greedy = await opened(request.repeat(1000))
    await expect.poll(() => greedy.socket.closed).toBe(true)
    await expect.poll(() => here.of('delivery').length).toBe(12)
    expect((await deliver(here.url)).status).toBe(200)
    expect(here.of('delivery').length).toBe(13)
  })

  test('one that is late is destroyed, even when its sender keeps it half open', async () => {
    here = await startTestListener({ requestTimeoutMs: 600, maxConnections: 10 })
    const socket = connect({ port: here.port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    const closed = once(socket, 'error')
    socket.write('POST / HTTP/1.1\r\nHo')
    socket.resume()
    await once(socket, 'end')
    // The other side is gone, not only silent: writing on is refused by its system.
    const writing = setInterval(() => socket.write('x'), 20)
    onTestFinished(() => clearInterval(writing))
    const [error] = (await closed) as [NodeJS.ErrnoException]
    expect(['EPIPE', 'ECONNRESET']).toContain(error.code)
  })
})
