/** The log of --debug: its lines, and the secrets it leaves out. */
import { afterEach, expect, test } from 'vitest'
import { failureLine, replyLine } from '../../src/api/debug-log.ts'
import { connect, failureOf, key } from './client.ts'
import { deadPort, envelope, json, serve } from './servers.ts'

const secrets = [
  key,
  'secret-sid',
  'secret-token',
  'whsec_1',
  'https://widget',
  'https://reauth',
  'bootstrap',
  'Bearer',
]
let lines: string[] = []

afterEach(() => {
  expect(lines).not.toEqual([])
  for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret)
  expect(lines.join('\n')).not.toMatch(/authorization|signature/i)
})

test('a request and its answer are one line each: method, address, status, time, trace id, some headers', async () => {
  const server = await serve((_, response) =>
    json(response, 200, { data: [], has_more: false }, { 'Set-Cookie': 'a=b' }),
  )
  const { api, lines: shown } = connect(server.baseUrl)
  lines = shown
  await api.accounts.list({ client_id: 'cli_1' })
  expect(lines).toEqual([
    `--> GET ${server.baseUrl}/accounts?client_id=cli_1`,
    '<-- 200 in 0 ms trace=trace-1 content-type=application/json',
  ])
})

test('times are whole milliseconds', () => {
  lines = [
    replyLine({ status: 200, headers: {}, traceId: undefined }, 18.133365000000005),
    failureLine('', 0.7),
  ]
  expect(lines).toEqual(['<-- 200 in 18 ms', '<-- failed after 1 ms: aborted'])
})

test('session ids, tokens, secrets and links are in no line', async () => {
  const body = {
    sid: 'secret-sid',
    signing_secret: 'whsec_1',
    action: { reauth_url: 'https://reauth', widget_url: 'https://widget' },
  }
  const server = await serve(({ url }, response) =>
    url === '/v3/moved'
      ? json(response, 302, {}, { Location: '/v3/there?token=secret-token' })
      : json(response, 200, body, { 'Set-Cookie': 'a=secret-token', Link: '<https://widget>' }),
  )
  const { api, lines: shown } = connect(server.baseUrl, { portalSecret: async () => 'bootstrap' })
  lines = shown
  const session = { client_id: 'cli_1', sid: 'secret-sid' }
  await api.connectSessions.create({ client_id: 'cli_1' })
  await api.connectSessions.delete(session)
  await failureOf(api.connectSessions.page({ token: 'secret-token' }))
  await api.connections.reauthorize({ connection_id: 'con_FDE_1' })
  await api.portal.createLiveRequest({ idp_user_id: 'u', challenge_token: 'secret-token' })
  await api.request({ method: 'DELETE', path: '/clients/cli_1/connect-session/secret-sid' })
  await api.request({
    method: 'GET',
    path: '/connect-session?token=secret-token',
    query: { sid: 'secret-sid' },
  })
  await api.request({ method: 'GET', path: '/new?%74oken=secret-token&signing_secret=whsec_1&q=ok' })
  await api.request({ method: 'GET', path: '/moved' })
  expect(lines.join('\n')).toContain('/there?token=***')
  expect(lines.join('\n')).toContain('/connect-session/***')
  expect(lines.join('\n')).toContain('&q=ok')
})

test('retries and failures are logged, with each attempt', async () => {
  const server = await serve((_, response) => json(response, 503, envelope('down'), { 'Retry-After': '3' }))
  const first = connect(server.baseUrl, { retries: { attempts: 2 } })
  await failureOf(first.api.connections.get({ connection_id: 'con_FDE_1' }))
  const second = connect(`http://127.0.0.1:${await deadPort()}/v3`, { retries: { attempts: 1 } })
  await failureOf(second.api.clients.list())
  lines = [...first.lines, ...second.lines]
  expect(first.lines[1]).toContain('retry-after=3')
  expect(first.lines[2]).toContain('(attempt 2)')
  expect(second.lines[1]).toMatch(/^<-- failed after 0 ms: Nothing answers at .*\(refused\)$/)
})

test('a header of the service cannot move the cursor of a terminal', async () => {
  const server = await serve((_, response) =>
    json(response, 200, { id: 'x' }, { 'X-LS-Trace-Id': 'a\u009b2Jb' }),
  )
  const { api, lines: shown } = connect(server.baseUrl)
  lines = shown
  await api.connections.get({ connection_id: 'con_FDE_1' })
  expect(lines[1]).toMatch(/^[\x20-\x7e]*$/)
})
