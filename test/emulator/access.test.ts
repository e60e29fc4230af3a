import { describe, expect, test } from 'vitest'
import { everyEndpoint } from '../../src/contract/contract.ts'
import { authOf, type Endpoint } from '../../src/contract/endpoint.ts'
import { allows, scopes } from '../../src/contract/scopes.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const ids: Readonly<Record<string, string>> = {
  client_id: 'cli_demo',
  connection_id: 'con_FDE_123',
  account_id: 'acc_FDE_12301',
  transaction_id: 'txn_FDE_1',
  statement_id: 'stmt_FDE_1',
  check_id: 'chk_FDE_1',
  operation_id: 'op_1',
  subscription_id: 'whk_01',
  institution_id: 'ins_a_ok',
  api_key_id: '00000000-0000-4000-8000-000000000000',
  sid: 'sid',
}

const guarded = everyEndpoint()
  .filter(({ endpoint }) => authOf(endpoint) === 'bearer')
  .map(({ area, name, endpoint }) => [`${area}.${name}`, endpoint] as const)

function pathOf({ path, query = {} }: Endpoint): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'x')
  return 'client_id' in query ? `${filled}?client_id=cli_demo` : filled
}

describe('keys and scopes', () => {
  test('every guarded operation answers 401 unknown_api_key without a key and with an unknown one', async () => {
    const emulator = await runningEmulator()
    for (const [name, endpoint] of guarded) {
      for (const key of [null, 'sk_test_unknown', emulator.live.api_key]) {
        const { status, json } = await emulator.call(endpoint.method, pathOf(endpoint), { key })
        const expected = name === 'sandbox.institutions' && key === emulator.live.api_key ? 403 : 401
        expect([name, status]).toEqual([name, expected])
        if (expected === 401)
          expect(json.error).toMatchObject({
            code: 'unknown_api_key',
            type: 'auth_error',
            category: 'AUTH_ERROR',
          })
      }
    }
  })

  test('every operation with a scope answers 403 insufficient_scope to a key that has all others', async () => {
    const emulator = await runningEmulator()
    for (const [name, endpoint] of guarded) {
      const { scope } = endpoint
      if (scope === null) continue
      const others = scopes.filter((one) => !allows([one], scope))
      const { secret } = await emulator.post('/api-keys', { scopes: others })
      const { status, json } = await emulator.call(endpoint.method, pathOf(endpoint), { key: secret })
      expect([name, status, json?.error.code]).toEqual([name, 403, 'insufficient_scope'])
    }
  })

  test('the secret is shown once; list and patch never show it', async () => {
    const emulator = await runningEmulator()
    const { secret, ...key } = await emulator.post('/api-keys', { scopes: ['read:clients'] })
    expect(secret).toMatch(/^sk_test_/)
    expect(secret.startsWith(key.prefix)).toBe(true)
    expect(key.prefix.length).toBeLessThan(20)
    expect((await emulator.call('GET', '/api-keys')).text).not.toContain(secret)
    const live = await emulator.post('/api-keys', { scopes: ['read:clients'] }, { base: 'live' })
    expect(live).toMatchObject({ environment: 'live', secret: expect.stringMatching(/^sk_live_/) })
  })

  test('PATCH sets the complete final scopes, for the next request; the secret is unchanged', async () => {
    const emulator = await runningEmulator()
    const { id, secret: key } = await emulator.post('/api-keys', { scopes: ['read:clients'] })
    expect((await emulator.call('GET', '/clients', { key })).status).toBe(200)
    const { json } = await emulator.call('PATCH', `/api-keys/${id}`, { body: { scopes: ['read:accounts'] } })
    expect(json).toMatchObject({ id, scopes: ['read:accounts'] })
    expect(json).not.toHaveProperty('secret')
    expect((await emulator.call('GET', '/clients', { key })).status).toBe(403)
    expect((await emulator.call('GET', '/accounts?client_id=cli_demo', { key })).status).toBe(200)
  })

  test.each([[['read:everything']], [[]], [['read:clients', 'x']]])(
    'scopes %j are validation_failed',
    async (wrong) => {
      const emulator = await runningEmulator()
      const { id } = await emulator.post('/api-keys', { scopes: ['read:clients'] })
      const { status, json } = await emulator.call('PATCH', `/api-keys/${id}`, { body: { scopes: wrong } })
      expect([status, json.error.code]).toEqual([400, 'validation_failed'])
    },
  )

  test('revoked is final: the key stops working at once and cannot be re-scoped', async () => {
    const emulator = await runningEmulator()
    const { id, secret: key } = await emulator.post('/api-keys', { scopes: ['read:clients'] })
    expect((await emulator.call('GET', '/clients', { key })).status).toBe(200)
    expect((await emulator.call('DELETE', `/api-keys/${id}`)).status).toBe(204)
    expect((await emulator.call('GET', '/clients', { key })).json.error.code).toBe('unknown_api_key')
    const again = await emulator.call('PATCH', `/api-keys/${id}`, { body: { scopes: ['read:clients'] } })
    expect([again.status, again.json.error.code]).toEqual([400, 'invalid_request'])
    const listed = (await emulator.get('/api-keys')).data.find((row: { id: string }) => row.id === id)
    expect(listed).toMatchObject({ status: 'revoked', revoked_at: '2026-03-10T12:00:00.000Z' })
  })

  test("a sandbox key cannot widen a live one, nor another customer's", async () => {
    const emulator = await runningEmulator()
    const { id } = await emulator.post('/api-keys', { scopes: ['read:clients'] }, { base: 'live' })
    const body = { scopes }
    expect((await emulator.call('PATCH', `/api-keys/${id}`, { body })).status).toBe(404)
    expect((await emulator.call('PATCH', `/api-keys/${id}`, { body, base: 'live' })).status).toBe(200)
    const key = emulator.otherCustomer.sandbox.api_key
    const own = await emulator.post('/api-keys', { scopes: ['read:clients'] })
    expect((await emulator.call('PATCH', `/api-keys/${own.id}`, { body, key })).status).toBe(404)
  })

  test('last_used_at says when', async () => {
    const emulator = await runningEmulator()
    const { id, secret: key } = await emulator.post('/api-keys', { scopes: ['read:clients'] })
    await emulator.advance(60_000)
    await emulator.call('GET', '/clients', { key })
    const { data } = await emulator.get('/api-keys')
    expect(data.find((row: { id: string }) => row.id === id).last_used_at).toBe('2026-03-10T12:01:00.000Z')
  })
})

