/** A misbehaving service: each time a clear error, no hang, and no part of the key. */
import { getEventListeners } from 'node:events'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { UnreachableError, UnreadableResponseError } from '../../src/api/errors.ts'
import { connect as connectPlain, failureOf, key, type TestApi, transport } from './client.ts'
import { json, serve, serveBytes } from './servers.ts'

const once = { retries: { attempts: 1 } }
const input = { connection_id: 'con_FDE_1' }
let lines: readonly string[] = []

const connect: typeof connectPlain = (...args): TestApi => {
  const made = connectPlain(...args)
  lines = made.lines
  return made
}

afterEach(() => {
  expect(lines.join('\n')).not.toContain(key)
  expect(lines.join('\n').toLowerCase()).not.toContain('authorization')
})

function head(lines: readonly string[]): string {
  return ['HTTP/1.1 200 OK', 'Content-Type: application/json', 'X-LS-Trace-Id: t-9', ...lines, '', ''].join(
    '\r\n',
  )
}

test.each([
  ['by Content-Length', `${head(['Content-Length: 100'])}{"id":`],
  ['in chunks', `${head(['Transfer-Encoding: chunked'])}6\r\n{"id":\r\n`],
  ['right after the headers', head(['Content-Length: 100'])],
])('a body cut short (%s) is unreadable, after a GET was tried again', async (_, bytes) => {
  const server = await serveBytes((socket) => socket.end(bytes))
  const { api } = connect(server.baseUrl, { retries: { attempts: 2 } })
  const failure = await failureOf(api.connections.get(input))
  expect(failure).toBeInstanceOf(UnreadableResponseError)
  expect(failure).toMatchObject({ reason: 'cut', httpStatus: 200, traceId: 't-9' })
  expect(server.received).toHaveLength(2)
})

test('a POST whose answer is truncated is not sent again', async () => {
  const server = await serveBytes((socket) => socket.end(`${head(['Content-Length: 100'])}{`))
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.connections.refresh(input))).toMatchObject({ reason: 'cut' })
  expect(server.received).toHaveLength(1)
})

test('a service that never answers exceeds the limit for headers, and a GET is tried twice', async () => {
  const server = await serveBytes(() => {})
  const { api } = connect(server.baseUrl, { timeouts: { headersMs: 60, connectMs: 100 } })
  const failure = await failureOf(api.connections.get(input))
  expect(failure).toBeInstanceOf(UnreachableError)
  expect(failure).toMatchObject({ reason: 'timeout', phase: 'headers', attempts: 2 })
})

test('an abort while the answer to an error arrives ends the call with its own reason', async () => {
  const server = await serveBytes((socket) => {
    socket.write('HTTP/1.1 503 Unavailable\r\nContent-Length: 100\r\n\r\n{')
  })
  const stop = new AbortController()
  const reason = new Error('Ctrl-C')
  const { api } = connect(server.baseUrl, {
    log: (line) => {
      if (line.startsWith('<-- 503')) setImmediate(() => stop.abort(reason))
    },
  })
  expect(await failureOf(api.connections.get(input, { signal: stop.signal }))).toBe(reason)
})

