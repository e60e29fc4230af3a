/** Reading an answer: as data, as an error of the service, or as an answer that cannot be used. */
import { expect, test } from 'vitest'
import { ApiResponseError, UnreadableResponseError } from '../../src/api/errors.ts'
import type { ContractWarning } from '../../src/api/options.ts'
import { connect, failureOf } from './client.ts'
import { envelope, json, serve, serveBytes } from './servers.ts'

const once = { retries: { attempts: 1 } }
const input = { connection_id: 'con_FDE_1' }

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
  // doc_url has the wrong type and is left out; unknown fields are kept.
  expect((failure as ApiResponseError).error).toEqual({
    code: 'insufficient_scope',
    message: 'no',
    type: 'auth_error',
    param: 'x',
    extra: 1,
  })
})

test('the trace id of the envelope is used when the header is missing', async () => {
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
  'an error status without an envelope (%s) is reported by its status',
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

test.each([
  ['HTML', 'Content-Type: text/html', '<html>down</html>'],
  ['no gzip', 'Content-Encoding: gzip', 'down'],
  ['compressed in an unknown way', 'Content-Encoding: zstd', 'down'],
  ['not of the announced length', 'Content-Length: 100', 'down'],
  ['empty', 'X-Nothing: 1', ''],
])(
  'a 5xx whose body is %s is still the service that cannot be reached (exit 11)',
  async (_, header, body) => {
    for (const status of [500, 502, 503, 504, 599]) {
      const server = await serveBytes((socket) =>
        socket.end(`HTTP/1.1 ${status} Down\r\n${header}\r\n\r\n${body}`),
      )
      const { api } = connect(server.baseUrl)
      const failure = await failureOf(api.connections.get(input))
      expect(failure).toBeInstanceOf(ApiResponseError)
      expect(failure).toMatchObject({ httpStatus: status, code: `http_${status}`, exit: 'unreachable' })
    }
  },
)

test('a 503 with a truncated body is still a 503', async () => {
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
  'a list whose data is not an array of objects is unreadable: %j',
  async (body) => {
    const server = await serve((_, response) => json(response, 200, body))
    const { api } = connect(server.baseUrl)
    expect(await failureOf(api.clients.list())).toMatchObject({ reason: 'wrong_type' })
  },
)

test('other departures from the contract are one warning each, and the data is passed on unchanged', async () => {
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

test('onReply gets status, headers and trace id, also of an error', async () => {
  const server = await serve((_, response) => json(response, 404, envelope('not_found')))
  const { api } = connect(server.baseUrl)
  const replies: unknown[] = []
  await failureOf(api.connections.get(input, { onReply: (reply) => replies.push(reply) }))
  expect(replies).toMatchObject([
    { status: 404, traceId: 'trace-1', headers: { 'content-type': 'application/json' } },
  ])
})

test.each([
  ['lists', (depth: number) => `${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`],
  ['objects', (depth: number) => `${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}`],
])(
  '%s: nested 5,000 deep it is unreadable, which names the operation and the depth; 100 are read',
  async (_, nest) => {
    let depth = 5000
    const server = await serve((_, response) =>
      response.setHeader('Content-Type', 'application/json').end(`{"id":"con_FDE_1","extra":${nest(depth)}}`),
    )
    const { api } = connect(server.baseUrl, once)
    expect(await failureOf(api.connections.get(input))).toMatchObject({
      reason: 'too_deep',
      exit: 'unreachable',
      message: expect.stringContaining('connections.get is nested 5000 levels deep'),
    })
    const raw = { method: 'GET', path: '/somewhere/else' }
    expect(await failureOf(api.request(raw))).toMatchObject({
      message: expect.stringContaining('GET /somewhere/else is nested 5000 levels deep'),
    })
    depth = 100
    expect(await api.connections.get(input)).toMatchObject({ id: 'con_FDE_1' })
  },
)

test('an explanation that is nested 5,000 deep is none', async () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const server = await serve((_, response) =>
    response.writeHead(400).end(`{"error":{"code":"bad","message":"m","details":${deep}}}`),
  )
  const { api } = connect(server.baseUrl, once)
  expect(await failureOf(api.connections.get(input))).toMatchObject({ code: 'http_400', envelope: false })
})
