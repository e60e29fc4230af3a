/** Records what the OpenAPI document shows of the emulator: requests and answers of operations, and error envelopes. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { KnownErrorCode } from '../../src/contract/errors.ts'
import { headers } from '../../src/contract/service.ts'
import { apiError } from '../../src/emulator/engine/errors.ts'
import { type Emulator, startEmulator } from '../../src/emulator/start.ts'
import type { Recorded } from '../../src/openapi/facts.ts'

export type Examples = Omit<Recorded, 'comments'>

/** The same at every run: a seed, a clock that stands still, and names in place of what is random. */
const options = {
  port: 0,
  livePort: 0,
  memory: true,
  strict: true,
  seed: 1,
  frozenAt: '2026-05-22T10:00:00Z',
}

/** An address that needs no look-up of its name. */
const app = 'https://93.184.216.34'
const of = 'client_id=cli_demo'
const account = 'acc_FDE_12301'
const parameters = {
  client_id: 'cli_demo',
  connection_id: 'con_FDE_123',
  account_id: account,
  limit: 50,
} as const

export async function recordedExamples(): Promise<Examples> {
  const emulator = await startEmulator(options)
  const hurried = await startEmulator({ ...options, rateLimit: 2, latencyMs: 50 })
  try {
    const { requests, answers } = await operationsOf(emulator)
    const refusals = { ...(await refusalsOf(emulator)), ...(await refusalsInAHurry(hurried)) }
    const recorded = { parameters, requests, answers, refusals }
    return published(recorded, [emulator, hurried]) as typeof recorded
  } finally {
    await Promise.all([emulator.stop(), hurried.stop()])
  }
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the reader names the fields
  readonly body: any
}

type Init = {
  body?: object | string
  headers?: Record<string, string>
  base?: 'sandbox' | 'live'
  to?: 'sandbox'
}

async function send(emulator: Emulator, method: string, path: string, init: Init = {}): Promise<Answer> {
  const { base = 'sandbox', to = base } = init
  const answer = await fetch(`${emulator[to].base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${emulator[base].api_key}`,
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...init.headers,
    },
    ...(init.body === undefined ? {} : { body: bytesOf(init.body) }),
  })
  const body = await answer.text()
  return { status: answer.status, body: body === '' ? undefined : JSON.parse(body) }
}

