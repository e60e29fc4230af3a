/** Retries: which requests are sent again, and when. The clock is simulated, the sockets are real. */
import { expect, test } from 'vitest'
import { ApiResponseError, UnreachableError } from '../../src/api/errors.ts'
import type { Wait } from '../../src/api/options.ts'
import { connect, failureOf } from './client.ts'
import { deadPort, envelope, json, serve, serveBytes } from './servers.ts'

const page = { data: [], has_more: false }

test.each([502, 503, 504, 429])('a GET is sent again after %i until it succeeds', async (status) => {
  const server = await serve((_, response, number) => json(response, number < 3 ? status : 200, page))
  const { api, clock } = connect(server.baseUrl)
  expect(await api.clients.list()).toEqual(page)
  expect(server.heard).toHaveLength(3)
  expect(clock.slept).toEqual([250, 500])
})

test('the delays grow, vary by up to half, and end after four attempts', async () => {
  const server = await serve((_, response) => json(response, 503, envelope('down')))
  const uuid = () => 'x'
  const { api, clock } = connect(server.baseUrl, { random: { fraction: () => 0, uuid } })
  const failure = await failureOf(api.clients.list())
  expect(failure).toBeInstanceOf(ApiResponseError)
  expect(failure).toMatchObject({ httpStatus: 503, code: 'down' })
  expect(clock.slept).toEqual([125, 250, 500])
})

test('a DELETE is sent again after 503', async () => {
  const server = await serve((_, response, number) => json(response, number < 2 ? 503 : 204, {}))
  const { api } = connect(server.baseUrl)
  await api.connections.delete({ connection_id: 'con_FDE_1' })
  expect(server.heard).toHaveLength(2)
})

test.each([400, 401, 403, 404, 409, 422, 500, 501])('a GET is not sent again after %i', async (status) => {
  const server = await serve((_, response) => json(response, status, envelope('no')))
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.clients.list())).toMatchObject({ httpStatus: status })
  expect(server.heard).toHaveLength(1)
})

test.each([500, 502, 503, 504])('a POST is not sent again after %i', async (status) => {
  const server = await serve((_, response) => json(response, status, envelope('down')))
  const { api } = connect(server.baseUrl)
  await failureOf(api.clients.create({ name: 'A' }))
  expect(server.heard).toHaveLength(1)
})

test('a PATCH is not sent again after 503', async () => {
  const server = await serve((_, response) => json(response, 503, envelope('down')))
  const { api } = connect(server.baseUrl)
  await failureOf(api.keys.updateScopes({ api_key_id: 'k', scopes: ['read:accounts'] }))
  expect(server.heard).toHaveLength(1)
})

test('a POST is sent again after 429', async () => {
  const server = await serve((_, response, number) => json(response, number < 2 ? 429 : 201, { id: 'cli_1' }))
  const { api } = connect(server.baseUrl)
  await api.clients.create({ name: 'A' })
  expect(server.heard.map(({ body }) => String(body))).toEqual(['{"name":"A"}', '{"name":"A"}'])
})

test('Retry-After in seconds is honoured', async () => {
  const server = await serve((_, response, number) =>
    json(response, number < 2 ? 429 : 200, page, { 'Retry-After': '17' }),
  )
  const { api, clock } = connect(server.baseUrl)
  await api.clients.list()
  expect(clock.slept).toEqual([17_000])
})

test('Retry-After as a date is honoured, by the clock of the service', async () => {
  const there = Date.UTC(2031, 0, 1, 12, 0, 0)
  const dates = {
    Date: new Date(there).toUTCString(),
    'Retry-After': new Date(there + 9000).toUTCString(),
  }
  const server = await serve((_, response, number) => json(response, number < 2 ? 503 : 200, page, dates))
  const { api, clock } = connect(server.baseUrl)
  await api.clients.list()
  expect(clock.slept).toEqual([9000])
})

