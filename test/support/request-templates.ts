/** Makes a request that succeeds for every operation of the contract; a fuzzer then changes it. */
import { createHmac } from 'node:crypto'
import { contract } from '../../src/contract/contract.ts'
import { type Endpoint, successOf } from '../../src/contract/endpoint.ts'
import type { TestEmulator } from './running-emulator.ts'

export interface RequestTemplate {
  /** `area.operation`. */
  readonly name: string
  readonly method: string
  /** Absolute path and query. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Undefined for a request without body and Content-Length. */
  readonly body: string | undefined
  readonly success: number
}

const pdf = '%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n'
const boundary = 'fuzz-boundary'

/** Body fields by operation; operations without an entry take none. */
const bodies: Readonly<Record<string, object>> = {
  'clients.create': { name: 'Ada', email: 'ada@mail.example', external_id: 'a-1' },
  'connections.initiate': { institution_id: 'ins_a_ok', redirect_url: null, credentials: null },
  'connectSessions.create': {},
  'webhooks.create': { url: 'http://127.0.0.1:9/', event_types: ['connection.failed'] },
  'webhooks.update': { event_types: ['connection.active'] },
  'keys.create': { scopes: ['read:clients'] },
  'keys.updateScopes': { scopes: ['read:clients'] },
  'redirectUrls.set': { allowed_redirect_urls: ['https://93.184.216.34/done'] },
  'portal.createLiveRequest': { idp_user_id: 'usr_1', email: 'ada@mail.example', country: 'US' },
  'portal.createAccessRequest': { idp_user_id: 'usr_1', email: 'ada@mail.example' },
  'portal.updateLiveRequest': { idp_user_id: 'usr_1', company_name: 'Ada Ltd' },
}

const filters: Readonly<Record<string, string>> = {
  'transactions.list': '&limit=5&from=2026-01-01&to=2026-12-31',
  'institutions.search': 'q=bank',
  'metrics.summary': 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z',
}

/** Creates the resources that the paths name, and the requests. Deletions come last, so that all of them succeed in order. */
export async function requestTemplates(emulator: TestEmulator): Promise<RequestTemplate[]> {
  const ids = await namedIds(emulator)
  const templates = Object.entries(contract).flatMap(([area, operations]) =>
    Object.entries<Endpoint>(operations).map(([name, endpoint]) =>
      template(`${area}.${name}`, endpoint, ids, emulator),
    ),
  )
  return templates.sort((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'))
}

async function namedIds({ get, post, call }: TestEmulator): Promise<Record<string, string>> {
  const of = 'client_id=cli_demo'
  const account = 'acc_FDE_12301'
  const first = async (path: string) => (await get(`${path}?${of}`)).data[0].id as string
  const client_id = 'cli_demo'
  await call('POST', '/settings/redirect-urls', { body: { allowed_redirect_urls: [] } })
  return {
    client_id,
    connection_id: 'con_FDE_123',
    account_id: account,
    transaction_id: await first(`/accounts/${account}/transactions`),
    statement_id: await first(`/accounts/${account}/statements`),
    check_id: await first(`/accounts/${account}/checks`),
    operation_id: (await post('/connections/con_AGGREGATOR_B_2001/refresh')).operation_id,
    subscription_id: (
      await post('/webhooks/subscriptions', { url: 'http://127.0.0.1:9/', event_types: ['webhook.test'] })
    ).id,
    api_key_id: (await post('/api-keys', { scopes: ['read:clients'] })).id,
    institution_id: 'ins_a_ok',
    sid: (await post('/clients/cli_demo/connect-session')).sid,
  }
}

function template(
  name: string,
  endpoint: Endpoint,
  ids: Readonly<Record<string, string>>,
  { sandbox }: TestEmulator,
): RequestTemplate {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter] ?? parameter)
  const query = [
    ...Object.keys(endpoint.query ?? {}).flatMap((parameter) => {
      if (parameter === 'client_id') return ['client_id=cli_demo']
      return parameter === 'token' ? [`token=${ids['sid']}`] : []
    }),
    ...(filters[name] === undefined ? [] : [filters[name].replace(/^&/, '')]),
  ]
  const body = bodyOf(name, endpoint)
  const type = endpoint.upload ? `multipart/form-data; boundary=${boundary}` : 'application/json'
  const length =
    body === undefined && endpoint.method !== 'POST' ? [] : [String(Buffer.byteLength(body ?? ''))]
  return {
    name,
    method: endpoint.method,
    target: `${new URL(sandbox.base_url).pathname}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: [
      ['Host', 'localhost'],
      ...proof(endpoint, body, sandbox),
      ...(body === undefined ? [] : [['Content-Type', type] as const]),
      ...length.map((value) => ['Content-Length', value] as const),
    ],
    body,
    success: successOf(endpoint).status,
  }
}

function bodyOf(name: string, endpoint: Endpoint): string | undefined {
  if (endpoint.upload) {
    const head = `Content-Disposition: form-data; name="${endpoint.upload}"; filename="a.pdf"`
    return `--${boundary}\r\n${head}\r\nContent-Type: application/pdf\r\n\r\n${pdf}\r\n--${boundary}--\r\n`
  }
  return bodies[name] && JSON.stringify(bodies[name])
}

function proof(
  { auth }: Endpoint,
  body = '',
  { api_key, portal_secret }: TestEmulator['sandbox'],
): (readonly [string, string])[] {
  const signed = (payload: string) => createHmac('sha256', portal_secret).update(payload).digest('hex')
  if (auth === 'none') return []
  if (auth === 'portal-body') return [['X-Portal-Bootstrap-Signature', signed(body)]]
  if (auth === 'portal-user') {
    return [
      ['X-Portal-Idp-User-Id', 'usr_1'],
      ['X-Portal-Bootstrap-Signature', signed('usr_1')],
    ]
  }
  return [['Authorization', `Bearer ${api_key}`]]
}
