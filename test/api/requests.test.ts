/** The HTTP request that a call sends. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { InputError } from '../../src/api/errors.ts'
import { connect, failureOf, key } from './client.ts'
import { json, serve, serveBytes } from './servers.ts'

const operation = { operation_id: 'op_1', status: 'queued', poll_url: 'http://x/v3/operations/op_1' }
const cli = 'cli_1'

describe('requests', () => {
  test('an empty POST sends Content-Length: 0, and no Content-Type', async () => {
    const body = JSON.stringify(operation)
    const server = await serveBytes((socket) =>
      socket.end(
        `HTTP/1.1 202 Accepted\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      ),
    )
    const { api } = connect(server.baseUrl)
    await api.connections.refresh({ connection_id: 'con_FDE_123' })
    const [head = ''] = String(server.received[0]).split('\r\n\r\n')
    expect(head).toMatch(/^POST \/v3\/connections\/con_FDE_123\/refresh HTTP\/1\.1\r\n/)
    expect(head.toLowerCase()).toContain('\r\ncontent-length: 0')
    expect(head.toLowerCase()).not.toContain('transfer-encoding')
    expect(head.toLowerCase()).not.toContain('content-type')
  })

  test('path, query, Bearer key and User-Agent are sent; undefined is left out', async () => {
    const server = await serve((_, response) => json(response, 200, { data: [], has_more: false }))
    const { api } = connect(`${server.baseUrl}/`)
    await api.transactions.list({ account_id: 'acc_FDE_ü 1', client_id: cli, from: undefined, limit: 5 })
    expect(server.heard[0]).toMatchObject({
      method: 'GET',
      url: '/v3/accounts/acc_FDE_%C3%BC%201/transactions?client_id=cli_1&limit=5',
      headers: { authorization: `Bearer ${key}`, 'user-agent': 'bankapi/test', accept: 'application/json' },
    })
    expect(server.heard[0]?.headers['content-length']).toBeUndefined()
  })

  test('only declared body fields are sent, as JSON with its length', async () => {
    const server = await serve((_, response) => json(response, 202, operation))
    const { api } = connect(server.baseUrl)
    await api.connections.initiate({ client_id: cli, institution_id: 'ins_ü', redirect_url: null })
    const body = '{"institution_id":"ins_ü","redirect_url":null}'
    expect(String(server.heard[0]?.body)).toBe(body)
    expect(server.heard[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    })
  })

  test.each([
    ['..', 'invalid_parameter'],
    ['.', 'invalid_parameter'],
    ['a/b', 'invalid_parameter'],
    ['..\\x', 'invalid_parameter'],
    ['a\nb', 'invalid_parameter'],
    ['a\u0000', 'invalid_parameter'],
    ['\ud800', 'invalid_parameter'],
    ['', 'missing_parameter'],
  ])('a path parameter %j is refused before anything is sent', async (id, code) => {
    const server = await serve((_, response) => json(response, 200, {}))
    const { api } = connect(server.baseUrl)
    const failure = await failureOf(api.connections.get({ connection_id: id }))
    expect(failure).toBeInstanceOf(InputError)
    expect(failure).toMatchObject({ code, param: 'connection_id' })
    expect(server.heard).toEqual([])
  })

  test('what a URL parser would decode or resolve goes out encoded', async () => {
    const server = await serve((_, response) => json(response, 204, {}))
    const { api } = connect(server.baseUrl)
    await api.connectSessions.delete({ client_id: 'cli_?a#b%2e', sid: 'x..y' })
    expect(server.heard[0]?.url).toBe('/v3/clients/cli_%3Fa%23b%252e/connect-session/x..y')
  })

  test('the health probe and the hosted page carry no key, and ask for none', async () => {
    const server = await serve((_, response) => json(response, 200, {}))
    const { api } = connect(server.baseUrl, { credential: () => Promise.reject(new Error('asked for')) })
    await api.health.check()
    expect(server.heard[0]?.headers.authorization).toBeUndefined()
  })

  test('a key with a line break is refused and not repeated in the error', async () => {
    const { api } = connect('http://127.0.0.1:1/v3', { credential: async () => `${key}\r\nX-Evil: 1` })
    const failure = await failureOf(api.clients.list())
    expect(failure).toMatchObject({ code: 'invalid_credential' })
    expect(JSON.stringify(failure) + String(failure)).not.toContain(key)
  })

  test('an error of the credential source is passed on', async () => {
    const wrong = new Error('no key')
    const { api } = connect('http://127.0.0.1:1/v3', { credential: () => Promise.reject(wrong) })
    expect(await failureOf(api.clients.list())).toBe(wrong)
  })

  test('a connect session is sent with a generated Idempotency-Key; other POSTs are not', async () => {
    const server = await serve((_, response) => json(response, 201, { id: 'x' }))
    const { api } = connect(server.baseUrl)
    await api.connectSessions.create({ client_id: cli })
    await api.connectSessions.create({ client_id: cli }, { idempotencyKey: 'mine' })
    await api.clients.create({ name: 'A' })
    expect(server.heard.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'uuid-1',
      'mine',
      undefined,
    ])
    expect(String(server.heard[0]?.body)).toBe('{}')
  })

  test.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['with a space', 'a b'],
    ['with a line break', 'a\r\nb'],
  ])('an Idempotency-Key that is %s is refused', async (_, idempotencyKey) => {
    const { api } = connect('http://127.0.0.1:1/v3')
    const failure = await failureOf(api.connectSessions.create({ client_id: cli }, { idempotencyKey }))
    expect(failure).toMatchObject({ code: 'invalid_idempotency_key' })
  })

  test('an Idempotency-Key is refused where the service ignores it', async () => {
    const { api } = connect('http://127.0.0.1:1/v3')
    const failure = await failureOf(api.clients.create({}, { idempotencyKey: 'x' }))
    expect(failure).toMatchObject({ code: 'invalid_idempotency_key' })
  })

  test('a method and path from the settings replace those of an assumed operation', async () => {
    const server = await serve((_, response) => json(response, 202, { event_id: 'evt_1' }))
    const overrides = { 'webhooks.test': 'post /webhooks/{subscription_id}/fire' }
    const { api } = connect(server.baseUrl, { overrides })
    await api.webhooks.test({ subscription_id: 'whk_1a' })
    expect(server.heard[0]).toMatchObject({ method: 'POST', url: '/v3/webhooks/whk_1a/fire' })
  })

  test.each([
    ['/v3', 'GET {root}/healthz', '/healthz'],
    ['/v3', 'GET {root}/', '/'],
    ['/bank/v3', 'GET {root}/healthz', '/bank/healthz'],
    ['/bank/v3', 'GET /up', '/bank/v3/up'],
  ])('below %s, %s is sent to %s', async (basePath, override, path) => {
    const server = await serve((_, response) => json(response, 200, { status: 'ok' }))
    const base = server.baseUrl.replace('/v3', basePath)
    const { api } = connect(base, { overrides: { 'health.check': override } })
    await api.health.check()
    expect(server.heard).toMatchObject([{ method: 'GET', url: path }])
    expect(server.heard[0]?.headers).not.toHaveProperty('authorization')
  })

  test('a path beside the base has its parameters, and the key goes to the same server', async () => {
    const server = await serve((_, response) => json(response, 202, { operation_id: 'op_1' }))
    const { api } = connect(server.baseUrl, {
      overrides: { 'reports.generate': 'POST {root}/v4/{client_id}/reports' },
    })
    await api.reports.generate({ client_id: cli })
    expect(server.heard[0]).toMatchObject({ url: `/v4/${cli}/reports` })
    expect(server.heard[0]?.headers.authorization).toMatch(/^Bearer /)
  })

  test('a raw request below the base is not taken for an operation beside it', async () => {
    const server = await serve((_, response) => json(response, 200, {}))
    const { api } = connect(server.baseUrl, { overrides: { 'health.check': 'GET {root}/healthz' } })
    await api.request({ method: 'GET', path: '/healthz' })
    expect(server.heard[0]?.url).toBe('/v3/healthz')
    expect(server.heard[0]?.headers.authorization).toMatch(/^Bearer /)
  })

  test.each([
    { 'webhooks.test': 'POST /webhooks/fire' },
    { 'webhooks.test': 'POST https://evil.example/{subscription_id}' },
    { 'webhooks.test': 'POST {root}//evil.example/{subscription_id}' },
    { 'webhooks.test': 'POST {root}@evil.example/{subscription_id}' },
    { 'webhooks.test': 'POST {root}.evil.example/{subscription_id}' },
    { 'webhooks.test': 'POST {root}/%2e%2e/{subscription_id}' },
    { 'webhooks.test': 'POST {root}/\\evil.example/{subscription_id}' },
    { 'webhooks.test': 'POST /x/{root}/{subscription_id}' },
    { 'webhooks.test': 'POST /x?a={subscription_id}' },
    { 'webhooks.test': 'POST /webhooks/{other}/fire' },
    { 'webhooks.test': 'POST /../{subscription_id}' },
    { 'webhooks.test': 'POST //evil.example/{subscription_id}' },
    { 'webhooks.test': 'FIRE /webhooks/{subscription_id}' },
    { 'webhooks.test': '/webhooks/{subscription_id}' },
    { 'accounts.get': 'GET /account/{account_id}' },
  ])('an override %j is refused only when its operation is called', async (overrides) => {
    const server = await serve((_, response) => json(response, 200, { data: [], has_more: false }))
    const { api } = connect(server.baseUrl, { overrides })
    const call =
      'accounts.get' in overrides
        ? api.accounts.get({ account_id: 'acc_FDE_1', client_id: cli })
        : api.webhooks.test({ subscription_id: 'whk_1a' })
    expect(await failureOf(call)).toMatchObject({ code: 'invalid_endpoint_override' })
    expect(server.heard).toEqual([])
    await api.clients.list()
  })

  test.each(['ftp://x/v3', 'nonsense', 'https://user:secret@x/v3', 'https://x/v3?a=1'])(
    'a base URL %s is refused',
    (baseUrl) => {
      expect(() => connect(baseUrl)).toThrow(expect.objectContaining({ code: 'invalid_base_url' }))
    },
  )
})

describe('portal', () => {
  const portalSecret = async () => 'bootstrap'
  const sign = (text: string | Uint8Array) => createHmac('sha256', 'bootstrap').update(text).digest('hex')

  test('a portal POST signs the exact bytes that are sent, and carries no key', async () => {
    const server = await serve((_, response) => json(response, 201, {}))
    const { api } = connect(server.baseUrl, { portalSecret })
    await api.portal.createLiveRequest({ idp_user_id: 'u1', company_name: 'Zoë & Co' })
    const [request] = server.heard
    expect(request?.headers['x-portal-bootstrap-signature']).toBe(sign(request?.body ?? ''))
    expect(request?.headers.authorization).toBeUndefined()
  })

  test('raw bytes are signed and sent unchanged, including spaces and line ends', async () => {
    const server = await serve((_, response) => json(response, 200, {}))
    const { api } = connect(server.baseUrl, { portalSecret })
    const rawBody = Buffer.from('{ "idp_user_id" : "u1" }\r\n ')
    await api.portal.updateLiveRequest({ idp_user_id: 'u1' }, { rawBody })
    expect(server.heard[0]?.body).toEqual(rawBody)
    expect(server.heard[0]?.headers['x-portal-bootstrap-signature']).toBe(sign(rawBody))
  })

  test('the status call signs the value of X-Portal-Idp-User-Id', async () => {
    const server = await serve((_, response) => json(response, 200, {}))
    const { api } = connect(server.baseUrl, { portalSecret })
    await api.portal.accessRequestStatus({ 'X-Portal-Idp-User-Id': 'auth0|1' })
    expect(server.heard[0]?.headers).toMatchObject({
      'x-portal-idp-user-id': 'auth0|1',
      'x-portal-bootstrap-signature': sign('auth0|1'),
    })
  })

  test('without the secret nothing is sent', async () => {
    const { api } = connect('http://127.0.0.1:1/v3')
    const failure = await failureOf(api.portal.createLiveRequest({ idp_user_id: 'u1' }))
    expect(failure).toMatchObject({ code: 'portal_secret_missing' })
  })
})