test('a Retry-After beyond the limit is not waited for: the error says how long it is', async () => {
  const server = await serve((_, response) =>
    json(response, 429, envelope('rate_limit_exceeded'), { 'Retry-After': '90' }),
  )
  const { api, clock } = connect(server.baseUrl)
  const failure = await failureOf(api.clients.list())
  expect(failure).toMatchObject({ httpStatus: 429, retryAfterMs: 90_000 })
  expect(clock.slept).toEqual([])
})

test('all waits together stay within the limit', async () => {
  const server = await serve((_, response) => json(response, 429, {}, { 'Retry-After': '50' }))
  const { api, clock } = connect(server.baseUrl, { retries: { attempts: 100 } })
  await failureOf(api.clients.list())
  expect(clock.slept).toEqual([50_000, 50_000])
})

test('a wait that ends exactly at a limit is waited, one that passes it is not', async () => {
  const answer = { 'Retry-After': '60' }
  const server = await serve((_, response, number) =>
    json(response, number % 2 === 1 ? 429 : 200, page, answer),
  )
  const within = connect(server.baseUrl, { retries: { maxDelayMs: 60_000, withinMs: 60_000 } })
  expect(await within.api.clients.list()).toEqual(page)
  expect(within.clock.slept).toEqual([60_000])
  for (const retries of [{ maxDelayMs: 59_999 }, { withinMs: 59_999 }]) {
    const beyond = connect(server.baseUrl, { retries: { maxDelayMs: 60_000, withinMs: 60_000, ...retries } })
    expect(await failureOf(beyond.api.clients.list())).toMatchObject({ httpStatus: 429 })
    expect(beyond.clock.slept).toEqual([])
    await beyond.api.clients.list()
  }
})

test.each(['5 seconds', 'in 5', '2031-01-01T00:00:00Z', 'on Wed, 01 Jan 2031', 'We, 01 Jan 2031', 'soon'])(
  'a Retry-After of %j is none: it is neither a number nor an HTTP date',
  async (value) => {
    const answer = { 'Retry-After': value }
    const server = await serve((_, response, number) => json(response, number < 2 ? 503 : 200, page, answer))
    const { api, clock } = connect(server.baseUrl)
    await api.clients.list()
    expect(clock.slept).toEqual([250])
  },
)

test('a wait for a request that no operation matches is told with its method and path', async () => {
  const server = await serve((_, response, number) => json(response, number < 2 ? 503 : 200, page))
  const waits: Wait[] = []
  const { api } = connect(server.baseUrl, { onWait: (wait) => waits.push(wait) })
  await api.request({ method: 'GET', path: '/unheard/of' })
  expect(waits).toMatchObject([{ reason: 'unavailable', attempt: 1, operation: 'GET /unheard/of' }])
})

test('a wait after 429 is told as rate_limited', async () => {
  const server = await serve((_, response, number) => json(response, number < 2 ? 429 : 200, page))
  const waits: Wait[] = []
  const { api } = connect(server.baseUrl, { onWait: (wait) => waits.push(wait) })
  await api.clients.list()
  expect(waits).toMatchObject([{ reason: 'rate_limited', attempt: 1, operation: 'clients.list' }])
})

test('reauthorize is never sent again: not after 429, not after a refused connection', async () => {
  const server = await serve((_, response) => json(response, 429, {}, { 'Retry-After': '1' }))
  const limited = connect(server.baseUrl)
  const input = { connection_id: 'con_FDE_1' }
  await failureOf(limited.api.connections.reauthorize(input))
  await failureOf(limited.api.request({ method: 'POST', path: '/connections/con_FDE_1/reauthorize' }))
  expect(server.heard).toHaveLength(2)

  const refused = connect(`http://127.0.0.1:${await deadPort()}/v3`)
  const failure = await failureOf(refused.api.connections.reauthorize(input))
  expect(failure).toMatchObject({ reason: 'refused', attempts: 1 })
})