test('a call that is over, whatever its end, no longer listens to its signal', async () => {
  const server = await serve((request, response) => {
    if (request.url.includes('download')) response.end('%PDF-')
    else json(response, request.url.includes('con_FDE_1') ? 200 : 404, {})
  })
  const { signal } = new AbortController()
  const { api } = connect(server.baseUrl)
  await api.connections.get(input, { signal })
  await failureOf(api.connections.get({ connection_id: 'con_FDE_2' }, { signal }))
  const { body } = await api.statements.download({ statement_id: 's', client_id: 'c' }, { signal })
  for await (const _ of body);
  const unread = await api.statements.download({ statement_id: 's', client_id: 'c' }, { signal })
  for await (const _ of unread.body) break
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('without a debug log everything is the same, a redirect included', async () => {
  const server = await serve((request, response) => {
    if (request.url.endsWith('moved')) json(response, 200, { id: 'con_FDE_1' })
    else response.writeHead(307, { Location: '/v3/moved' }).end()
  })
  const { api } = connect(server.baseUrl, { log: undefined })
  expect(await api.connections.get(input)).toEqual({ id: 'con_FDE_1' })
})

test('a body that stalls exceeds the idle limit', async () => {
  const server = await serveBytes((socket) => socket.write(`${head(['Content-Length: 100'])}{`))
  const { api } = connect(server.baseUrl, { timeouts: { idleMs: 60 } })
  expect(await failureOf(api.connections.get(input))).toMatchObject({
    reason: 'timeout',
    phase: 'body',
    attempts: 1,
  })
})

test('a body that drips runs into the time for the whole of it', async () => {
  const server = await serveBytes((socket) => {
    socket.write(head(['Content-Length: 100000']))
    const drip = setInterval(() => socket.write(' '), 10)
    socket.on('close', () => clearInterval(drip))
  })
  const { api } = connect(server.baseUrl, { timeouts: { idleMs: 1000, bodyMs: 150 } })
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'timeout', phase: 'body' })
})

test('a 503 whose body drips is a 503, without much delay', async () => {
  const server = await serveBytes((socket) => {
    socket.write('HTTP/1.1 503 Unavailable\r\nContent-Length: 100000\r\n\r\n')
    const drip = setInterval(() => socket.write(' '), 10)
    socket.on('close', () => clearInterval(drip))
  })
  const { api } = connect(server.baseUrl, { ...once, timeouts: { bodyMs: 100 } })
  const started = performance.now()
  expect(await failureOf(api.connections.get(input))).toMatchObject({ httpStatus: 503, code: 'http_503' })
  expect(performance.now() - started).toBeLessThan(3000)
})

test('headers that drip exceed the limit for headers', async () => {
  const server = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const drip = setInterval(() => socket.write('X-A: 1\r\n'), 10)
    socket.on('close', () => clearInterval(drip))
  })
  const { api } = connect(server.baseUrl, { ...once, timeouts: { connectMs: 100, headersMs: 100 } })
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'timeout', phase: 'headers' })
})

test('compressed JSON is read', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' })
    response.end(gzipSync('{"id":"con_FDE_1"}'))
  })
  const { api } = connect(server.baseUrl)
  expect(await api.connections.get(input)).toEqual({ id: 'con_FDE_1' })
})

test('a gzip bomb is stopped at the limit, long before it is unpacked', { tags: ['slow'] }, async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20))
  const server = await serve((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' })
    response.end(bomb)
  })
  const { api } = connect(server.baseUrl, { limits: { bodyBytes: 2 ** 20 } })
  const before = process.memoryUsage().arrayBuffers
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'too_large' })
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 2 ** 20)
})

test('an uncompressed body is stopped at the limit, too', async () => {
  const server = await serve((_, response) => response.end(Buffer.alloc(3 * 2 ** 20, ' ')))
  const { api } = connect(server.baseUrl, { limits: { bodyBytes: 2 ** 20 } })
  expect(await failureOf(api.connections.get(input))).toMatchObject({
    reason: 'too_large',
    httpStatus: 200,
    message: expect.stringContaining('larger than 1 MB'),
  })
})

test.each([
  ['broken', 'gzip', Buffer.from('not gzip at all'), 'encoding'],
  ['cut', 'gzip', gzipSync('{"id":"con_FDE_1"}').subarray(0, 20), 'cut'],
  ['unknown', 'zebra', Buffer.from('x'), 'encoding'],
])('a compressed body that is %s is unreadable', async (_, encoding, body, reason) => {
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': encoding })
    response.end(body)
  })
  const { api } = connect(server.baseUrl, once)
  expect(await failureOf(api.connections.get(input))).toMatchObject({
    reason: reason === 'cut' ? transport.cutInGzip : reason,
  })
})

