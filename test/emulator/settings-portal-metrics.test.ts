import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const day = 86_400_000

describe('the redirect allowlist', () => {
  const path = '/settings/redirect-urls'
  const initiate = (emulator: TestEmulator, redirect_url: string) =>
    emulator.call('POST', '/clients/cli_demo/connections', {
      body: { institution_id: 'ins_a_ok', redirect_url },
    })

  test('each POST overwrites the whole set, an empty one denies all, DELETE removes the row', async () => {
    const emulator = await runningEmulator()
    const [one, two] = ['https://one.example/done', 'https://two.example/done']
    expect(await emulator.get(path)).toEqual({ environment: 'sandbox', allowed_redirect_urls: [] })
    expect((await initiate(emulator, one)).status).toBe(400)
    expect(await emulator.post(path, { allowed_redirect_urls: [one] })).toEqual({
      environment: 'sandbox',
      allowed_redirect_urls: [one],
    })
    expect((await initiate(emulator, one)).status).toBe(202)
    await emulator.post(path, { allowed_redirect_urls: [two] })
    expect([(await initiate(emulator, one)).status, (await initiate(emulator, two)).status]).toEqual([
      400, 202,
    ])
    await emulator.post(path, { allowed_redirect_urls: [] })
    expect(await emulator.get(path)).toMatchObject({ allowed_redirect_urls: [] })
    expect((await initiate(emulator, two)).status).toBe(400)
    const cleared = await emulator.call('DELETE', path)
    expect([cleared.status, cleared.text]).toEqual([204, ''])
    expect((await initiate(emulator, two)).json.error).toMatchObject({
      code: 'validation_failed',
      param: 'redirect_url',
    })
  })

  test('a URL has to match exactly; the environments have rows of their own', async () => {
    const emulator = await runningEmulator()
    await emulator.post(path, { allowed_redirect_urls: ['https://app.example/done'] })
    for (const near of [
      'https://app.example/done/',
      'https://app.example/done?x=1',
      'https://app.example/',
    ]) {
      expect((await initiate(emulator, near)).status).toBe(400)
    }
    expect((await emulator.call('GET', path, { base: 'live' })).json).toMatchObject({
      allowed_redirect_urls: [],
    })
  })

  test.each([
    'http://app.example/',
    'https://user:pw@app.example/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.1.1/',
    'https://localhost/',
    'https://metadata.google.internal/',
    'https:///nowhere',
    `https://app.example/${'x'.repeat(2048)}`,
  ])('%.60s is refused, and the set stays as it was', async (url) => {
    const emulator = await runningEmulator()
    await emulator.post(path, { allowed_redirect_urls: ['https://app.example/ok'] })
    const { status, json } = await emulator.call('POST', path, {
      body: { allowed_redirect_urls: ['https://a.example/', url] },
    })
    expect([status, json.error.code, json.error.param]).toEqual([
      400,
      'validation_failed',
      'allowed_redirect_urls.1',
    ])
    expect((await emulator.get(path)).allowed_redirect_urls).toEqual(['https://app.example/ok'])
  })

  test('20 URLs are taken, 21 are not', async () => {
    const emulator = await runningEmulator()
    const urls = Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`)
    expect(
      (await emulator.call('POST', path, { body: { allowed_redirect_urls: urls.slice(1) } })).status,
    ).toBe(200)
    expect((await emulator.call('POST', path, { body: { allowed_redirect_urls: urls } })).status).toBe(400)
  })
})

describe('the portal', () => {
  const sign = (secret: string, payload: string) => createHmac('sha256', secret).update(payload).digest('hex')

  function portal(emulator: TestEmulator) {
    const { portal_secret } = emulator.sandbox
    const send = (method: string, path: string, body: object, signed?: string) => {
      const text = JSON.stringify(body, null, 1)
      const headers = {
        'content-type': 'application/json',
        'x-portal-bootstrap-signature': signed ?? sign(portal_secret, text),
      }
      return emulator.call(method, path, { key: null, body: text, headers })
    }
    const status = (user: string, signature = sign(portal_secret, user)) =>
      emulator.call('GET', '/portal/access-request/status', {
        key: null,
        headers: { 'x-portal-idp-user-id': user, 'x-portal-bootstrap-signature': signature },
      })
    return { send, status }
  }

  test('a live request is filed PENDING; the status is null for what was not filed', async () => {
    const emulator = await runningEmulator()
    const { send, status } = portal(emulator)
    const body = { idp_user_id: 'usr_1', company_name: 'Ünïcode GmbH', go_live_target_date: '2026-09-01' }
    const { status: code, json } = await send('POST', '/portal/live-request', body)
    expect([code, json]).toEqual([
      201,
      {
        request_id: expect.any(String),
        status: 'PENDING',
        environment: 'LIVE',
        created_at: '2026-03-10T12:00:00.000Z',
      },
    ])
    expect((await status('usr_1')).json).toEqual({
      sandbox_status: null,
      live_status: 'PENDING',
      sandbox_denial_reason_code_public: null,
      live_denial_reason_code_public: null,
    })
    expect((await send('POST', '/portal/access-request', body)).json.environment).toBe('SANDBOX')
    expect((await status('usr_1')).json.sandbox_status).toBe('PENDING')
  })

  test('the signature is over the raw body, or over the user id for the status: anything else is 401', async () => {
    const emulator = await runningEmulator()
    const { send, status } = portal(emulator)
    const body = { idp_user_id: 'usr_1' }
    for (const signature of [
      sign(emulator.sandbox.portal_secret, JSON.stringify(body)),
      sign(emulator.live.portal_secret, JSON.stringify(body, null, 1)),
      sign(emulator.sandbox.portal_secret, JSON.stringify(body, null, 1)).slice(1),
      '',
    ]) {
      expect((await send('POST', '/portal/live-request', body, signature)).status).toBe(401)
    }
    expect((await status('usr_2', sign(emulator.sandbox.portal_secret, 'usr_1'))).status).toBe(401)
    expect((await status('usr_1')).json.live_status).toBe(null)
  })

  test('the email of a live request is in email format: anything else is refused with the field', async () => {
    const emulator = await runningEmulator()
    const { send } = portal(emulator)
    const apply = (email: string) => send('POST', '/portal/live-request', { idp_user_id: 'usr_1', email })
    for (const email of ['', 'dev', 'dev@', '@example.com', 'dev example@example.com']) {
      const { status, json } = await apply(email)
      expect([status, json.error.code, json.error.param]).toEqual([400, 'validation_failed', 'email'])
    }
    expect((await apply('dev+live@mail.example.com')).status).toBe(201)
  })

  test('PATCH edits what the integrator supplied, only while PENDING or NEEDS_INFO', async () => {
    const emulator = await runningEmulator()
    const { send, status } = portal(emulator)
    await send('POST', '/portal/live-request', { idp_user_id: 'usr_1' })
    const edit = () =>
      send('PATCH', '/portal/live-request', { idp_user_id: 'usr_1', company_name: 'New Name' })
    const decide = (decision: 'NEEDS_INFO' | 'APPROVED' | 'DENIED') =>
      emulator.trigger({ type: 'portal.reviewed', user: 'usr_1', application: 'LIVE', decision })
    expect((await edit()).status).toBe(200)
    decide('NEEDS_INFO')
    expect((await edit()).json.status).toBe('NEEDS_INFO')
    for (const decision of ['APPROVED', 'DENIED'] as const) {
      decide(decision)
      expect([(await edit()).status, (await status('usr_1')).json.live_status]).toEqual([400, decision])
    }
    expect((await status('usr_1')).json.live_denial_reason_code_public).toEqual(expect.any(String))
  })

  test('reviewer-managed fields are immutable, an application that was not filed is 404', async () => {
    const emulator = await runningEmulator()
    const { send, status } = portal(emulator)
    expect(
      (await send('PATCH', '/portal/live-request', { idp_user_id: 'usr_1', country: 'DE' })).status,
    ).toBe(404)
    await send('POST', '/portal/live-request', { idp_user_id: 'usr_1' })
    const { json } = await send('PATCH', '/portal/live-request', { idp_user_id: 'usr_1', status: 'APPROVED' })
    expect([json.error.code, json.error.param]).toEqual(['validation_failed', 'status'])
    expect((await status('usr_1')).json.live_status).toBe('PENDING')
  })
})

describe('metrics', () => {
  test('the summary counts clients, active connections, their accounts, records of the window, stale accounts', async () => {
    const emulator = await runningEmulator()
    const accounts = await emulator.accounts()
    const linked = accounts.filter(({ connection_id }) => connection_id !== null)
    await emulator.post('/clients', {})
    expect(await emulator.get('/metrics/summary')).toMatchObject({
      total_clients: 2,
      active_connections: 3,
      linked_accounts: linked.length,
      stale_accounts_count: 0,
    })
    emulator.trigger({ type: 'connection.requires_action', connection: 'con_FDE_123' })
    const fde = linked.filter(({ connection_id }) => connection_id === 'con_FDE_123').length
    expect(await emulator.get('/metrics/summary')).toMatchObject({
      active_connections: 2,
      linked_accounts: linked.length - fde,
      stale_accounts_count: fde,
    })
  })

  test('from is inclusive, to exclusive; the window is 30 days unless said and at most 366', async () => {
    const emulator = await runningEmulator()
    const count = async (query: string) =>
      (await emulator.get(`/metrics/summary${query}`)).transactions_in_period
    const at = (days: number) => new Date(Date.parse('2026-03-10T12:00:00Z') + days * day).toISOString()
    const sinceDawn = await count(`?from=${at(-300)}&to=${at(0)}`)
    expect((await count(`?from=${at(-300)}&to=${at(-30)}`)) + (await count(''))).toBe(sinceDawn)
    expect((await emulator.call('GET', `/metrics/summary?from=${at(-366)}`)).status).toBe(200)
    for (const query of [`?from=${at(-367)}`, `?from=${at(1)}`]) {
      const { status, json } = await emulator.call('GET', `/metrics/summary${query}`)
      expect([status, json.error.code]).toEqual([400, 'validation_failed'])
    }
  })

  test('from defaults to now minus 30 days, also where to is given', async () => {
    const emulator = await runningEmulator()
    const count = async (query: string) =>
      (await emulator.get(`/metrics/summary${query}`)).transactions_in_period
    const at = (days: number) => new Date(Date.parse('2026-03-10T12:00:00Z') + days * day).toISOString()
    const sinceThen = await count(`?from=${at(-30)}&to=${at(-10)}`)
    expect(sinceThen).toBeGreaterThan(0)
    expect(await count(`?to=${at(-10)}`)).toBe(sinceThen)
    const { status, json } = await emulator.call('GET', `/metrics/summary?to=${at(-31)}`)
    expect([status, json.error.code]).toEqual([400, 'validation_failed'])
  })

  test('stale_accounts_count names SKIPPED_INACTIVE_BANK: accounts of disconnected Connections count', async () => {
    const emulator = await runningEmulator()
    const { length } = await emulator.accounts('con_FDE_123')
    await emulator.call('DELETE', '/connections/con_FDE_123')
    expect((await emulator.get('/metrics/summary')).stale_accounts_count).toBe(length)
  })

  test('numbers are of the customer and the environment that ask', async () => {
    const emulator = await runningEmulator()
    await emulator.post('/clients', {})
    const key = emulator.otherCustomer.sandbox.api_key
    const counts = [
      await emulator.get('/metrics/summary', { key }),
      await emulator.get('/metrics/summary', { base: 'live' }),
    ]
    expect(counts.map(({ total_clients }) => total_clients)).toEqual([1, 1])
  })
})

describe('reports and health', () => {
  test('a verification report is asynchronous', async () => {
    const emulator = await runningEmulator()
    const answer = await emulator.call('POST', '/clients/cli_demo/verification-reports')
    expect(answer.status).toBe(202)
    await emulator.advance(1000)
    const operation = await emulator.get(`/operations/${answer.json.operation_id}`)
    expect(operation).toMatchObject({ status: 'succeeded', result: { kind: 'verification_report' } })
  })

  test('the liveness probe needs no key', async () => {
    const emulator = await runningEmulator()
    expect((await emulator.call('GET', '/health', { key: null })).status).toBe(200)
  })
})
