/** The connector for AI assistants at /mcp: both revisions of its protocol, and who may call. */
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { scopes } from '../../src/contract/scopes.ts'
import { callTool, connectorOf, mcpClient, revisions } from '../support/connector-client.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const everyTool = [
  'list_clients',
  'search_institutions',
  'list_connections',
  'connect_bank',
  'refresh_connection',
  'get_operation',
  'list_accounts',
  'list_transactions',
  'list_statements',
  'pair_desktop_app',
]

/** Posts JSON-RPC as a client of the older revision does, without a client. */
function post(emulator: TestEmulator, body: string, headers: Record<string, string> = {}) {
  return fetch(connectorOf(emulator), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${emulator.sandbox.api_key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  })
}

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** Sends a request whose Host a client would not let us choose. */
function statusFor(emulator: TestEmulator, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(connectorOf(emulator), { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end(listTools)
  })
}

describe('both revisions of the protocol', () => {
  test('a client of 2025-11-25 and one of 2026-07-28 see the same tools and get the same answers', async () => {
    const emulator = await runningEmulator()
    const seen = []
    for (const revision of revisions) {
      const client = await mcpClient(emulator, { revision })
      expect(client.getNegotiatedProtocolVersion()).toBe(revision)
      const { tools } = await client.listTools()
      seen.push({
        tools,
        connections: await callTool(client, 'list_connections', { client_id: 'cli_demo' }),
        accounts: await callTool(client, 'list_accounts', { client_id: 'cli_demo' }),
      })
    }
    expect(seen[0]?.tools.map(({ name }) => name)).toEqual(everyTool)
    expect(seen[1]).toEqual(seen[0])
  })

  test('without a client: initialize and tools/list of 2025-11-25, server/discover of 2026-07-28', async () => {
    const emulator = await runningEmulator()
    const clientInfo = { name: 'curl', version: '8' }
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const old = await post(
      emulator,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
    )
    expect(await old.text()).toContain('"protocolVersion":"2025-11-25"')
    expect(await (await post(emulator, listTools)).text()).toContain('"name":"list_clients"')
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const discover = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } })
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }
    const now = await post(emulator, discover, headers)
    expect(await now.json()).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } })
    expect(now.headers.get('x-ls-trace-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('every tool says what it is: title, description, annotations, both schemas; all of them in under 6,000 tokens', async () => {
    const { tools } = await (await mcpClient(await runningEmulator())).listTools()
    for (const { title, description, annotations, inputSchema, outputSchema } of tools) {
      expect([title, description]).toEqual([expect.any(String), expect.any(String)])
      expect(annotations).toMatchObject({ destructiveHint: false, readOnlyHint: expect.any(Boolean) })
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: 'object' })
    }
    const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)
    expect(changing).toEqual(['connect_bank', 'refresh_connection', 'pair_desktop_app'])
    expect(JSON.stringify(tools).length / 4).toBeLessThan(6000)
  })

  test.each([
    ['a body that is no JSON', '{"jsonrpc', 400, -32_700],
    ['an unknown method', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'banks/rob' }), 200, -32_601],
    [
      'an unknown tool',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'rob' } }),
      200,
      -32_602,
    ],
  ])('%s is an error of the protocol', async (_what, body, status, code) => {
    const answer = await post(await runningEmulator(), body)
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(`"code":${code}`)])
  })

  test('an argument of 10 MB is refused with 413, before it is read', async () => {
    const emulator = await runningEmulator()
    const big = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_institutions', arguments: { name: 'x'.repeat(10 * 1024 * 1024) } },
    })
    const answer = await post(emulator, big)
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      { error: { code: 'payload_too_large' } },
    ])
    const chunked = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024).fill(32))
      },
    })
    const { status } = await fetch(connectorOf(emulator), {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.sandbox.api_key}`, 'content-type': 'application/json' },
      body: chunked,
      duplex: 'half',
    } as RequestInit)
    expect(status).toBe(413)
    expect((await post(emulator, listTools)).status).toBe(200)
  })
})

describe('who may call', () => {
  test('a key is needed, of this environment; a refusal leads to the metadata of the resource', async () => {
    const emulator = await runningEmulator()
    const { origin, href } = connectorOf(emulator)
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    const missing = await fetch(href, { method: 'POST', body: listTools })
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}"`,
    ])
    expect(await missing.json()).toMatchObject({ error: { code: 'unknown_api_key' } })
    for (const key of ['sk_test_unknown', emulator.live.api_key]) {
      const wrong = await post(emulator, listTools, { authorization: `Bearer ${key}` })
      expect(wrong.status).toBe(401)
      expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
    expect(await (await fetch(metadata)).json()).toEqual({
      resource: href,
      resource_name: 'Bank data (sandbox)',
      bearer_methods_supported: ['header'],
      scopes_supported: scopes,
    })
  })

  test('the live base has one of its own, with its own data', async () => {
    const emulator = await runningEmulator()
    await emulator.post('/clients', { name: 'Sandbox only' })
    const live = await mcpClient(emulator, { base: 'live' })
    expect(live.getServerVersion()).toMatchObject({ title: 'Bank data (live)' })
    const { content } = await callTool(live, 'list_clients')
    expect(JSON.stringify(content)).not.toContain('Sandbox only')
  })

  test('only names of loopback are answered as Host, and only its pages as Origin: anything else is 403', async () => {
    const emulator = await runningEmulator()
    const headers = {
      authorization: `Bearer ${emulator.sandbox.api_key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const { port } = connectorOf(emulator)
    for (const host of ['bank.example', `bank.example:${port}`, '127.0.0.1.bank.example']) {
      expect(await statusFor(emulator, { ...headers, host })).toBe(403)
    }
    for (const origin of [
      'http://bank.example',
      'null',
      'http://localhost.bank.example',
      'http://127.0.0.1@bank.example',
    ]) {
      expect(await statusFor(emulator, { ...headers, origin })).toBe(403)
    }
    for (const origin of ['http://localhost:6274', `http://127.0.0.1:${port}`]) {
      expect(await statusFor(emulator, { ...headers, origin, host: `localhost:${port}` })).toBe(200)
    }
  })

  test('a tool whose scope the key lacks is not listed, and answers insufficient_scope', async () => {
    const emulator = await runningEmulator()
    const without = scopes.filter((scope) => scope !== 'read:transactions')
    const { secret } = await emulator.post('/api-keys', { scopes: without })
    const client = await mcpClient(emulator, { key: secret })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(everyTool.filter((name) => name !== 'list_transactions'))
    const input = { client_id: 'cli_demo', account_id: 'acc_FDE_12301' }
    const { error } = await callTool(client, 'list_transactions', input)
    expect(error).toMatchObject({ code: 'insufficient_scope', trace_id: expect.any(String) })
    const reading = scopes.filter((scope) => scope.startsWith('read:'))
    const reader = await mcpClient(emulator, {
      key: (await emulator.post('/api-keys', { scopes: reading })).secret,
    })
    for (const [name, arguments_] of [
      ['connect_bank', { client_id: 'cli_demo' }],
      ['refresh_connection', { connection_id: 'con_FDE_123' }],
      ['pair_desktop_app', { connection_id: 'con_FDE_123', pairing_code: '123456' }],
    ] as const) {
      const { error: refusal } = await callTool(reader, name, arguments_)
      expect([name, refusal?.code]).toEqual([name, 'insufficient_scope'])
    }
    const { secret: key } = await emulator.post('/api-keys', { scopes: ['read:clients'] })
    const narrow = await (await mcpClient(emulator, { key })).listTools()
    expect(narrow.tools.map(({ name }) => name)).toEqual(['list_clients', 'get_operation'])
  })

  test("another customer's ids read as not found with every tool", async () => {
    const emulator = await runningEmulator()
    const client = await mcpClient(emulator)
    const [account] = (
      await emulator.get('/accounts?client_id=cli_other', { key: emulator.otherCustomer.sandbox.api_key })
    ).data
    const theirs = { client_id: 'cli_other', account_id: account.id }
    const calls: [string, Record<string, unknown>][] = [
      ['list_connections', { client_id: 'cli_other' }],
      ['connect_bank', { client_id: 'cli_other' }],
      ['connect_bank', { client_id: 'cli_other', institution_id: 'ins_b_ok' }],
      ['refresh_connection', { connection_id: account.connection_id }],
      ['list_accounts', { client_id: 'cli_other' }],
      ['list_transactions', theirs],
      ['list_transactions', { ...theirs, client_id: 'cli_demo' }],
      ['list_statements', theirs],
      ['pair_desktop_app', { connection_id: account.connection_id, pairing_code: '123456' }],
    ]
    for (const [name, input] of calls) {
      const { error } = await callTool(client, name, input)
      expect([name, error?.code]).toEqual([name, 'not_found'])
    }
  })
})
