import { describe, expect, it, test } from 'vitest'
import { assumptions } from '../contract/assumptions.ts'
import { everyEndpoint } from '../contract/contract.ts'
import { authOf, isEmpty, isFile, successOf } from '../contract/endpoint.ts'
import { ErrorEnvelope, errorCodes } from '../contract/errors.ts'
import { EventEnvelope, events, eventTypes } from '../contract/events.ts'
import { refusalsOf } from '../contract/refusals.ts'
import { scopes } from '../contract/scopes.ts'
import { headers } from '../contract/service.ts'
import { recordedDocument } from './openapi.ts'
import recorded from './recorded.json' with { type: 'json' }

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
const document = recordedDocument({ version: '3.1' }) as any

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
type Found = any

/** What a reference of the document leads to; anything else as it is. */
function resolved(value: Found): Found {
  if (typeof value?.$ref !== 'string') return value
  const path = (value.$ref as string).slice(2).split('/')
  return path.reduce((at: Found, name) => at[name], document)
}

const answers: Readonly<Record<string, unknown>> = recorded.answers
const requests: Readonly<Record<string, unknown>> = recorded.requests

describe.each(everyEndpoint().map((row) => [`${row.area}.${row.name}`, row] as const))(
  '%s',
  (operation, { area, name, endpoint }) => {
    const found: Found = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]
    const { status, body } = successOf(endpoint)

    it('is in the document under its own id', () => {
      expect(found.operationId).toBe(`${area}_${name}`)
      expect(found).toMatchObject({ summary: endpoint.summary, tags: [area], 'x-origin': endpoint.origin })
      expect(found['x-assumes']).toBe(endpoint.assumes)
    })

    it('has every parameter, with a description', () => {
      const declared = Object.keys({ ...endpoint.params, ...endpoint.query, ...endpoint.headers })
      const names = found.parameters.map((parameter: Found) => parameter.name)
      expect(names.filter((one: string) => one !== headers.idempotencyKey)).toEqual(declared)
      for (const { description } of found.parameters) expect(description).toMatch(/\w/)
    })

    it('takes exactly the scopes that allow it, or a signature, or nothing', () => {
      const taken = found.security.flatMap((one: Found) => Object.values(one).flat())
      if (endpoint.scope === null) expect(taken).toEqual([])
      else expect(taken).toContain(endpoint.scope)
      expect(found.security.length === 0).toBe(authOf(endpoint) === 'none')
    })

    it('has its success and every code that it can answer with', () => {
      const codes = Object.entries<Found>(found.responses).flatMap(([code, answer]) =>
        (resolved(answer)['x-codes'] ?? []).map((one: string) => [one, Number(code)]),
      )
      expect(Object.fromEntries(codes)).toEqual(
        Object.fromEntries(refusalsOf(endpoint).map((code) => [code, errorCodes[code].status])),
      )
      expect(found.responses).toHaveProperty(String(status))
      expect(found.responses).toHaveProperty('default')
    })

    it('shows a recorded answer that fits the contract, wherever it has one', () => {
      if (isEmpty(body) || isFile(body)) return expect(answers).not.toHaveProperty([operation])
      expect(body.parse(answers[operation])).toEqual(answers[operation])
      const shown = found.responses[status].content['application/json'].examples.emulator.value
      expect(shown).toEqual(answers[operation])
    })

    it('shows a request wherever it takes a JSON body', () => {
      expect(Object.hasOwn(requests, operation)).toBe(endpoint.body !== undefined)
      expect(found.requestBody === undefined).toBe(
        endpoint.body === undefined && endpoint.upload === undefined,
      )
    })
  },
)

test('the document has no operation that the contract lacks', () => {
  const operations = Object.values<Found>(document.paths).flatMap((path) => Object.values(path))
  expect(operations).toHaveLength(everyEndpoint().length)
})