test('a server that does not speak HTTP is reported as one', async () => {
  const server = await serveBytes((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'not_http' })
})

test('a redirect to another origin is not followed, and only its origin is named', async () => {
  const other = await serve((_, response) => json(response, 200, {}))
  const location = `http://127.0.0.1:${other.port}/v3/steal?secret=1`
  const server = await serve((_, response) => response.writeHead(302, { Location: location }).end())
  const { api } = connect(server.baseUrl)
  const failure = await failureOf(api.connections.get(input))
  expect(failure).toMatchObject({ reason: 'redirect' })
  expect(String(failure)).toContain(`http://127.0.0.1:${other.port})`)
  expect(String(failure)).not.toContain('steal')
  expect(other.heard).toEqual([])
})

test.each([{}, { Location: 'http://' }])(
  'a redirect that leads nowhere (%j) is not followed, nor sent again',
  async (headers) => {
    const server = await serve((_, response) => response.writeHead(302, headers).end())
    const { api } = connect(server.baseUrl)
    expect(await failureOf(api.connections.get(input))).toMatchObject({
      reason: 'redirect',
      message: expect.stringContaining('leads nowhere'),
    })
    expect(server.heard).toHaveLength(1)
  },
)

test('a GET follows a redirect within its origin', async () => {
  const server = await serve((request, response) => {
    if (request.url.startsWith('/v3/connections'))
      response.writeHead(308, { Location: '/v3/moved?a=1' }).end('moved')
    else json(response, 200, { id: 'con_FDE_1' })
  })
  const { api } = connect(server.baseUrl)
  await api.connections.get(input)
  expect(server.heard.map(({ url }) => url)).toEqual(['/v3/connections/con_FDE_1', '/v3/moved?a=1'])
  expect(server.heard[1]?.headers.authorization).toBe(`Bearer ${key}`)
})

test.each([301, 302, 303, 307, 308])(
  'only a GET follows a redirect: a PATCH and a DELETE end at %i',
  async (status) => {
    const server = await serve((request, response) => {
      if (request.url.endsWith('moved')) json(response, 200, {})
      else response.writeHead(status, { Location: '/v3/moved' }).end()
    })
    const { api } = connect(server.baseUrl)
    const patch = api.keys.updateScopes({ api_key_id: 'k', scopes: ['read:accounts'] })
    expect(await failureOf(patch)).toMatchObject({ reason: 'redirect' })
    expect(await failureOf(api.connections.delete(input))).toMatchObject({ reason: 'redirect' })
    expect(server.heard.map(({ method }) => method)).toEqual(['PATCH', 'DELETE'])
  },
)

test('a POST follows no redirect, and a redirect loop ends', async () => {
  const server = await serve((request, response) => response.writeHead(307, { Location: request.url }).end())
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.connections.refresh(input))).toMatchObject({ reason: 'redirect' })
  expect(server.heard).toHaveLength(1)
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'redirect' })
  expect(server.heard).toHaveLength(7)
})

test('after a request that may have changed something, the hint says to check first', async () => {
  const server = await serveBytes((socket) => socket.destroy())
  const { api } = connect(server.baseUrl, once)
  expect(await failureOf(api.clients.create({}))).toMatchObject({
    hint: expect.stringContaining('look before'),
  })
  expect(await failureOf(api.clients.list())).toMatchObject({
    hint: expect.not.stringContaining('look before'),
  })
})

test('a compressed body whose connection breaks is reported as truncated at once', async () => {
  const half = gzipSync('{"id":"con_FDE_1"}').subarray(0, 15)
  const server = await serveBytes((socket) => {
    socket.write(head(['Content-Encoding: gzip', 'Content-Length: 1000']))
    socket.end(half)
  })
  const { api } = connect(server.baseUrl, once)
  const started = Date.now()
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'cut' })
  expect(Date.now() - started).toBeLessThan(5000)
})
