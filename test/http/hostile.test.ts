/** A service that misbehaves: a clear error each time, no hang, nothing of the key. */
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { ApiResponseError, UnreachableError, UnreadableResponseError } from '../../src/http/errors.ts'
import type { ContractWarning } from '../../src/http/options.ts'
import { connect as connectPlain, failureOf, key, type TestApi } from './client.ts'
import { envelope, json, serve, serveBytes } from './servers.ts'

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

test('an error envelope becomes an ApiResponseError with every field', async () => {
  const error = {
    code: 'insufficient_scope',
    message: 'no',
    type: 'auth_error',
    param: 'x',
    extra: 1,
    doc_url: 5,
  }
  const server = await serve((_, response) =>
    json(response, 403, { error }, { 'X-LS-Trace-Id': 'header-trace' }),
  )
  const { api } = connect(server.baseUrl)
  const failure = await failureOf(api.connections.get(input))
  expect(failure).toBeInstanceOf(ApiResponseError)
  expect(failure).toMatchObject({
    code: 'insufficient_scope',
    message: 'no',
    httpStatus: 403,
    traceId: 'header-trace',
    envelope: true,
    assumedEndpoint: false,
    replayed: false,
    operation: { method: 'GET', path: '/connections/{connection_id}', area: 'connections', name: 'get' },
  })
  // doc_url is of the wrong type and left out; what is unknown is kept.
  expect((failure as ApiResponseError).error).toEqual({
    code: 'insufficient_scope',
    message: 'no',
    type: 'auth_error',
    param: 'x',
    extra: 1,
  })
})

test('the trace id of the envelope serves where the header is missing', async () => {
  const server = await serve((_, response) => {
    response.writeHead(404)
    response.end(JSON.stringify(envelope('not_found')))
  })
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.connections.get(input))).toMatchObject({ traceId: 'trace-in-body' })
})

test.each([404, 405])(
  'a %i from an assumed operation says that the path is an assumption',
  async (status) => {
    const server = await serve((_, response) => json(response, status, envelope('not_found')))
    const { api } = connect(server.baseUrl)
    expect(await failureOf(api.webhooks.get({ subscription_id: 'whk_1' }))).toMatchObject({
      assumedEndpoint: true,
    })
  },
)

test.each(['<h1>Bad gateway</h1>', '', '{"error":"text"}', '[]', 'null', '{"error":{"code":7}}'])(
  'an error status without an envelope (%s) is told by its status',
  async (body) => {
    const server = await serve((_, response) => {
      response.writeHead(500, { 'Content-Type': 'text/html' })
      response.end(body)
    })
    const { api } = connect(server.baseUrl)
    const failure = await failureOf(api.connections.get(input))
    expect(failure).toBeInstanceOf(ApiResponseError)
    expect(failure).toMatchObject({ httpStatus: 500, code: 'http_500', envelope: false })
  },
)

test('a 503 whose body is cut is still a 503', async () => {
  const server = await serveBytes((socket) =>
    socket.end('HTTP/1.1 503 Unavailable\r\nContent-Length: 100\r\n\r\n{"error":'),
  )
  const { api } = connect(server.baseUrl, once)
  expect(await failureOf(api.connections.get(input))).toMatchObject({ httpStatus: 503, code: 'http_503' })
})

test.each([
  ['HTML', '<!doctype html><p>Welcome to Hotel Wi-Fi', 'text/html', 'not_json', 'text/html'],
  ['nothing', '', 'application/json', 'not_json', 'an empty body'],
  ['half of a JSON text', '{"id": "con_', 'application/json', 'not_json', 'something else'],
  ['a list', '[{"id":1}]', 'application/json', 'wrong_type', 'not a JSON object'],
  ['a text', '"hello"', 'application/json', 'wrong_type', 'not a JSON object'],
  ['null', 'null', 'application/json', 'wrong_type', 'not a JSON object'],
])('a success with %s is unreadable', async (_, body, type, reason, words) => {
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Type': type, 'X-LS-Trace-Id': 't-1' })
    response.end(body)
  })
  const { api } = connect(server.baseUrl)
  const failure = await failureOf(api.connections.get(input))
  expect(failure).toBeInstanceOf(UnreadableResponseError)
  expect(failure).toMatchObject({ code: 'unreadable_response', reason, httpStatus: 200, traceId: 't-1' })
  expect(String(failure)).toContain(words)
})