test('a refused connection is tried again, also for a POST, and in the end is unreachable', async () => {
  const port = await deadPort()
  const { api, clock } = connect(`http://127.0.0.1:${port}/v3`)
  const failure = await failureOf(api.clients.create({}))
  expect(failure).toBeInstanceOf(UnreachableError)
  expect(failure).toMatchObject({
    code: 'unreachable',
    reason: 'refused',
    nothingSent: true,
    attempts: 4,
    address: `http://127.0.0.1:${port}`,
    operation: { area: 'clients', name: 'create' },
  })
  expect(clock.slept).toEqual([250, 500, 1000])
})

test('a dropped connection is tried again for a GET, but not for a POST', async () => {
  const server = await serveBytes((socket) => socket.destroy())
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.clients.list())).toMatchObject({ reason: 'reset', attempts: 4 })
  expect(server.received).toHaveLength(4)
  expect(await failureOf(api.clients.create({}))).toMatchObject({ reason: 'reset', attempts: 1 })
  expect(server.received).toHaveLength(5)
})

test('a connect session is sent again with the same Idempotency-Key', async () => {
  const server = await serve((_, response, number) => {
    if (number === 1) return response.destroy()
    if (number === 2) return json(response, 409, {}, { 'Retry-After': '2' })
    return json(response, number === 3 ? 503 : 201, { sid: 's', url: 'u', expires_at: 'e' })
  })
  const waits: Wait[] = []
  const { api } = connect(server.baseUrl, { onWait: (wait) => waits.push(wait) })
  await api.connectSessions.create({ client_id: 'cli_1' })
  const keys = server.heard.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual(['uuid-1', 'uuid-1', 'uuid-1', 'uuid-1'])
  expect(waits.map(({ reason }) => reason)).toEqual(['unreachable', 'in_progress', 'unavailable'])
  expect(waits[1]).toEqual({
    reason: 'in_progress',
    delayMs: 2000,
    attempt: 2,
    operation: 'connectSessions.create',
  })
})

test('an Idempotency-Key makes a POST repeatable only where the reference says that it is honoured', async () => {
  const server = await serve((_, response) => json(response, 503, envelope('down')))
  const { api } = connect(server.baseUrl)
  const idempotencyKey = 'order-7'
  await failureOf(api.webhooks.create({ url: 'https://a.example/', event_types: [] }, { idempotencyKey }))
  for (const path of ['/clients', '/clients/cli_1/connections', '/reports']) {
    await failureOf(api.request({ method: 'POST', path, headers: { 'Idempotency-Key': idempotencyKey } }))
  }
  expect(server.heard.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(4).fill(idempotencyKey))
})

test('a replayed failure is final: the same key would get the same answer', async () => {
  const server = await serve((_, response) =>
    json(response, 503, envelope('down'), { 'Idempotent-Replayed': 'true' }),
  )
  const { api } = connect(server.baseUrl)
  const failure = await failureOf(api.connectSessions.create({ client_id: 'cli_1' }))
  expect(failure).toMatchObject({ replayed: true })
  expect(server.heard).toHaveLength(1)
})

test('an aborted wait ends at once, with the reason of the signal', async () => {
  const server = await serve((_, response) => json(response, 503, {}))
  const stop = new AbortController()
  const reason = new Error('Ctrl-C')
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      stop.abort(reason)
    })
  const { api } = connect(server.baseUrl, { clock: { now: () => 0, elapsed: () => 0, sleep } })
  expect(await failureOf(api.clients.list({}, { signal: stop.signal }))).toBe(reason)
  expect(server.heard).toHaveLength(1)
})

test('an aborted call sends nothing, and an aborted request is not sent again', async () => {
  const stop = new AbortController()
  const reason = new Error('Ctrl-C')
  const server = await serve(() => stop.abort(reason))
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.clients.list({}, { signal: stop.signal }))).toBe(reason)
  expect(await failureOf(api.clients.list({}, { signal: stop.signal }))).toBe(reason)
  expect(server.heard).toHaveLength(1)
})
