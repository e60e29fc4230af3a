import { describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../src/signing/webhook.ts'
import { temporaryFolder } from '../support/machine.ts'
import { runningEmulator } from '../support/running-emulator.ts'

describe('the controls', () => {
  test('answer only with their header, which a web page cannot send', async () => {
    const emulator = await runningEmulator()
    const status = `${emulator.controlUrl}/status`
    expect((await fetch(status)).status).toBe(403)
    const answer = await fetch(status, { headers: { 'X-Bankapi-Emulator': '1' } })
    expect([answer.status, await answer.json()]).toMatchObject([200, { clock: '2026-03-10T12:00:00.000Z' }])
    expect(answer.headers.has('access-control-allow-origin')).toBe(false)
  })

  test('advance, link, trigger, faults and reset work over HTTP and refuse what they do not understand', async () => {
    const emulator = await runningEmulator()
    const control = async (
      method: string,
      path: string,
      body?: unknown,
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
    ): Promise<{ status: number; json: any }> => {
      const response = await fetch(`${emulator.controlUrl}${path}`, {
        method,
        headers: { 'X-Bankapi-Emulator': '1', ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, json: await response.json() }
    }
    const { connection } = await emulator.initiate('ins_a_ok')
    expect((await control('POST', '/link', { connection_id: connection })).json).toMatchObject({
      client_id: 'cli_demo',
    })
    expect((await control('POST', '/link', { connection_id: 'con_FDE_9' })).status).toBe(404)
    const advanced = await control('POST', '/advance', { ms: 60_000 })
    expect(advanced.json).toEqual({ clock: '2026-03-10T12:01:00.100Z', jobs_run: expect.any(Number) })
    expect((await control('POST', '/advance', { ms: -1 })).status).toBe(400)
    expect(
      (await control('POST', '/trigger', { type: 'connection.failed', connection: 'con_FDE_123' })).json
        .status,
    ).toBe('failed')
    expect((await control('POST', '/trigger', { type: 'nonsense' })).status).toBe(400)
    expect((await control('POST', '/faults', { pattern: 'GET /clients', status: 503 })).json.id).toBe(
      'fault_1',
    )
    expect((await control('POST', '/faults', { pattern: `/${'x'.repeat(200)}` })).status).toBe(400)
    expect((await control('GET', '/faults')).json.data).toHaveLength(1)
    expect((await control('DELETE', '/faults')).json).toEqual({ cleared: 1 })
    expect((await control('POST', '/reset')).json.clock).toBe('2026-03-10T12:00:00.000Z')
    expect((await emulator.connection('con_FDE_123')).status).toBe('active')
  })
})

describe('cursors', () => {
  test('every one made until now is refused, also after a restart; those made later work', async () => {
    const options = { memory: false, dataDir: temporaryFolder() }
    const emulator = await runningEmulator(options)
    const { next_cursor: old } = await emulator.get('/institutions?limit=2')
    emulator.refuseCursors()
    const refused = await emulator.call('GET', `/institutions?limit=2&cursor=${old}`)
    expect([refused.status, refused.json.error.code, refused.json.error.param]).toEqual([
      400,
      'invalid_request',
      'cursor',
    ])
    const { next_cursor: later } = await emulator.get('/institutions?limit=2')
    await emulator.stop()
    const again = await runningEmulator(options)
    expect((await again.call('GET', `/institutions?limit=2&cursor=${old}`)).status).toBe(400)
    expect((await again.call('GET', `/institutions?limit=2&cursor=${later}`)).status).toBe(200)
    await again.reset()
    expect((await again.call('GET', `/institutions?limit=2&cursor=${old}`)).status).toBe(200)
  })
})

describe('faults', () => {
  test('a status, as often as ordered, for the paths that fit', async () => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: 'POST /connections/*/refresh', status: 503, times: 2 })
    const refresh = () => emulator.call('POST', '/connections/con_FDE_123/refresh')
    expect((await emulator.call('GET', '/connections/con_FDE_123')).status).toBe(200)
    const [first, second, third] = [await refresh(), await refresh(), await refresh()]
    expect([first.status, second.status, third.status]).toEqual([503, 503, 202])
    expect(first.json.error.trace_id).toBe(first.headers.get('x-ls-trace-id'))
  })

  test.each([
    [400, undefined, 'invalid_request'],
    [401, undefined, 'unknown_api_key'],
    [403, undefined, 'insufficient_scope'],
    [404, undefined, 'not_found'],
    [409, undefined, 'idempotency_conflict'],
    [409, 1, 'request_in_progress'],
    [411, undefined, 'length_required'],
    [413, undefined, 'payload_too_large'],
    [418, undefined, 'invalid_request'],
    [422, undefined, 'validation_failed'],
    [429, undefined, 'rate_limit_exceeded'],
    [500, undefined, 'internal_error'],
  ])('%i (Retry-After %s) has the code %s', async (status, retry_after, code) => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: 'GET /clients', status, ...(retry_after && { retry_after }) })
    const answer = await emulator.call('GET', '/clients')
    expect([answer.status, answer.json.error.code]).toEqual([status, code])
    expect(answer.headers.get('retry-after')).toBe(retry_after === undefined ? null : String(retry_after))
  })

  test('a delay, a dropped connection, a body cut short', async () => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: 'GET /health', delay_ms: 150, times: 1 })
    const begun = performance.now()
    expect((await emulator.call('GET', '/health')).status).toBe(200)
    expect(performance.now() - begun).toBeGreaterThan(140)
    emulator.faults.add({ pattern: '/health', drop: true, times: 1 })
    await expect(emulator.call('GET', '/health')).rejects.toThrow()
    emulator.faults.add({ pattern: '* /institutions', truncate: true, times: 1 })
    await expect(emulator.call('GET', '/institutions')).rejects.toThrow()
    expect((await emulator.call('GET', '/institutions')).status).toBe(200)
  })

  test('a pattern of many wildcards costs a request that almost fits nothing', async () => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: `GET /${'*a'.repeat(40)}b`, status: 503 })
    expect((await emulator.call('GET', `/${'a'.repeat(10_000)}`)).status).toBe(404)
    expect((await emulator.call('GET', `/${'a'.repeat(10_000)}b`)).status).toBe(503)
  })

  test('for deliveries: a truncated body does not verify, a dropped one is retried', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    listener.answer(() => (listener.deliveries.length === 1 ? 401 : 200))
    emulator.faults.add({ pattern: 'DELIVERY connection.*', drop: true, times: 1 })
    emulator.faults.add({ pattern: 'DELIVERY connection.*', truncate: true, times: 1 })
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(9999)
    expect(listener.deliveries).toHaveLength(0)
    await emulator.advance(20_001)
    const verified = await Promise.all(
      listener.deliveries.map(({ headers, body }) =>
        verifyWebhook({
          headers: headers as Record<string, string>,
          body,
          secrets: [listener.subscription.signing_secret],
          now: Date.now() / 1000,
        }),
      ),
    )
    expect(verified.map(({ verified: ok }) => ok)).toEqual([false, true])
  })

  test('a 429 and a 503 that say how long to wait', async () => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: 'GET /clients', status: 429, retry_after: 7, times: 1 })
    emulator.faults.add({ pattern: 'GET /clients', status: 503, retry_after: 2, times: 1 })
    const [limited, unavailable] = [
      await emulator.call('GET', '/clients'),
      await emulator.call('GET', '/clients'),
    ]
    expect([limited.status, limited.json.error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(limited.headers.get('retry-after')).toBe('7')
    expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '2'])
  })

  test('a cursor refused as one of another query; requests without one are answered', async () => {
    const emulator = await runningEmulator()
    const { next_cursor } = await emulator.get('/institutions?limit=2')
    emulator.faults.add({ pattern: 'GET /institutions', refuse_cursor: true, times: 1 })
    expect((await emulator.call('GET', '/institutions?limit=2')).status).toBe(200)
    const next = () => emulator.call('GET', `/institutions?limit=2&cursor=${next_cursor}`)
    const [refused, after] = [await next(), await next()]
    expect([refused.status, refused.json.error.code, refused.json.error.param]).toEqual([
      400,
      'invalid_request',
      'cursor',
    ])
    expect(after.status).toBe(200)
  })

  test('only after so many requests, so that it meets the third page', async () => {
    const emulator = await runningEmulator()
    emulator.faults.add({ pattern: 'GET /clients', status: 503, after: 2, times: 1 })
    const statuses = []
    for (let page = 1; page <= 4; page += 1) statuses.push((await emulator.call('GET', '/clients')).status)
    expect(statuses).toEqual([200, 200, 503, 200])
  })

  test('something that happens between two requests, and keeps no fault from its turn', async () => {
    const emulator = await runningEmulator()
    const account = 'acc_AGGREGATOR_A_100101'
    const pattern = `GET /accounts/${account}/transactions`
    const page = (cursor?: string) =>
      emulator.call('GET', `/accounts/${account}/transactions?client_id=cli_demo&limit=5${cursor ?? ''}`)
    emulator.faults.add({
      pattern,
      after: 1,
      times: 1,
      meanwhile: () => void emulator.bank(account).rerecord(3),
    })
    emulator.faults.add({ pattern, status: 503, after: 2, times: 1 })
    const first = await page()
    const second = await page(`&cursor=${first.json.next_cursor}`)
    expect([first.status, second.status]).toEqual([200, 200])
    expect([(await page()).status, (await page()).status]).toEqual([503, 200])
    expect((await page()).json.data.slice(3)).toEqual(first.json.data.slice(0, 2))
    expect(emulator.faults.list()).toEqual([])
  })

  test('latency makes every answer slower', async () => {
    const emulator = await runningEmulator({ latencyMs: 100 })
    const begun = performance.now()
    await emulator.call('GET', '/clients')
    expect(performance.now() - begun).toBeGreaterThan(95)
  })
})
