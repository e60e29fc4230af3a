import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../src/emulator/start.ts'
import { temporaryFolder } from '../support/machine.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const latest = (emulator: Pick<TestEmulator, 'requests'>, more = {}) =>
  emulator.requests({ limit: 100, failed: false, bodies: true, ...more }).data

describe('the log of requests', () => {
  test('has method, path, status, time, the first characters of the key, trace id and error code, oldest first', async () => {
    const emulator = await runningEmulator()
    const { headers } = await emulator.call('GET', '/clients?limit=1')
    await emulator.call('GET', '/connections/con_FDE_9', { base: 'live', key: emulator.live.api_key })
    await emulator.call('GET', '/clients', { key: 'sk_test_unknown_one' })
    await emulator.call('GET', '/clients', { key: null })
    const log = latest(emulator, { bodies: false })
    expect(log[0]).toEqual({
      id: 1,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      environment: 'sandbox',
      method: 'GET',
      path: '/v3/clients?limit=1',
      status: 200,
      complete: true,
      ms: expect.any(Number),
      key_prefix: emulator.sandbox.api_key.slice(0, 12),
      error_code: null,
      trace_id: headers.get('x-ls-trace-id'),
    })
    expect(log.slice(1).map((one) => [one.environment, one.status, one.error_code, one.key_prefix])).toEqual([
      ['live', 404, 'not_found', emulator.live.api_key.slice(0, 12)],
      ['sandbox', 401, 'unknown_api_key', 'sk_test_unkn'],
      ['sandbox', 401, 'unknown_api_key', null],
    ])
    expect(log.every(({ ms }) => ms >= 0 && ms < 10_000)).toBe(true)
  })

  test('bodies: JSON as it was, cut; of anything else its type and length', async () => {
    const emulator = await runningEmulator()
    await emulator.call('POST', '/clients', { body: { name: 'Ada' } })
    await emulator.call('GET', '/transactions/txn_FDE_none?client_id=cli_demo')
    await emulator.call('GET', '/accounts/acc_FDE_12301/transactions?client_id=cli_demo&limit=500')
    const body = new FormData()
    body.append('file', new File(['%PDF-1.7 of Ada'], 'ada.pdf', { type: 'application/pdf' }))
    await emulator.call('POST', '/statements/extract', { body })
    const [made, none, long, upload] = latest(emulator)
    expect([made?.request_body, made?.response_body]).toEqual([
      '{"name":"Ada"}',
      expect.stringContaining('"name":"Ada"'),
    ])
    expect([none?.request_body, none?.response_body]).toEqual([null, expect.stringContaining('not_found')])
    expect(long?.response_body).toHaveLength(2001)
    expect(upload?.request_body).toMatch(/^\(multipart\/form-data, \d+ bytes\)$/)
  })

  test('of failed requests only: refused, dropped, cut short', async () => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: 'GET /clients', drop: true, times: 1 })
    emulator.faults.add({ pattern: 'GET /accounts', truncate: true, times: 1 })
    emulator.faults.add({ pattern: 'GET /metrics/summary', status: 503, times: 1 })
    await expect(emulator.call('GET', '/clients')).rejects.toThrow()
    await expect(emulator.call('GET', '/accounts?client_id=cli_demo')).rejects.toThrow()
    await emulator.call('GET', '/metrics/summary')
    await emulator.call('GET', '/clients')
    await expect.poll(() => latest(emulator).length).toBe(4)
    const failed = latest(emulator, { failed: true })
    expect(failed.map(({ path, status, complete }) => [path.split('?')[0], status, complete])).toEqual([
      ['/v3/clients', null, false],
      ['/v3/accounts', 200, false],
      ['/v3/metrics/summary', 503, true],
    ])
  })

  test('holds no secret: keys, signing secrets, sessions, tokens of links, what a user types', async () => {
    const emulator = await runningEmulator()
    const hidden: string[] = [emulator.sandbox.api_key]
    const post = async (path: string, body?: object, base: 'sandbox' | 'live' = 'sandbox') => {
      const { json } = await emulator.call('POST', path, { body, base, key: emulator[base].api_key })
      return json
    }
    hidden.push((await post('/api-keys', { scopes: ['read:clients'] })).secret ?? '')
    const hook = await post('/webhooks/subscriptions', {
      url: 'http://127.0.0.1:9/',
      event_types: ['connection.active'],
    })
    hidden.push(hook.signing_secret)
    hidden.push((await post(`/webhooks/subscriptions/${hook.id}/rotate-secret`)).signing_secret)
    const session = await post('/clients/cli_demo/connect-session', {})
    hidden.push(session.sid)
    await fetch(session.url)
    const { widgetUrl } = await emulator.initiate('ins_a_ok')
    hidden.push(widgetUrl.split('/').at(-1) ?? '')
    await fetch(widgetUrl, {
      method: 'POST',
      body: new URLSearchParams({ username: 'ada', password: 'my password' }),
    })
    hidden.push('my+password')
    const { reauth_url, ...link } = await post('/connections/con_AGGREGATOR_A_1001/reauthorize', {})
    hidden.push(
      String(reauth_url ?? JSON.stringify(link))
        .split('/')
        .at(-1) ?? '',
    )
    await emulator.call('DELETE', `/clients/cli_demo/connect-session/${session.sid}`)
    expect(hidden.map((secret) => secret.length > 8)).toEqual(hidden.map(() => true))
    const log = JSON.stringify(latest(emulator))
    for (const secret of hidden) expect(log).not.toContain(secret)
    expect(log).toContain('/widget/…')
  })

  test('keeps the latest 1,000, and says when there are earlier ones', async () => {
    const emulator = await runningEmulator()
    for (let round = 0; round < 21; round++) {
      await Promise.all(Array.from({ length: 50 }, () => emulator.call('GET', '/institutions/none')))
    }
    const { data, has_more } = emulator.requests({ limit: 1000, failed: false, bodies: false })
    expect([data.length, data[0]?.id, data.at(-1)?.id, has_more]).toEqual([1000, 51, 1050, false])
    const last = emulator.requests({ limit: 2, failed: false, bodies: false })
    expect([last.data.map(({ id }) => id), last.has_more]).toEqual([[1049, 1050], true])
    const next = emulator.requests({ after: 100, limit: 2, failed: false, bodies: false })
    expect([next.data.map(({ id }) => id), next.has_more]).toEqual([[101, 102], true])
  })

  test('survives a restart with the data, in a file for the user alone; a reset forgets it', async () => {
    const dataDir = temporaryFolder()
    const start = () => startEmulator({ port: 0, livePort: 0, dataDir })
    const first = await start()
    await fetch(`${first.sandbox.base_url}/clients?first`)
    await first.stop()
    expect(readdirSync(dataDir)).toEqual(['emulator.db'])
    expect(readFileSync(join(dataDir, 'emulator.db')).includes('/v3/clients?first')).toBe(true)
    const second = await start()
    await fetch(`${second.sandbox.base_url}/clients?second`)
    expect(latest(second).map(({ path }) => path)).toEqual(['/v3/clients?first', '/v3/clients?second'])
    await fetch(`${second.sandbox.base_url}/clients?third`)
    await second.reset()
    expect(latest(second)).toEqual([])
    await fetch(`${second.sandbox.base_url}/clients?fourth`)
    // A reader goes on where it was.
    expect(latest(second)).toMatchObject([{ id: expect.any(Number), path: '/v3/clients?fourth' }])
    expect(latest(second)[0]?.id).toBeGreaterThan(2)
    await second.stop()
  })

  test('by HTTP under /_emulator/requests; the controls themselves are not in it', async () => {
    const emulator = await runningEmulator()
    await emulator.call('GET', '/clients')
    const read = async (query: string) => {
      const url = `${emulator.controlUrl}/requests${query}`
      const response = await fetch(url, { headers: { 'X-Bankapi-Emulator': '1' } })
      return { status: response.status, body: (await response.json()) as { data: { path: string }[] } }
    }
    expect((await read('')).body.data.map(({ path }) => path)).toEqual(['/v3/clients'])
    expect((await read('?failed=1&bodies=1&after=0&limit=5')).body).toEqual({ data: [], has_more: false })
    expect((await read('?limit=1001')).status).toBe(400)
    expect((await read('?all=1')).status).toBe(400)
  })
})
