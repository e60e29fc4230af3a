import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../src/contract/errors.ts'
import { verifyWebhook } from '../../src/signing/webhook.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

/** Sends bytes as they are and returns what comes back until the connection closes. */
function exchange(emulator: TestEmulator, text: string | Buffer): Promise<string> {
  const { port } = new URL(emulator.sandbox.base_url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
    socket.setTimeout(5000, () => socket.destroy())
  })
}

function head(method: string, path: string, emulator: TestEmulator, more: readonly string[] = []): string {
  const lines = [
    `${method} /v3${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${emulator.sandbox.api_key}`,
    'Connection: close',
    ...more,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

describe('every answer', () => {
  test('carries X-LS-Trace-Id, and an error the same one in its envelope', async () => {
    const emulator = await runningEmulator()
    const answers = [
      await emulator.call('GET', '/clients'),
      await emulator.call('GET', '/health', { key: null }),
      await emulator.call('GET', '/clients', { key: null }),
      await emulator.call('GET', '/nowhere'),
      await emulator.call('GET', '/connections/con_FDE_999'),
      await emulator.call('DELETE', '/settings/redirect-urls'),
      await emulator.call('GET', '/connect-session?token=x', { key: null }),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-ls-trace-id'))
    expect(ids.every((id) => id !== null && id.length > 10)).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { json, headers } of answers) {
      if (json?.error) expect(json.error.trace_id).toBe(headers.get('x-ls-trace-id'))
    }
  })

  test('an error is the envelope in full: code, message, type, doc_url, category, is_user_actionable', async () => {
    const emulator = await runningEmulator()
    const { json } = await emulator.call('POST', '/webhooks/subscriptions', {
      body: { url: 1, event_types: 'x' },
    })
    expect(json.error).toMatchObject({
      code: 'validation_failed',
      message: expect.any(String),
      type: 'invalid_request_error',
      category: 'INVALID_REQUEST_ERROR',
      is_user_actionable: true,
      param: 'url',
      errors: [
        { param: 'url', message: expect.any(String), code: 'invalid_type' },
        { param: 'event_types', message: expect.any(String), code: 'invalid_type' },
      ],
    })
    const page = await fetch(json.error.doc_url)
    expect([page.status, (await page.text()).startsWith('validation_failed')]).toEqual([200, true])
  })

  test('doc_url leads to a page for every code', async () => {
    const emulator = await runningEmulator()
    const origin = new URL(emulator.sandbox.base_url).origin
    for (const code of Object.keys(errorCodes)) {
      expect((await fetch(`${origin}/errors/${code}`)).status).toBe(200)
    }
  })
})

describe('the raw request', () => {
  test('a POST with no body and no Content-Length: 0 is 411', async () => {
    const emulator = await runningEmulator()
    const path = '/connections/con_FDE_123/refresh'
    expect(await exchange(emulator, head('POST', path, emulator))).toMatch(
      /^HTTP\/1.1 411 [\s\S]*"length_required"/,
    )
    expect(await exchange(emulator, head('POST', path, emulator, ['Content-Length: 0']))).toMatch(
      /^HTTP\/1.1 202 /,
    )
    // The load balancer answers before anybody looks at the key.
    const nobody = 'POST /v3/clients HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    expect(await exchange(emulator, nobody)).toMatch(/^HTTP\/1.1 411 /)
    const chunked = `${head('POST', path, emulator, ['Transfer-Encoding: chunked'])}0\r\n\r\n`
    expect(await exchange(emulator, chunked)).toMatch(/^HTTP\/1.1 411 /)
    expect(await exchange(emulator, head('DELETE', '/settings/redirect-urls', emulator))).toMatch(
      /^HTTP\/1.1 204 /,
    )
  })

  test('only loopback names are answered as Host, so that a web page cannot reach it by DNS rebinding', async () => {
    const emulator = await runningEmulator()
    const get = (host: string) =>
      exchange(emulator, `GET /v3/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    for (const host of ['localhost', 'LOCALHOST:4010', '127.0.0.1:1', '[::1]:4010']) {
      expect(await get(host)).toMatch(/^HTTP\/1.1 200 /)
    }
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io:4010', '']) {
      expect(await get(host)).toMatch(/^HTTP\/1.1 400 [\s\S]*x-ls-trace-id[\s\S]*"error"/i)
    }
  })

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header without a name', 'GET /v3/health HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n', 400],
    [
      'a header of 100 kB',
      `GET /v3/health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
    ],
    [
      'a path that cannot be decoded',
      'GET /v3/clients/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      400,
    ],
  ])('%s is answered in the envelope', async (_what, bytes, status) => {
    const emulator = await runningEmulator()
    const answer = await exchange(emulator, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer.toLowerCase()).toContain('x-ls-trace-id')
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      error: { code: 'invalid_request' },
    })
  })
})

