import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { textLines } from '../../src/listener/lines.ts'
import { safeText } from '../../src/output/safe-text.ts'
import {
  deliver,
  eventBody,
  signedHeaders,
  startTestListener,
  type TestListener,
} from '../support/test-listener.ts'

let here: TestListener

afterEach(() => here.stop())

/** Writes raw bytes and returns the answer's status line, empty when there was none. */
async function raw(bytes: string | Buffer, { end = false } = {}): Promise<string> {
  const socket = connect(here.port, '127.0.0.1')
  socket.on('error', () => undefined)
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  socket.write(bytes)
  if (end) socket.end()
  await once(socket, 'close')
  return answer.split('\r\n')[0] ?? ''
}

const lines = () =>
  here.events.flatMap((event) => textLines(event, { safe: safeText, time: () => '12:00:00' }))

/** The listener is alive when a good delivery still gets through. */
async function isAlive(): Promise<boolean> {
  return (await deliver(here.url)).status === 200
}

test.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
  '%s is answered 405, and told in a line',
  async (method) => {
    here = await startTestListener()
    const response = await fetch(here.url, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('POST')
    expect(lines()).toContain(`12:00:00 --- 405 ${method} /: a delivery is a POST`)
    expect(here.inbox.deliveries.list()).toEqual([])
  },
)

test('a path beside --path is 404, one below it is a delivery', async () => {
  here = await startTestListener({ path: '/hooks/' })
  expect(here.url).toBe(`http://127.0.0.1:${here.port}/hooks`)
  expect((await deliver(here.url)).status).toBe(200)
  expect((await deliver(`${here.url}/a?b`)).status).toBe(200)
  expect((await deliver(`${here.url}?b`)).status).toBe(200)
  expect((await deliver(`${here.url}-2`)).status).toBe(404)
  expect(await raw('POST http://evil/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n')).toContain(
    '404',
  )
})