function bytesOf(body: object | string): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** One answer of each operation that has a JSON body, in an order in which all succeed. */
async function operationsOf(emulator: Emulator): Promise<Pick<Examples, 'requests' | 'answers'>> {
  const requests: Record<string, unknown> = {}
  const answers: Record<string, unknown> = {}
  const record = async (operation: string, request: string, init: Init = {}) => {
    const [method = '', path = ''] = request.split(' ')
    const { status, body } = await send(emulator, method, path, init)
    if (status > 299) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`)
    if (init.body !== undefined) requests[operation] = init.body
    answers[operation] = body
    return body
  }

  await record('clients.create', 'POST /clients', {
    body: { email: 'ada@mail.example', name: 'Ada', external_id: 'customer-17' },
  })
  await record('clients.list', 'GET /clients?limit=1')
  await record('institutions.search', 'GET /institutions?q=bank&limit=1')
  await record('institutions.get', 'GET /institutions/ins_a_ok')
  await record('sandbox.institutions', 'GET /sandbox/institutions')
  answers['sandbox.institutions'] = firstOf(answers['sandbox.institutions'])
  await record('redirectUrls.set', 'POST /settings/redirect-urls', {
    body: { allowed_redirect_urls: [`${app}/linked`] },
  })
  await record('redirectUrls.get', 'GET /settings/redirect-urls')
  const { operation_id } = await record('connections.initiate', 'POST /clients/cli_demo/connections', {
    body: { institution_id: 'ins_a_ok' },
  })
  await emulator.advance(1000)
  await record('operations.get', `GET /operations/${operation_id}`)
  await record('connections.list', 'GET /clients/cli_demo/connections?limit=1')
  await record('connections.get', 'GET /connections/con_FDE_123')
  await record('connections.refresh', 'POST /connections/con_AGGREGATOR_B_2001/refresh')
  await record('connections.reauthorize', 'POST /connections/con_FDE_123/reauthorize')
  await record('connectSessions.create', 'POST /clients/cli_demo/connect-session', {
    body: { redirect_url: `${app}/linked` },
  })
  await record('accounts.list', `GET /accounts?${of}&limit=1`)
  await record('accounts.get', `GET /accounts/${account}?${of}`)
  const paged = { transactions: 'transactions', statements: 'statements', checks: 'checks' } as const
  for (const area of Object.keys(paged)) {
    const { data } = await record(`${area}.list`, `GET /accounts/${account}/${area}?${of}&limit=1`)
    const path = area === 'checks' ? `/accounts/${account}/checks` : `/${area}`
    await record(`${area}.get`, `GET ${path}/${data[0].id}?${of}`)
  }
  await record('statements.extract', 'POST /statements/extract', {
    body: '%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n',
    headers: { 'content-type': 'application/pdf' },
  })
  delete requests['statements.extract']
  await record('reports.generate', 'POST /clients/cli_demo/verification-reports')
  const { id } = await record('webhooks.create', 'POST /webhooks/subscriptions', {
    body: {
      url: `${app}/hooks`,
      event_types: ['connection.active', 'account.refresh.completed'],
    },
  })
  await record('webhooks.list', 'GET /webhooks/subscriptions?limit=1')
  await record('webhooks.get', `GET /webhooks/subscriptions/${id}`)
  await record('webhooks.update', `PATCH /webhooks/subscriptions/${id}`, {
    body: { event_types: ['connection.active'] },
  })
  await record('webhooks.rotateSecret', `POST /webhooks/subscriptions/${id}/rotate-secret`)
  await record('webhooks.test', `POST /webhooks/subscriptions/${id}/test`)
  await send(emulator, 'DELETE', `/webhooks/subscriptions/${id}`)
  const key = await record('keys.create', 'POST /api-keys', { body: { scopes: ['read:accounts'] } })
  await record('keys.list', 'GET /api-keys?limit=1')
  await record('keys.updateScopes', `PATCH /api-keys/${key.id}`, {
    body: { scopes: ['read:accounts', 'read:checks'] },
  })
  await record('metrics.summary', 'GET /metrics/summary')
  await record('metrics.webhookDelivery', 'GET /metrics/webhook-delivery')
  await portal(emulator, record)
  await record('health.check', 'GET /health')
  return { requests, answers }
}

type Record_ = (operation: string, request: string, init?: Init) => Promise<unknown>

async function portal({ sandbox }: Emulator, record: Record_): Promise<void> {
  const signed = (payload: string) => ({
    authorization: '',
    [headers.portalSignature]: createHmac('sha256', sandbox.portal_secret).update(payload).digest('hex'),
  })
  const file = (operation: string, request: string, body: object) =>
    record(operation, request, { body, headers: signed(JSON.stringify(body)) })
  const applicant = {
    idp_user_id: 'usr_1',
    email: 'ada@mail.example',
    company_name: 'Ada Ltd',
    country: 'US',
  }
  await file('portal.createAccessRequest', 'POST /portal/access-request', applicant)
  await file('portal.createLiveRequest', 'POST /portal/live-request', applicant)
  await file('portal.updateLiveRequest', 'PATCH /portal/live-request', {
    idp_user_id: 'usr_1',
    go_live_target_date: '2026-09-01',
  })
  await record('portal.accessRequestStatus', 'GET /portal/access-request/status', {
    headers: { ...signed('usr_1'), [headers.portalUser]: 'usr_1' },
  })
}

/** Envelopes of the codes that a request can be answered with. */
async function refusalsOf(emulator: Emulator): Promise<Record<string, unknown>> {
  const refusals: Record<string, unknown> = {}
  const record = recorder(emulator, refusals)
  const { body: key } = await send(emulator, 'POST', '/api-keys', { body: { scopes: ['read:clients'] } })
  await record('unknown_api_key', 'GET /clients', { headers: { authorization: '' } })
  await record('insufficient_scope', `GET /accounts?${of}`, {
    headers: { authorization: `Bearer ${key.secret}` },
  })
  await record('live_key_not_allowed', 'GET /sandbox/institutions', { base: 'live', to: 'sandbox' })
  await record('not_found', 'GET /connections/con_FDE_none')
  await record('validation_failed', 'POST /webhooks/subscriptions', {
    body: { url: `${app}/hooks`, event_types: ['connection.initiated'] },
  })
  const { body: page } = await send(emulator, 'GET', `/accounts?${of}&limit=1`)
  await record('invalid_request', `GET /clients?cursor=${page.next_cursor}`)
  const keyed = { headers: { [headers.idempotencyKey]: 'first' } }
  await send(emulator, 'POST', '/clients/cli_demo/connect-session', keyed)
  await record('idempotency_conflict', 'POST /clients/cli_demo/connect-session', { body: {}, ...keyed })
  await record('payload_too_large', 'POST /clients', { body: { name: 'x'.repeat(2 ** 21) } })
  refusals['length_required'] = await withoutLength(emulator)
  for (const { id } of (await send(emulator, 'GET', `/accounts?${of}&connection_id=con_FDE_123`)).body.data)
    emulator.bank(id).close()
  await record('no_refreshable_accounts', 'POST /connections/con_FDE_123/refresh')
  refusals['refresh_not_supported'] = notAnswered(emulator, 'refresh_not_supported')
  await send(emulator, 'DELETE', '/connections/con_FDE_123')
  await record('connection_deleted', 'POST /connections/con_FDE_123/reauthorize')
  return refusals
}

/** The envelope of a code that no request brings about here: the emulator has no source that cannot be refreshed. */
function notAnswered({ sandbox }: Emulator, code: KnownErrorCode): unknown {
  return { error: { ...apiError(new URL(sandbox.base_url).origin, code), trace_id: '' } }
}

/** Those of two requests at once, and of too many. */
async function refusalsInAHurry(emulator: Emulator): Promise<Record<string, unknown>> {
  const refusals: Record<string, unknown> = {}
  const path = '/clients/cli_demo/connect-session'
  const twice = { headers: { [headers.idempotencyKey]: 'twice' } }
  const both = await Promise.all([1, 2].map(() => send(emulator, 'POST', path, twice)))
  refusals['request_in_progress'] = both.find(({ status }) => status === 409)?.body
  await recorder(emulator, refusals)('rate_limit_exceeded', 'GET /clients')
  return refusals
}

function recorder(emulator: Emulator, refusals: Record<string, unknown>) {
  return async (code: KnownErrorCode, request: string, init?: Init) => {
    const [method = '', path = ''] = request.split(' ')
    const { body } = await send(emulator, method, path, init)
    if (body?.error?.code !== code) throw new Error(`${code}: ${JSON.stringify(body)}`)
    refusals[code] = body
  }
}

/** fetch gives every POST a length. */
async function withoutLength(emulator: Emulator): Promise<unknown> {
  const { base_url, api_key } = emulator.sandbox
  const sent = request(`${base_url}/connections/con_FDE_123/refresh`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'transfer-encoding': 'chunked' },
  })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return JSON.parse(await text(answer))
}

function firstOf(list: unknown): unknown {
  const { data } = list as { data: unknown[] }
  return { data: data.slice(0, 1) }
}

/** Without what differs from run to run (ports, trace ids), and without what looks like a secret to those who search for them. */
function published(recorded: unknown, emulators: readonly Emulator[]): unknown {
  const bases = emulators.flatMap(({ sandbox, live }) =>
    Object.entries({ sandbox, live }).map(
      ([name, { base_url }]) => [new URL(base_url).origin, name] as const,
    ),
  )
  let json = JSON.stringify(recorded)
  for (const [origin, name] of bases) json = json.replaceAll(origin, `https://${name}.bank-data.example`)
  json = json.replaceAll(app, 'https://app.example')
  return JSON.parse(json, (name, value) => {
    if (name === 'trace_id') return 'f3a1d6c2-5b0e-4c47-9d1a-8e2b7c9d0a14'
    if (typeof value !== 'string') return value
    return value.replace(/\b(sk_test_|whsec_)\w{12,}/g, '$1EXAMPLE')
  })
}
