import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../src/contract/errors.ts'
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

test('four requests of a connection may wait for their answer; with a fifth it is closed', async () => {
  const emulator = await runningEmulator()
  const health = 'GET /v3/health HTTP/1.1\r\nHost: localhost\r\n'
  const four = `${`${health}\r\n`.repeat(3)}${health}Connection: close\r\n\r\n`
  expect((await exchange(emulator, four)).match(/HTTP\/1\.1 200 /g)).toHaveLength(4)
  expect(await exchange(emulator, `${health}\r\n`.repeat(5)).catch(({ code }) => code)).toMatch(
    /^$|ECONNRESET/,
  )
})

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
