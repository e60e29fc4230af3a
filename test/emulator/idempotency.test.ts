import { describe, expect, test } from 'vitest'
import { type CallOptions, runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const path = '/clients/cli_demo/connect-session'
const hour = 3_600_000
const keyed = (key: string, more: CallOptions = {}): CallOptions => ({
  headers: { 'idempotency-key': key },
  ...more,
})

/** Sends the request twice: the second answer is the first one again. */
async function replays(emulator: TestEmulator, options: CallOptions, status: number): Promise<void> {
  const first = await emulator.call('POST', path, options)
  const again = await emulator.call('POST', path, options)
  expect([first.status, again.status, again.text]).toEqual([status, status, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('x-ls-trace-id')).toBe(again.json.error.trace_id)
}

describe('Idempotency-Key on connect-session', () => {
  test('the same key within 24 hours replays the exact same response with Idempotent-Replayed: true', async () => {
    const emulator = await runningEmulator()
    const first = await emulator.call('POST', path, keyed('k1'))
    expect([first.status, first.headers.has('idempotent-replayed')]).toEqual([201, false])
    await emulator.advance(24 * hour - 1)
    const again = await emulator.call('POST', path, keyed('k1'))
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ])
    await emulator.advance(1)
    const later = await emulator.call('POST', path, keyed('k1'))
    expect([later.status, later.headers.has('idempotent-replayed')]).toEqual([201, false])
    expect(later.json.sid).not.toBe(first.json.sid)
  })

  test('failures are replayed too, with the trace id that their envelope names', async () => {
    const emulator = await runningEmulator()
    const options = keyed('k1', { body: { redirect_url: 'https://app.example/done' } })
    const first = await emulator.call('POST', path, options)
    expect(first.status).toBe(400)
    await emulator.post('/settings/redirect-urls', { allowed_redirect_urls: ['https://app.example/done'] })
    const again = await emulator.call('POST', path, options)
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      400,
      first.text,
      'true',
    ])
    expect(again.headers.get('x-ls-trace-id')).toBe(first.headers.get('x-ls-trace-id'))
    expect((await emulator.call('POST', path, keyed('k2', { body: options.body }))).status).toBe(201)
  })

  test('while the original is still running: 409 with Retry-After', async () => {
    const emulator = await runningEmulator({ latencyMs: 300 })
    const both = [emulator.call('POST', path, keyed('k1')), emulator.call('POST', path, keyed('k1'))]
    const answers = await Promise.all(both)
    const told = answers.map(({ status, headers }) => [status, headers.get('retry-after')])
    expect(told).toEqual(
      expect.arrayContaining([
        [201, null],
        [409, '1'],
      ]),
    )
    // idempotency_conflict is for a different request.
    expect(answers.find(({ status }) => status === 409)?.json.error.code).toBe('request_in_progress')
    expect((await emulator.call('POST', path, keyed('k1'))).headers.get('idempotent-replayed')).toBe('true')
  })

  test('reuse for a different body or path is 409 idempotency_conflict', async () => {
    const emulator = await runningEmulator()
    const { id } = await emulator.post('/clients', {})
    await emulator.call('POST', path, keyed('k1'))
    const other = [
      await emulator.call('POST', path, keyed('k1', { body: {} })),
      await emulator.call('POST', `/clients/${id}/connect-session`, keyed('k1')),
    ]
    for (const { status, json } of other)
      expect([status, json.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  test('keys belong to the API key that first used them', async () => {
    const emulator = await runningEmulator()
    const { secret: key } = await emulator.post('/api-keys', { scopes: ['write:connections'] })
    const first = await emulator.call('POST', path, keyed('k1'))
    const other = await emulator.call('POST', path, keyed('k1', { key }))
    expect(other.headers.has('idempotent-replayed')).toBe(false)
    expect(other.json.sid).not.toBe(first.json.sid)
  })

  test('a replay counts against the request rate limit', async () => {
    const emulator = await runningEmulator({ rateLimit: 2 })
    const statuses = [1, 2, 3].map(() => emulator.call('POST', path, keyed('k1')))
    expect((await Promise.all(statuses)).map(({ status }) => status).sort()).toEqual([201, 201, 429])
  })

  test('failures included: an ordered 503 or 500 is replayed, not executed anew', async () => {
    const emulator = await runningEmulator()
    for (const status of [503, 500]) {
      emulator.faults.add({ pattern: 'POST /clients/*/connect-session', status, times: 1 })
      await replays(emulator, keyed(`k${status}`), status)
    }
  })

  test('failures included: the Retry-After of an ordered fault is in the first answer and in its replay', async () => {
    const emulator = await runningEmulator()
    for (const status of [503, 409]) {
      const pattern = 'POST /clients/*/connect-session'
      emulator.faults.add({ pattern, status, times: 1, retry_after: 7 })
      const answers = [1, 2].map(() => () => emulator.call('POST', path, keyed(`k${status}`)))
      for (const answer of answers) {
        const { headers, status: answered } = await answer()
        expect([answered, headers.get('retry-after')]).toEqual([status, '7'])
      }
    }
  })

  test('failures included: 403 insufficient_scope is replayed, also after the key was given the scope', async () => {
    const emulator = await runningEmulator()
    const { id, secret: key } = await emulator.post('/api-keys', { scopes: ['read:clients'] })
    const first = await emulator.call('POST', path, keyed('k1', { key }))
    expect(first.json.error.code).toBe('insufficient_scope')
    await emulator.call('PATCH', `/api-keys/${id}`, { body: { scopes: ['write:connections'] } })
    await replays(emulator, keyed('k1', { key }), 403)
    expect((await emulator.call('POST', path, keyed('k2', { key }))).status).toBe(201)
  })

  test('failures included: a body that is no JSON is replayed, another one is a conflict', async () => {
    const emulator = await runningEmulator()
    const sent = (body: string) =>
      keyed('k1', { body, headers: { 'idempotency-key': 'k1', 'content-type': 'application/json' } })
    await replays(emulator, sent('{"redirect_url":'), 400)
    const other = await emulator.call('POST', path, sent('{}'))
    expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  test('a request that was not admitted is not replayed: dropped, unknown key, over the rate limit', async () => {
    const emulator = await runningEmulator({ rateLimit: 1 })
    emulator.faults.add({ pattern: 'POST /clients/*/connect-session', drop: true, times: 1 })
    await expect(emulator.call('POST', path, keyed('k1'))).rejects.toThrow()
    expect((await emulator.call('POST', path, keyed('k1', { key: 'sk_test_none' }))).status).toBe(401)
    const statuses = [
      await emulator.call('POST', path, keyed('k0')),
      await emulator.call('POST', path, keyed('k1')),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([201, 429])
    await emulator.advance(60_000)
    const first = await emulator.call('POST', path, keyed('k1'))
    expect([first.status, first.headers.has('idempotent-replayed')]).toEqual([201, false])
  })

  test.each([
    ['/clients', { name: 'Twice' }],
    ['/clients/cli_demo/connections', { institution_id: 'ins_a_ok' }],
  ])('POST %s ignores it: a retry creates a duplicate, and no conflict is answered', async (other, body) => {
    const emulator = await runningEmulator()
    const answers = [
      await emulator.call('POST', other, keyed('k1', { body })),
      await emulator.call('POST', other, keyed('k1', { body })),
      await emulator.call(
        'POST',
        other,
        keyed('k1', { body: { ...body, ...(other === '/clients' ? { name: 'x' } : {}) } }),
      ),
    ]
    const ids = answers.map(({ json }) => json.id ?? json.operation_id)
    expect(new Set(ids).size).toBe(3)
    for (const { headers, status } of answers) {
      expect(status).toBeLessThan(300)
      expect(headers.has('idempotent-replayed')).toBe(false)
    }
  })
})