test('a path that leaves the target’s own is refused, and never forwarded', async () => {
  const reached: (string | undefined)[] = []
  const target = createServer((request, response) => {
    reached.push(request.url)
    request.resume()
    response.end()
  })
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  onTestFinished(() => void target.close())
  const { port } = target.address() as AddressInfo
  here = await startTestListener({ forward: [{ url: `http://127.0.0.1:${port}/hooks` }] })
  const body = eventBody()
  const signed = Object.entries(await signedHeaders(body)).map(([name, value]) => `${name}: ${value}\r\n`)
  const post = (path: string) =>
    raw(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${signed.join('')}\r\n${body}`,
    )
  for (const path of ['/../../etc/passwd', '/%2e%2e/x', '/..%5cx', '/a\\..\\x', '//evil.example/x']) {
    expect(await post(path), path).toContain('400')
  }
  expect(await post(`http://127.0.0.1:${port}/x`)).toContain('404')
  expect(here.of('refused')[0]?.why).toContain('lead out')
  expect(await post('/below')).toContain('200')
  expect(reached).toEqual(['/hooks/below'])
})

describe('a body that is too large', () => {
  test('of 10 MB is answered 413, told and recorded, without its bytes', async () => {
    here = await startTestListener()
    const body = Buffer.alloc(10 * 1024 * 1024, 0x20)
    const response = await deliver(here.url, body, await signedHeaders(body))
    expect(response.status).toBe(413)
    expect(here.inbox.deliveries.list()).toMatchObject([
      { reason: 'body_too_large', verified: false, eventId: 'evt_1' },
    ])
    expect(lines()[1]).toContain('body_too_large')
    expect(await isAlive()).toBe(true)
  })

  test('is verified when the limit allows it', async () => {
    here = await startTestListener({ maxBodyBytes: 16 * 1024 * 1024 })
    const body = Buffer.alloc(10 * 1024 * 1024, 0x20)
    expect((await deliver(here.url, body)).status).toBe(200)
    expect(here.inbox.deliveries.list()[0]?.body.byteLength).toBe(body.byteLength)
  })

  test('is not asked for when it is announced', async () => {
    here = await startTestListener()
    const call = request(here.url, {
      method: 'POST',
      headers: { Expect: '100-continue', 'Content-Length': 2_000_000 },
    })
    call.on('error', () => undefined)
    let continued = false
    call.on('continue', () => {
      continued = true
    })
    call.flushHeaders()
    const [response] = (await once(call, 'response')) as [{ statusCode: number }]
    expect(response.statusCode).toBe(413)
    expect(continued).toBe(false)
    call.destroy()
  })

  test('is asked for when it is announced as small', async () => {
    here = await startTestListener()
    const body = eventBody()
    const headers = {
      ...(await signedHeaders(body)),
      Expect: '100-continue',
      'Content-Length': Buffer.byteLength(body),
    }
    const call = request(here.url, { method: 'POST', headers })
    call.on('continue', () => call.end(body))
    call.flushHeaders()
    const [response] = (await once(call, 'response')) as [{ statusCode: number }]
    expect(response.statusCode).toBe(200)
  })
})

test('broken requests are answered in time, told in one line each, and do no harm', {
  tags: ['slow'],
}, async () => {
  here = await startTestListener({ requestTimeoutMs: 600 })
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
  expect(await raw('no http at all\r\n\r\n')).toContain('400')
  expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nnot a chunk`)).toContain('400')
  expect(await raw(`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`)).toContain('400')
  expect(await raw(`${head}X: ${'x'.repeat(20_000)}\r\n\r\n`)).toContain('431')
  expect(await raw(`${head}${'A: b\r\n'.repeat(5000)}\r\n`)).toContain('431')
  expect(await raw(`${head}Content-Length: 100\r\n\r\nshort`)).toContain('408')
  expect(await raw(`${head}Content-Len`)).toContain('408')
  expect(await raw(`${head}Content-Length: 100\r\n\r\nshort`, { end: true })).toMatch(/400|^$/)
  expect(await raw('')).toContain('408')
  expect(here.of('refused')).toHaveLength(8)
  expect(here.inbox.deliveries.list()).toEqual([])
  expect(await isAlive()).toBe(true)
})

test('escape sequences in every field leave lines that hold none', async () => {
  const target = createServer((request, response) => {
    request.resume()
    response.writeHead(500).end(evil)
  })
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  onTestFinished(() => void target.close())
  const { port } = target.address() as AddressInfo
  const forward = [{ match: 'answered', url: `http://127.0.0.1:${port}/` }, { url: 'http://127.0.0.1:9/' }]
  here = await startTestListener({ insecureForward: true, forward })
  const evil = '\u001b]0;pwned\u0007\u001b[2J\u202e\u009b31m\r\n'
  const body = JSON.stringify({
    event_id: `evt_${evil}`,
    type: evil,
    livemode: evil,
    data: { connection: { id: evil.repeat(1000) } },
  })
  await deliver(here.url, body)
  await deliver(here.url, body, { 'X-LS-Webhook-Event-Type': 'a\u009b31mb' })
  await deliver(here.url, JSON.stringify({ event_id: 'evt_1', type: 'answered' }), {})
  await raw(`GET /\u001b[2J HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  expect(lines().length).toBeGreaterThan(8)
  expect(lines().join('\n')).toMatch(/\n {10,}\S*pwned/)
  for (const line of lines()) {
    expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(line.length).toBeLessThan(8000)
  }
})

test('a large body that does not verify is not read, and its beginning is kept', async () => {
  here = await startTestListener()
  const event = (bytes: number) =>
    JSON.stringify({ ...JSON.parse(eventBody('evt_body')), note: 'x'.repeat(bytes) })
  const forged = { 'X-LS-Webhook-Event-Id': 'evt_header' }
  expect((await deliver(here.url, event(100), forged)).status).toBe(401)
  expect((await deliver(here.url, event(100_000), forged)).status).toBe(401)
  expect((await deliver(here.url, event(100_000))).status).toBe(200)
  expect(here.of('delivery').map(({ delivery }) => [delivery.eventId, delivery.event === undefined])).toEqual(
    [
      ['evt_body', false],
      ['evt_header', true],
      ['evt_body', false],
    ],
  )
  expect(here.inbox.deliveries.get('evt_header')[0]?.body.byteLength).toBe(8192)
})

test('JSON nested without end is kept as bytes', async () => {
  here = await startTestListener()
  const body = `{"event_id":"evt_1","type":"webhook.test","data":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
  expect((await deliver(here.url, body)).status).toBe(200)
  expect(here.of('delivery')[0]?.delivery).toMatchObject({
    shape: 'no_envelope',
    event: undefined,
    eventId: 'evt_1',
  })
})

test('a thousand idle sockets keep nobody waiting', { tags: ['slow'] }, async () => {
  here = await startTestListener()
  const sockets: Socket[] = []
  for (let at = 0; at < 1000; at++) {
    const socket = connect(here.port, '127.0.0.1')
    socket.on('error', () => undefined)
    sockets.push(socket)
  }
  await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)))
  const started = performance.now()
  const answers = await Promise.all(Array.from({ length: 300 }, () => deliver(here.url)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(performance.now() - started).toBeLessThan(10_000)
  for (const socket of sockets) socket.destroy()
})

describe('the Host header', () => {
  const post = (host: string) =>
    raw(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)

  test('of a stranger is refused on loopback: DNS rebinding', async () => {
    here = await startTestListener()
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '[::2]', '']) {
      expect(await post(host)).toContain('421')
    }
    for (const host of ['localhost', '127.0.0.1:4020', '[::1]:4020', 'dev.localhost', 'LOCALHOST:1']) {
      expect(await post(host)).toContain('401')
    }
    expect(lines()[1]).toContain('--public-url')
  })

  test('of the public address is accepted', async () => {
    here = await startTestListener({ publicUrl: 'https://abc.tunnel.example/x' })
    expect(await post('abc.tunnel.example')).toContain('401')
    expect(await post('other.tunnel.example')).toContain('421')
  })
})

test('random bytes do no harm', async () => {
  here = await startTestListener({ requestTimeoutMs: 500 })
  const parts = [
    'POST / HTTP/1.1\r\n',
    'Host: localhost\r\n',
    'Content-Length: ',
    'Transfer-Encoding: chunked\r\n',
    '\r\n',
  ]
  const attempts = Array.from({ length: 150 }, (_, at) => {
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(40)))
    const cut = parts.slice(0, (at % parts.length) + 1).join('')
    return raw(Buffer.concat([Buffer.from(cut), noise, Buffer.from(at % 2 === 0 ? '\r\n\r\n' : '')]))
  })
  await Promise.all(attempts)
  for (const line of lines()) expect(line).not.toMatch(/\p{Cc}/u)
  expect(await isAlive()).toBe(true)
})
