/** The HTTP server of the listener, with a receiver of the test behind it. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BodyMemory } from './body-memory.ts'
import { Connections } from './connections.ts'
import type { DeliveryResponse, IncomingDelivery } from './receive.ts'
import { createDeliveryServer, type DeliveryServerOptions, type Refused } from './server.ts'

const received: DeliveryResponse = { status: 200, headers: [], body: Buffer.from('ok') }

async function start(over: Partial<DeliveryServerOptions> = {}) {
  const deliveries: IncomingDelivery[] = []
  const refused: Refused[] = []
  const errors: Error[] = []
  const connections = new Connections()
  const memory = new BodyMemory()
  const server = createDeliveryServer({
    boundTo: '127.0.0.1',
    publicUrl: undefined,
    prefix: '',
    maxBodyBytes: 1000,
    memory,
    connections,
    requestTimeoutMs: 30_000,
    receive: async (delivery) => {
      deliveries.push(delivery)
      return received
    },
    onRefused: (one) => refused.push(one),
    onError: (error) => errors.push(error),
    ...over,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/`
  const post = (body: string | Uint8Array = '{}') => fetch(url, { method: 'POST', body: Buffer.from(body) })
  /** Everything that comes back to these bytes until the connection is closed. */
  async function raw(bytes: string, { end = false } = {}): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('error', () => undefined).on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.write(bytes)
    if (end) socket.end()
    await once(socket, 'close')
    return answer
  }
  return { server, port, post, raw, deliveries, refused, errors, connections }
}

const answering = (answer: Partial<DeliveryResponse>) => ({
  receive: async () => ({ ...received, ...answer }),
})

const head = 'POST / HTTP/1.1\r\nHost: localhost\r\n'

test('a request has its time, its headers a third of that, and an idle connection five seconds', async () => {
  const { server } = await start({ requestTimeoutMs: 1000 })
  expect(server).toMatchObject({ requestTimeout: 1000, headersTimeout: 334, keepAliveTimeout: 5000 })
})

test('a delivery comes with its method, path, headers as sent, and bytes', async () => {
  const { raw, deliveries, refused } = await start()
  await raw(`${head}X-Mixed: Case\r\nConnection: close\r\nContent-Length: 3\r\n\r\na\r\n`)
  expect(deliveries).toMatchObject([
    {
      method: 'POST',
      path: '/',
      rawHeaders: expect.arrayContaining([['X-Mixed', 'Case']]),
      headers: { 'x-mixed': 'Case' },
      tooLarge: false,
    },
  ])
  expect(Buffer.from(deliveries[0]?.body ?? []).toString()).toBe('a\r\n')
  expect(refused).toEqual([])
})

test.each([0, 1, 4096, 4097, 100_000])('an answer of %i bytes of any kind leaves as it is', async (bytes) => {
  const body = Buffer.from(Array.from({ length: bytes }, (_, at) => at % 256))
  const { post } = await start(answering({ status: 201, headers: [['X-Mine', 'yes']], body }))
  const response = await post()
  expect(response.status).toBe(201)
  expect(response.headers.get('x-mine')).toBe('yes')
  expect(response.headers.get('content-length')).toBe(String(bytes))
  expect(response.headers.get('connection')).toBe('keep-alive')
  expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true)
})

test.each([204, 304])('a %i has no body, and the connection goes on', async (status) => {
  const { raw } = await start(answering({ status, body: Buffer.from('never sent') }))
  const request = `${head}Content-Length: 0\r\n`
  const answer = await raw(`${request}\r\n${request}Connection: close\r\n\r\n`)
  expect(answer.match(new RegExp(`HTTP/1.1 ${status}`, 'g'))).toHaveLength(2)
  expect(answer).not.toContain('never sent')
})

test('an answer that HTTP cannot carry closes the connection', async () => {
  const { raw, errors } = await start(answering({ headers: [['X-Mine', 'a\r\nb']] }))
  expect(await raw(`${head}Content-Length: 0\r\n\r\n`)).toBe('')
  expect(errors).toEqual([])
})

test('after an answer to a body that is too large, and after the last one, the connection is closed', async () => {
  const { post, server, deliveries } = await start()
  const large = await post('x'.repeat(1001))
  expect(large.headers.get('connection')).toBe('close')
  expect(deliveries).toMatchObject([{ tooLarge: true, body: new Uint8Array() }])
  expect((await post('x'.repeat(1000))).headers.get('connection')).toBe('keep-alive')
  const last = await start({
    receive: async () => {
      last.server.close()
      return received
    },
  })
  expect((await last.post()).headers.get('connection')).toBe('close')
  expect(server.listening).toBe(true)
})

test('a fault is told and answered 500, and the connection closed', async () => {
  const fault = new TypeError('a fault')
  const { post, errors, connections } = await start({ receive: () => Promise.reject(fault) })
  const response = await post()
  expect([response.status, await response.json()]).toEqual([500, { error: { code: 'listener_failed' } }])
  expect(response.headers.get('connection')).toBe('close')
  expect(errors).toEqual([fault])
  // It counts as answered.
  await connections.drain()
})

test('the memory of a body is given back when its delivery is answered', async () => {
  const { post } = await start({ memory: new BodyMemory(1000) })
  for (const _ of ['first', 'second', 'third']) expect((await post('x'.repeat(600))).status).toBe(200)
})

test('a body for which there is no memory is 503 with Retry-After, and told', async () => {
  const { post, refused } = await start({ memory: new BodyMemory(10) })
  const response = await post('x'.repeat(600))
  expect([response.status, await response.json()]).toEqual([503, { error: { code: 'overloaded' } }])
  expect(response.headers.get('retry-after')).toBe('1')
  expect(response.headers.get('connection')).toBe('close')
  expect(refused).toMatchObject([{ status: 503, method: 'POST', path: '/' }])
})