describe('paths, methods and bodies', () => {
  test('an unknown path is 404, a known one with another method is 405 with Allow', async () => {
    const emulator = await runningEmulator()
    expect((await emulator.call('GET', '/nowhere')).json.error.code).toBe('not_found')
    const { status, headers, json } = await emulator.call('PATCH', '/clients/cli_demo/connections')
    expect([status, headers.get('allow'), json.error.code]).toEqual([405, 'POST, GET', 'invalid_request'])
    expect((await emulator.call('OPTIONS', '/clients')).headers.has('access-control-allow-origin')).toBe(
      false,
    )
  })

  test.each([
    ['{', 400, 'invalid_request'],
    ['[]', 400, 'validation_failed'],
    ['null', 400, 'validation_failed'],
    ['"x"', 400, 'validation_failed'],
    ['{"name": 7}', 400, 'validation_failed'],
    ['{"nickname": "x"}', 400, 'validation_failed'],
    ['{"__proto__": {"name": "x"}}', 400, 'validation_failed'],
    ['', 201, undefined],
    ['{}', 201, undefined],
  ])('the body %s is %i %s', async (body, status, code) => {
    const emulator = await runningEmulator()
    const answer = await emulator.call('POST', '/clients', {
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, answer.json.error?.code]).toEqual([status, code])
  })

  test('a body over the limit is 413 payload_too_large', async () => {
    const emulator = await runningEmulator()
    const { status, json } = await emulator.call('POST', '/clients', {
      body: { name: 'x'.repeat(2_000_000) },
    })
    expect([status, json.error.code]).toEqual([413, 'payload_too_large'])
  })

  test('a body that is not JSON by its media type is 415, one that is not UTF-8 is 400', async () => {
    const emulator = await runningEmulator()
    const body = 'name=x'
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'x']) {
      expect(
        (await emulator.call('POST', '/clients', { body, headers: { 'content-type': type } })).status,
      ).toBe(415)
    }
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
    const lines = ['Content-Type: application/json', `Content-Length: ${bytes.length}`]
    const answer = await exchange(
      emulator,
      Buffer.concat([Buffer.from(head('POST', '/clients', emulator, lines)), bytes]),
    )
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*invalid_request/)
  })

  test('query parameters the operation does not know, or given twice, are validation_failed', async () => {
    const emulator = await runningEmulator()
    for (const [path, param] of [
      ['/clients?page=2', 'page'],
      ['/clients?limit=1&limit=2', 'limit'],
      ['/connections/con_FDE_123?x=1', 'x'],
      ['/metrics/summary?from=yesterday', 'from'],
    ]) {
      const { status, json } = await emulator.call('GET', path ?? '')
      expect([path, status, json.error.code, json.error.param]).toEqual([
        path,
        400,
        'validation_failed',
        param,
      ])
    }
  })

  test('SQL in ids and filters is only text', async () => {
    const emulator = await runningEmulator()
    const evil = encodeURIComponent("cli_x'; DROP TABLE clients; --")
    expect((await emulator.call('GET', `/clients/${evil}/connections`)).status).toBe(400)
    expect((await emulator.call('GET', '/accounts?client_id=cli_%27OR%271%27=%271')).status).toBe(404)
    expect((await emulator.get('/institutions?q=%25%27%3B--')).data).toEqual([])
    expect((await emulator.get('/clients')).data).toHaveLength(1)
  })

  test('an Idempotency-Key longer than 255 characters is validation_failed on any POST', async () => {
    const emulator = await runningEmulator()
    const answer = await emulator.call('POST', '/clients', {
      body: {},
      headers: { 'idempotency-key': 'x'.repeat(256) },
    })
    expect([answer.status, answer.json.error.param]).toEqual([400, 'Idempotency-Key'])
  })
})

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

  test('latency makes every answer slower', async () => {
    const emulator = await runningEmulator({ latencyMs: 100 })
    const begun = performance.now()
    await emulator.call('GET', '/clients')
    expect(performance.now() - begun).toBeGreaterThan(95)
  })
})