describe('whose data', () => {
  test("another customer's ids read 404 everywhere, as ids that never were", async () => {
    const emulator = await runningEmulator()
    const key = emulator.otherCustomer.sandbox.api_key
    const [account] = await emulator.accounts('con_AGGREGATOR_A_1001')
    const [transaction] = (await emulator.get(`/accounts/${account?.id}/transactions?client_id=cli_demo`))
      .data
    const [statement] = (await emulator.get(`/accounts/${account?.id}/statements?client_id=cli_demo`)).data
    const { subscription } = await emulator.listen()
    const { operation_id } = await emulator.post('/connections/con_FDE_123/refresh')
    for (const [method, path] of [
      ['GET', '/clients/cli_demo/connections'],
      ['GET', '/connections/con_FDE_123'],
      ['DELETE', '/connections/con_FDE_123'],
      ['POST', '/connections/con_FDE_123/refresh'],
      ['POST', '/connections/con_FDE_123/reauthorize'],
      ['POST', '/clients/cli_demo/connect-session'],
      ['POST', '/clients/cli_demo/verification-reports'],
      ['GET', '/accounts?client_id=cli_demo'],
      ['GET', `/accounts/${account?.id}?client_id=cli_demo`],
      ['GET', `/transactions/${transaction.id}?client_id=cli_demo`],
      ['GET', `/statements/${statement.id}?client_id=cli_demo`],
      ['GET', `/statements/${statement.id}/download?client_id=cli_demo`],
      ['GET', `/operations/${operation_id}`],
      ['GET', `/webhooks/subscriptions/${subscription.id}`],
      ['POST', `/webhooks/subscriptions/${subscription.id}/rotate-secret`],
    ] as const) {
      const { status, json } = await emulator.call(method, path, { key })
      expect([path, status, json?.error.code]).toEqual([path, 404, 'not_found'])
    }
    expect((await emulator.connection('con_FDE_123')).status).toBe('active')
  })

  test('sandbox and live data never mix', async () => {
    const emulator = await runningEmulator()
    const { id } = await emulator.post('/clients', { name: 'Only in the sandbox' })
    expect((await emulator.get('/clients')).data).toHaveLength(2)
    expect((await emulator.get('/clients', { base: 'live' })).data).toHaveLength(1)
    expect((await emulator.call('GET', `/clients/${id}/connections`, { base: 'live' })).status).toBe(404)
    await emulator.call('DELETE', '/connections/con_FDE_123')
    expect((await emulator.get('/connections/con_FDE_123', { base: 'live' })).status).toBe('active')
  })

  test('customer B has data of its own', async () => {
    const emulator = await runningEmulator()
    const { data } = await emulator.get('/clients', { key: emulator.otherCustomer.sandbox.api_key })
    expect(data).toHaveLength(1)
    expect(data[0].id).not.toBe('cli_demo')
  })

  test('sandbox helpers answer a sandbox key and give a live key 403', async () => {
    const emulator = await runningEmulator()
    const { data } = await emulator.get('/sandbox/institutions')
    expect(Object.keys(data[0])).toEqual(['id', 'name', 'logo_url'])
    const { status, json } = await emulator.call('GET', '/sandbox/institutions', { base: 'live' })
    expect([status, json.error.code]).toEqual([403, 'live_key_not_allowed'])
  })
})

describe('the request rate limit', () => {
  test('429 rate_limit_exceeded with Retry-After for that key alone; time fills it again', async () => {
    const emulator = await runningEmulator({ rateLimit: 6 })
    const status = async () => (await emulator.call('GET', '/clients')).status
    for (let call = 0; call < 6; call += 1) expect(await status()).toBe(200)
    const { json, headers, status: refused } = await emulator.call('GET', '/clients')
    expect([refused, json.error.code, headers.get('retry-after')]).toEqual([429, 'rate_limit_exceeded', '10'])
    expect(
      (await emulator.call('GET', '/clients', { key: emulator.otherCustomer.sandbox.api_key })).status,
    ).toBe(200)
    await emulator.advance(10_000)
    expect([await status(), await status()]).toEqual([200, 429])
  })
})