test('a page of transactions has a cursor, and a retried request is told apart', () => {
  const { get } = document.paths['/accounts/{account_id}/transactions']
  expect(get.responses[200].content['application/json'].schema.properties).toMatchObject({
    data: { items: { $ref: '#/components/schemas/Transaction' } },
    has_more: { type: 'boolean' },
  })
  const { post } = document.paths['/clients/{client_id}/connect-session']
  expect(Object.keys(post.responses[201].headers)).toEqual([headers.traceId, headers.idempotentReplayed])
  expect(resolved(post.responses[429]).headers).toHaveProperty('Retry-After')
})

test('the portal has a scheme for each of its signatures, over the same header', () => {
  const schemeOf = ({ security: [one] }: Found) =>
    document.components.securitySchemes[Object.keys(one)[0] ?? '']
  const { post, patch } = document.paths['/portal/live-request']
  const { get } = document.paths['/portal/access-request/status']
  expect(schemeOf(post)).toBe(schemeOf(patch))
  expect(schemeOf(post).description).toContain('raw body')
  expect(schemeOf(get).description).toContain(headers.portalUser)
  for (const operation of [post, get]) expect(schemeOf(operation).name).toBe(headers.portalSignature)
})

test('every scope is asked for by an operation', () => {
  const asked = Object.values<Found>(document.paths)
    .flatMap((path) => Object.values<Found>(path))
    .flatMap(({ security }) => security.flatMap((one: Found) => one.apiKey ?? []))
  expect([...new Set(asked)].sort()).toEqual([...scopes].sort())
})

test('every code is in the table, and all with a status but those of the connector are answers of an operation', () => {
  expect(Object.keys(document['x-error-codes'])).toEqual(Object.keys(errorCodes))
  const answered = new Set(everyEndpoint().flatMap(({ endpoint }) => refusalsOf(endpoint)))
  const others = Object.entries(errorCodes).filter(
    ([code, { status }]) => status !== null && !(answered as Set<string>).has(code),
  )
  expect(others.map(([code]) => code)).toEqual(['firm_under_review', 'pairing_rate_limited'])
})

test('codes that operations answer are shown as the emulator answered them', () => {
  const refusals: Readonly<Record<string, unknown>> = recorded.refusals
  const answered = new Set(everyEndpoint().flatMap(({ endpoint }) => refusalsOf(endpoint)))
  expect(Object.keys(refusals).sort()).toEqual([...answered].sort())
  for (const [code, body] of Object.entries(refusals)) expect(ErrorEnvelope.parse(body).error.code).toBe(code)
})

describe.each(eventTypes)('%s', (type) => {
  const { post } = document.webhooks[type] ?? {}

  it('is a webhook with its payload, an example and the signature headers', () => {
    const { schema, examples } = post.requestBody.content['application/json']
    expect(resolved(schema).properties.type).toEqual({ const: type, type: 'string' })
    expect(EventEnvelope.parse(examples.event.value).type).toBe(type)
    expect(events[type].data.safeParse(examples.event.value.data).success).toBe(true)
    expect(post.parameters.map(({ name, required }: Found) => [name, required])).toEqual([
      [headers.webhookEventId, true],
      [headers.webhookEventType, true],
      [headers.webhookTimestamp, true],
      [headers.webhookSignature, true],
      [headers.webhookSignaturePrev, false],
    ])
  })
})

test('an event of any type is a union that its type discriminates', () => {
  const { WebhookEvent: any } = document.components.schemas
  expect(any.oneOf.map((one: Found) => resolved(one).properties.type.const)).toEqual(eventTypes)
  expect(any.discriminator.propertyName).toBe('type')
  for (const [type, $ref] of Object.entries(any.discriminator.mapping))
    expect(resolved({ $ref }).properties.type.const).toBe(type)
})

