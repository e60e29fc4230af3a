/** Raw requests: any path below the base address, treated like the operation it matches. */
import { expect, test } from 'vitest'
import { InputError } from '../../src/api/errors.ts'
import { connect, failureOf, key } from './client.ts'
import { envelope, json, serve } from './servers.ts'

test.each([
  ['/accounts', '/v3/accounts'],
  ['accounts', '/v3/accounts'],
  ['/v3/accounts', '/v3/accounts'],
  ['v3/accounts', '/v3/accounts'],
  ['/v3x/accounts', '/v3/v3x/accounts'],
  ['/accounts?a=1&b=x y', '/v3/accounts?a=1&b=x%20y&limit=5'],
  ['/accounts/acc_FDE_%C3%BC', '/v3/accounts/acc_FDE_%C3%BC'],
  ['/accounts/ü', '/v3/accounts/%C3%BC'],
])('the path %s goes to %s', async (path, url) => {
  const server = await serve((_, response) => json(response, 200, {}))
  const { api } = connect(server.baseUrl)
  await api.request({ method: 'get', path, query: path.includes('?') ? { limit: 5, no: undefined } : {} })
  expect(server.heard[0]).toMatchObject({ method: 'GET', url, headers: { authorization: `Bearer ${key}` } })
})

test('the whole address of the same service is taken, as poll_url gives it', async () => {
  const server = await serve((_, response) => json(response, 200, {}))
  const { api } = connect(server.baseUrl)
  await api.request({ method: 'GET', path: `${server.baseUrl}/operations/op_1?a=1` })
  expect(server.heard[0]?.url).toBe('/v3/operations/op_1?a=1')
})

test.each([
  ['https://evil.example/v3/accounts', 'other_origin'],
  ['//evil.example/accounts', 'other_origin'],
  ['http://127.0.0.1:1@evil.example/v3', 'other_origin'],
  ['javascript:alert(1)', 'other_origin'],
  ['/../_emulator/status', 'invalid_path'],
  ['/v3/../_emulator', 'invalid_path'],
  ['/accounts/%2e%2e/x', 'invalid_path'],
  ['/accounts/%2E%2E%2fx', 'invalid_path'],
  ['/accounts/..;/x\\y', 'invalid_path'],
  ['/\\evil.example', 'invalid_path'],
  ['/accounts//x', 'invalid_path'],
  ['/accounts/%zz', 'invalid_path'],
  ['/accounts#x', 'invalid_path'],
  ['/accounts\r\nX: 1', 'invalid_path'],
  ['', 'invalid_path'],
])('the path %j is refused before anything is sent', async (path, code) => {
  const { api } = connect('http://127.0.0.1:1/v3')
  const failure = await failureOf(api.request({ method: 'GET', path }))
  expect(failure).toBeInstanceOf(InputError)
  expect(failure).toMatchObject({ code })
})

test.each([
  'Authorization',
  'authorization',
  'Host',
  'Content-Length',
  'Transfer-Encoding',
  'X-Portal-Bootstrap-Signature',
])('the header %s is refused', async (name) => {
  const { api } = connect('http://127.0.0.1:1/v3')
  const failure = await failureOf(api.request({ method: 'GET', path: '/accounts', headers: { [name]: 'x' } }))
  expect(failure).toMatchObject({ code: 'invalid_header', param: name })
})

test('a header with a line break is refused', async () => {
  const { api } = connect('http://127.0.0.1:1/v3')
  const failure = await failureOf(
    api.request({ method: 'GET', path: '/accounts', headers: { 'X-A': 'a\r\nX-B: b' } }),
  )
  expect(failure).toMatchObject({ code: 'invalid_header' })
})

test('other headers replace those of bankapi', async () => {
  const server = await serve((_, response) => json(response, 200, {}))
  const { api } = connect(server.baseUrl)
  await api.request({ method: 'GET', path: '/x', headers: { ACCEPT: 'text/csv', 'X-A': 'b' } })
  expect(server.heard[0]?.headers).toMatchObject({
    accept: 'text/csv',
    'x-a': 'b',
    'user-agent': 'bankapi/test',
  })
})

test('JSON and bytes are sent with their type, an empty POST with Content-Length: 0', async () => {
  const server = await serve((_, response) => json(response, 200, {}))
  const { api } = connect(server.baseUrl)
  const bytes = Buffer.from('{ "a": 1 }\n')
  await api.request({ method: 'POST', path: '/x', body: { json: { a: 'ü' } } })
  await api.request({ method: 'PATCH', path: '/x', body: { bytes, contentType: 'application/json' } })
  await api.request({ method: 'POST', path: '/x' })
  expect(server.heard.map(({ body }) => String(body))).toEqual(['{"a":"ü"}', String(bytes), ''])
  expect(server.heard[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': '10',
  })
  expect(server.heard[2]?.headers['content-length']).toBe('0')
})

test('the answer is parsed JSON, bytes or nothing, depending on its type', async () => {
  const server = await serve((request, response) => {
    if (request.url.endsWith('json')) json(response, 200, [1])
    else if (request.url.endsWith('empty')) response.writeHead(204, { 'X-LS-Trace-Id': 't' }).end()
    else response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end('jpeg')
  })
  const { api } = connect(server.baseUrl)
  const get = (path: string) => api.request({ method: 'GET', path })
  expect(await get('/json')).toMatchObject({
    status: 200,
    traceId: 'trace-1',
    body: { kind: 'json', value: [1] },
  })
  expect(await get('/empty')).toMatchObject({ status: 204, traceId: 't', body: { kind: 'empty' } })
  const { body } = await get('/file')
  if (body.kind !== 'bytes') throw new Error(body.kind)
  expect(body.download.contentType).toBe('image/jpeg')
  for await (const chunk of body.download.body) expect(String(chunk)).toBe('jpeg')
})

test('errors and retries are those of the operation it matches', async () => {
  const server = await serve((_, response) => json(response, 404, envelope('not_found')))
  const { api } = connect(server.baseUrl)
  const matched = await failureOf(api.request({ method: 'GET', path: '/webhooks/subscriptions/whk_1' }))
  expect(matched).toMatchObject({
    code: 'not_found',
    assumedEndpoint: true,
    operation: { area: 'webhooks', name: 'get', path: '/webhooks/subscriptions/{subscription_id}' },
  })
  const unknown = await failureOf(api.request({ method: 'GET', path: '/new/thing?token=1' }))
  expect(unknown).toMatchObject({ assumedEndpoint: false, operation: { method: 'GET', path: '/new/thing' } })
})

test('a raw request is signed or carries a key as its operation does', async () => {
  const server = await serve((_, response) => json(response, 200, {}))
  const { api } = connect(server.baseUrl, { portalSecret: async () => 'bootstrap' })
  await api.request({ method: 'GET', path: '/health' })
  await api.request({ method: 'POST', path: '/portal/live-request', body: { json: { idp_user_id: 'u' } } })
  expect(server.heard.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
  expect(server.heard[1]?.headers['x-portal-bootstrap-signature']).toMatch(/^[0-9a-f]{64}$/)
})

test('a POST is sent again after 503 only with an Idempotency-Key that the service honours', async () => {
  const server = await serve((_, response) => json(response, 503, {}))
  const { api } = connect(server.baseUrl)
  const path = '/clients/cli_1/connect-session'
  await failureOf(api.request({ method: 'POST', path, body: { json: {} } }))
  expect(server.heard).toHaveLength(1)
  await failureOf(
    api.request({ method: 'POST', path, body: { json: {} }, headers: { 'idempotency-key': 'k' } }),
  )
  expect(server.heard).toHaveLength(5)
})