test.each([{ data: 'x', has_more: false }, { data: [1], has_more: false }, { has_more: false }])(
  'a list whose data is no array of objects is unreadable: %j',
  async (body) => {
    const server = await serve((_, response) => json(response, 200, body))
    const { api } = connect(server.baseUrl)
    expect(await failureOf(api.clients.list())).toMatchObject({ reason: 'wrong_type' })
  },
)

test('other departures from the contract are warnings, once each, and the data stays as it came', async () => {
  const item = {
    id: 'acc_FDE_1',
    source: 'FDE',
    type: 'crypto',
    iso_currency_code: 'USD',
    connection_id: 5,
    subtype: 'x',
  }
  const { subtype: _, ...bare } = item
  const body = { data: [item, item, bare], has_more: false }
  const server = await serve((_request, response) => json(response, 200, body))
  const warnings: ContractWarning[] = []
  const { api } = connect(server.baseUrl, { onWarning: (warning) => warnings.push(warning) })
  expect(await api.accounts.list({ client_id: 'cli_1' })).toEqual(body)
  await api.accounts.list({ client_id: 'cli_1' })
  expect(warnings.map(({ at, problem }) => [at, problem])).toEqual([
    ['data[].type', 'unknown_value'],
    ['data[].connection_id', 'unexpected'],
    ['data[].subtype', 'missing'],
  ])
  expect(warnings[0]?.message).toBe('accounts.list: data[].type has the unknown value "crypto"')
})

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

test('a POST whose answer is cut is not sent again', async () => {
  const server = await serveBytes((socket) => socket.end(`${head(['Content-Length: 100'])}{`))
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.connections.refresh(input))).toMatchObject({ reason: 'cut' })
  expect(server.received).toHaveLength(1)
})

test('a service that never answers runs into the time for headers, and is asked twice', async () => {
  const server = await serveBytes(() => {})
  const { api } = connect(server.baseUrl, { timeouts: { headersMs: 60, connectMs: 1000 } })
  const failure = await failureOf(api.connections.get(input))
  expect(failure).toBeInstanceOf(UnreachableError)
  expect(failure).toMatchObject({ reason: 'timeout', phase: 'headers', attempts: 2 })
})

test('a body that stalls runs into the idle time', async () => {
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

test('headers that drip run into the time before an answer', async () => {
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

test('a gzip bomb is stopped at the limit, long before it is unpacked', async () => {
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

test('a plain body past the limit is stopped too', async () => {
  const server = await serve((_, response) => response.end(Buffer.alloc(3 * 2 ** 20, ' ')))
  const { api } = connect(server.baseUrl, { limits: { bodyBytes: 2 ** 20 } })
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'too_large' })
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
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason })
})

test('what does not speak HTTP is named as such', async () => {
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

test('a POST follows no redirect, and a circle of redirects ends', async () => {
  const server = await serve((request, response) => response.writeHead(307, { Location: request.url }).end())
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.connections.refresh(input))).toMatchObject({ reason: 'redirect' })
  expect(server.heard).toHaveLength(1)
  expect(await failureOf(api.connections.get(input))).toMatchObject({ reason: 'redirect' })
  expect(server.heard).toHaveLength(7)
})

test('onReply gets status, headers and trace id, of an error too', async () => {
  const server = await serve((_, response) => json(response, 404, envelope('not_found')))
  const { api } = connect(server.baseUrl)
  const replies: unknown[] = []
  await failureOf(api.connections.get(input, { onReply: (reply) => replies.push(reply) }))
  expect(replies).toMatchObject([
    { status: 404, traceId: 'trace-1', headers: { 'content-type': 'application/json' } },
  ])
})

test('after a request that may have changed something, the hint says to look first', async () => {
  const server = await serveBytes((socket) => socket.destroy())
  const { api } = connect(server.baseUrl, once)
  expect(await failureOf(api.clients.create({}))).toMatchObject({
    hint: expect.stringContaining('look before'),
  })
  expect(await failureOf(api.clients.list())).toMatchObject({
    hint: expect.not.stringContaining('look before'),
  })
})

test('a compressed body whose connection breaks is cut, at once', async () => {
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