describe('methods and paths of the settings', () => {
  const overrides = {
    'webhooks.update': 'PUT /hooks/{subscription_id}',
    'health.check': 'GET {root}/healthz',
    'nothing.there': 'GET /x',
  }

  test('take the place of the assumed ones, below the base or at the root of each server', () => {
    const servers = ['https://api.example.com/bank/v3']
    const own: Found = recordedDocument({ version: '3.1', overrides, servers })
    expect(own.paths['/hooks/{subscription_id}'].put.operationId).toBe('webhooks_update')
    expect(own.paths['/webhooks/subscriptions/{subscription_id}']).not.toHaveProperty('patch')
    expect(own.paths).not.toHaveProperty('/health')
    expect(own.paths['/healthz'].get.servers).toEqual([{ url: 'https://api.example.com/bank' }])
    expect(own.paths['/hooks/{subscription_id}'].put).not.toHaveProperty('servers')
    const { paths }: Found = recordedDocument({ version: '3.1', overrides })
    expect(paths['/healthz'].get.servers.map(({ url }: Found) => url)).toEqual([
      'https://{host}',
      'https://{host}',
    ])
  })

  test.each([
    [{ 'accounts.get': 'GET /account/{account_id}' }, 'accounts.get cannot be set'],
    [{ 'health.check': 'GET {root}/accounts' }, 'health.check has the path of accounts.list'],
    [{ 'reports.generate': 'POST /clients/{client_id}/connections' }, 'reports.generate has the path of'],
    [{ 'webhooks.get': 'GET /accounts/{subscription_id}' }, 'webhooks.get has the path of accounts.get'],
    [{ 'keys.revoke': 'DELETE /operations/{api_key_id}' }, 'keys.revoke has the path of operations.get'],
  ])('%j cannot be written down', (impossible, message) => {
    expect(() => recordedDocument({ version: '3.1', overrides: impossible })).toThrow(message)
  })

  test('an assumed operation says which setting replaces its path', () => {
    const operations = Object.values<Found>(document.paths).flatMap((path) => Object.values<Found>(path))
    for (const { operationId, description, 'x-origin': origin } of operations) {
      const setting = `endpoints.${operationId.replace('_', '.')}`
      expect(description.includes(setting), operationId).toBe(origin === 'assumed')
    }
  })
})

test('what is assumed about the service is told', () => {
  expect(document['x-assumptions']).toEqual(assumptions)
  expect(document.webhooks['account.refresh.failed'].post['x-assumes']).toContain('account.error')
})

test('fields have the words of the contract', () => {
  const { Account } = document.components.schemas
  expect(Account.properties.current_balance.description).toContain('negative is value owed')
  expect(Account.properties.liabilities.anyOf[0].properties.payment_due_date.description).toContain(
    'last refresh',
  )
})

test('objects are open, as the service adds fields, and a request may leave out what is optional', () => {
  const text = JSON.stringify(document)
  expect(text).not.toContain('"additionalProperties":false')
  const { schema } = document.paths['/clients'].post.requestBody.content['application/json']
  expect(schema.required).toBeUndefined()
})

test('no pattern repeats a format, in syntax that not every tool reads', () => {
  const formats: unknown[] = []
  JSON.stringify(document.components.schemas, (_, value) => {
    if (typeof value?.format === 'string') formats.push(value.pattern)
    return value
  })
  expect(formats).not.toEqual([])
  expect(new Set(formats)).toEqual(new Set([undefined]))
})

test('no example has a secret of the form that the service gives', () => {
  // A key's prefix, which may be shown, has four digits; `EXAMPLE` stands for the rest.
  expect(JSON.stringify(recorded).match(/(?:sk_test_|sk_live_|whsec_)\w{8,}/)).toBeNull()
})

test('3.2 names its servers and tells the data of an example', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  const newer = recordedDocument({ version: '3.2' }) as any
  expect(newer.openapi).toBe('3.2.0')
  expect(newer.servers.map(({ name }: Found) => name)).toEqual(['sandbox', 'live'])
  expect(newer.components.examples.not_found).toHaveProperty('dataValue.error')
  expect(JSON.stringify(newer)).not.toContain('"value":{"error"')
})

test('addresses that are given take the place of those to be filled in', () => {
  const { servers } = recordedDocument({ version: '3.1', servers: ['http://127.0.0.1:4010/v3'] })
  expect(servers).toEqual([{ url: 'http://127.0.0.1:4010/v3' }])
})