test('a sender that ends before its body does is told once', async () => {
  const { raw, refused, deliveries } = await start()
  await raw(`${head}Content-Length: 100\r\n\r\nshort`, { end: true })
  await expect.poll(() => refused.length).toBe(1)
  expect(deliveries).toEqual([])
})

test('a connection that is reset inside a body is told once, with its path; one that is reset inside a head, or idle, is not', async () => {
  const { server, port, refused, deliveries } = await start()
  for (const bytes of ['', 'POST / HT', `${head}Content-Length: 100\r\n\r\nshort`]) {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    const [serverSide] = await accepted
    const closed = new Promise((resolve) => serverSide.once('close', resolve))
    if (bytes !== '') {
      socket.write(bytes)
      await expect.poll(() => serverSide.bytesRead).toBe(bytes.length)
    }
    socket.resetAndDestroy()
    await closed
  }
  await expect.poll(() => refused).toMatchObject([{ status: 400, method: 'POST', path: '/' }])
  expect(deliveries).toEqual([])
})

test('a sender that has gone before its answer harms nobody', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<DeliveryResponse>()
  const { server, port, post, refused, errors, connections } = await start({ receive: () => answered })
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(`${head}Content-Length: 2\r\n\r\n{}`)
  const [serverSide] = await accepted
  await expect.poll(() => serverSide.bytesRead).toBeGreaterThan(0)
  const closed = once(serverSide, 'close')
  socket.destroy()
  await closed
  answer({ ...received, body: Buffer.alloc(100_000) })
  await connections.drain()
  expect((await post()).status).toBe(200)
  expect([refused, errors]).toEqual([[], []])
})

test.each([
  ['a request that is refused', 'PUT'],
  ['a delivery', 'POST'],
])('the body of %s is read in turns when it comes in very many chunks', async (_, method) => {
  const { server, raw } = await start({ maxBodyBytes: 100_000 })
  const pauses: number[] = []
  server.on('connection', (socket: Socket) => {
    const pause = socket.pause.bind(socket)
    vi.spyOn(socket, 'pause').mockImplementation(() => {
      pauses.push(socket.bytesRead)
      return pause()
    })
  })
  const chunks = '1\r\nx\r\n'.repeat(30_000)
  const answer = await raw(
    `${method} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  )
  expect(answer).toContain(method === 'POST' ? '200 OK' : '405 Method Not Allowed')
  expect(pauses.length).toBeGreaterThan(0)
})

test('a body that is announced as exactly the limit is asked for', async () => {
  const { port, deliveries } = await start()
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  socket.write(`${head}Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n`)
  await expect.poll(() => answer).toContain('100 Continue')
  socket.write('x'.repeat(1000))
  await expect.poll(() => answer).toContain('200 OK')
  expect(deliveries).toMatchObject([{ tooLarge: false }])
})

test('the sender of a broken request has a second to read that, and is cut even when it keeps its side open', async () => {
  const { server, port } = await start()
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const [serverSide] = await accepted
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  socket.write('no http at all\r\n\r\n')
  await once(serverSide, 'close')
  await expect.poll(() => answer).toContain('400 Bad Request')
})

test.each([
  ['no HTTP', 'no http at all\r\n\r\n', '400 Bad Request'],
  [
    'a head of more than 16 KiB',
    `${head}X: ${'x'.repeat(17_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
  ],
  [
    'a chunk with too large an extension',
    `${head}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`,
    '413 Payload Too Large',
  ],
])('%s is answered, told once without a path, and the connection closed', async (_, bytes, status) => {
  const { raw, refused } = await start()
  const answer = await raw(bytes)
  expect(answer).toContain(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  expect(refused).toMatchObject([{ status: Number(status.slice(0, 3)), method: '', path: '' }])
})

test('a head of less than 16 KiB is a delivery', async () => {
  const { raw } = await start()
  const answer = await raw(
    `${head}X: ${'x'.repeat(15_000)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  )
  expect(answer).toContain('200 OK')
})

test('one that is late is answered 408 and told; a connection that never sent a byte is only closed', async () => {
  const { raw, refused } = await start({ requestTimeoutMs: 90 })
  const started = performance.now()
  expect(await raw('POST / HT')).toContain('408 Request Timeout')
  // It is looked for ten times in the time of a request, and at least once a second.
  expect(performance.now() - started).toBeLessThan(800)
  expect(refused).toMatchObject([{ status: 408, method: '', path: '' }])
  await raw('')
  expect(refused).toHaveLength(1)
})

test.each([
  [
    'another host',
    `POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n`,
    421,
    'host_not_allowed',
  ],
  [
    'a path that climbs',
    `POST /a/%2e%2e/b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
    400,
    'bad_path',
  ],
  [
    'another path',
    `POST /hook2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
    404,
    'no_such_path',
  ],
  ['another method', `GET /hook HTTP/1.1\r\nHost: localhost\r\n\r\n`, 405, 'method_not_allowed'],
])('%s is refused with its code, told, and the connection closed', async (_, bytes, status, code) => {
  const { raw, refused, deliveries } = await start({ prefix: '/hook' })
  const answer = await raw(bytes)
  expect(answer).toContain(`HTTP/1.1 ${status} `)
  expect(answer).toContain(`{"error":{"code":"${code}"}}`)
  expect(answer.includes('Allow: POST')).toBe(status === 405)
  const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(bytes) ?? []
  expect(refused).toMatchObject([{ status, method, path }])
  expect(deliveries).toEqual([])
})
