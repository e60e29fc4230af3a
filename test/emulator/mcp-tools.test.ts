/** The tools of the connector: the rules of the API hold for them, they connect banks, and end with their caller. */
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callTool, connectorOf, mcpClient, revisions } from '../support/connector-client.ts'
import { runningEmulator } from '../support/running-emulator.ts'
import { until } from '../support/until.ts'

describe('the rules of the API hold', () => {
  test('arguments are checked, and a problem says which', async () => {
    const client = await mcpClient(await runningEmulator())
    const { error } = await callTool(client, 'list_transactions', {
      client_id: 'demo',
      account_id: 'acc_FDE_12301',
      since: 1,
    })
    expect(error).toMatchObject({ code: 'validation_failed', type: 'invalid_request_error' })
    expect(error.errors.map(({ param }: { param: string }) => param)).toEqual(['client_id', 'since'])
  })

  test('whatever the arguments of a tool are, they lead to a result or to an error of the API', async () => {
    const client = await mcpClient(await runningEmulator())
    const { tools } = await client.listTools()
    const names = [...new Set(tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})))]
    const ids = [
      'cli_demo',
      'con_FDE_123',
      'acc_FDE_12301',
      'con_A',
      '../clients',
      'cli_%2e',
      "cli_'OR'1",
      '\ud800',
    ]
    const value = fc.oneof(
      fc.constantFrom(...ids),
      fc.string({ maxLength: 400 }),
      fc.jsonValue({ maxDepth: 3 }),
    )
    const input = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 4 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tools), input, async ({ name }, given) => {
        const { error } = await callTool(client, name, given)
        expect(error?.code).not.toBe('internal_error')
      }),
      { numRuns: 300 },
    )
  })

  test('the rate limit counts the requests that tools make', async () => {
    const emulator = await runningEmulator({ rateLimit: 2 })
    const client = await mcpClient(emulator)
    await callTool(client, 'list_clients')
    await callTool(client, 'list_clients')
    const { error } = await callTool(client, 'list_clients')
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', retry_after: 30 })
    const pairing = { connection_id: 'con_FDE_123', pairing_code: '123456' }
    expect((await callTool(client, 'pair_desktop_app', pairing)).error.code).toBe('rate_limit_exceeded')
    await emulator.advance(30_000)
    expect((await callTool(client, 'list_clients')).content.has_more).toBe(false)
  })

  test('a wait for an operation that meets the rate limit ends with the status that was read', async () => {
    const emulator = await runningEmulator({ rateLimit: 2 })
    const client = await mcpClient(emulator)
    const { content } = await callTool(client, 'refresh_connection', { connection_id: 'con_FDE_123' })
    const input = { operation_id: content.operation_id, wait_seconds: 30 }
    expect((await callTool(client, 'get_operation', input)).content).toMatchObject({ status: 'queued' })
    expect((await callTool(client, 'get_operation', input)).error.code).toBe('rate_limit_exceeded')
  })

  test('the daily refresh budget is the one of the API', async () => {
    const emulator = await runningEmulator({ refreshBudget: 2 })
    const client = await mcpClient(emulator)
    await emulator.refreshed('con_FDE_123')
    const input = { connection_id: 'con_FDE_123' }
    const { content } = await callTool(client, 'refresh_connection', input)
    expect((await callTool(client, 'get_operation', content)).error.code).toBe('validation_failed')
    await emulator.advance(2000)
    const { operation_id } = content
    expect((await callTool(client, 'get_operation', { operation_id })).content).toMatchObject({
      status: 'succeeded',
    })
    expect((await callTool(client, 'refresh_connection', input)).error.code).toBe('rate_limit_exceeded')
  })

  test('faults meet the requests of tools, and those of the connector', async () => {
    const emulator = await runningEmulator()
    const client = await mcpClient(emulator)
    const accounts = () => callTool(client, 'list_accounts', { client_id: 'cli_demo' })
    emulator.faults.add({ pattern: 'GET /accounts', status: 503, retry_after: 7, times: 1 })
    expect((await accounts()).error).toMatchObject({ code: 'internal_error', retry_after: 7 })
    for (const fault of [{ drop: true }, { truncate: true }]) {
      emulator.faults.add({ pattern: 'GET /accounts', ...fault, times: 1 })
      expect((await accounts()).error).toMatchObject({
        code: 'internal_error',
        message: expect.stringContaining('did not answer'),
      })
    }
    emulator.faults.add({ pattern: 'POST /mcp', delay_ms: 300, times: 1 })
    const asked = performance.now()
    expect((await accounts()).error).toBeUndefined()
    expect(performance.now() - asked).toBeGreaterThan(295)
    emulator.faults.add({ pattern: 'POST /mcp', status: 503, times: 1 })
    await expect(accounts()).rejects.toThrow('The service failed to answer')
    expect((await accounts()).error).toBeUndefined()
  })

  test('of an answer that is a stream of events a fault sends half', async () => {
    const emulator = await runningEmulator()
    const ask = () =>
      fetch(connectorOf(emulator), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${emulator.sandbox.api_key}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_clients"}}',
      })
    const whole = await ask()
    expect(whole.headers.get('content-type')).toBe('text/event-stream')
    const { length } = await whole.text()
    emulator.faults.add({ pattern: 'POST /mcp', truncate: true, times: 1 })
    const { body } = await ask()
    let received = ''
    const read = async () => {
      for await (const part of body ?? []) received += Buffer.from(part).toString()
    }
    await expect(read()).rejects.toThrow('terminated')
    expect(received).toContain('cli_demo')
    expect(received.length).toBeLessThan(length)
    expect((await ask()).status).toBe(200)
  })

  test('a page is 25 rows with a cursor, which belongs to its query', async () => {
    const client = await mcpClient(await runningEmulator())
    const input = { client_id: 'cli_demo', account_id: 'acc_FDE_12301' }
    const first = (await callTool(client, 'list_transactions', input)).content
    expect([first.data.length, first.has_more]).toEqual([25, true])
    const second = (await callTool(client, 'list_transactions', { ...input, cursor: first.next_cursor }))
      .content
    expect(second.data[0].id).not.toBe(first.data[0].id)
    const other = { ...input, account_id: 'acc_FDE_12302', cursor: first.next_cursor }
    expect((await callTool(client, 'list_transactions', other)).error.code).toBe('invalid_request')
  })

  test('the log of requests has the call and what it asked the API for, without the token of a link', async () => {
    const emulator = await runningEmulator()
    const client = await mcpClient(emulator)
    const { content } = await callTool(client, 'connect_bank', { client_id: 'cli_demo' })
    const token = new URL(content.url).searchParams.get('token') ?? ''
    const kept = await until(() => {
      const { data } = emulator.requests({ limit: 100, failed: false, bodies: true })
      return data.at(-1)?.path === '/mcp' ? data : undefined
    }, 'the call in the log')
    expect(
      kept?.map(({ method, path, status, complete }) => ({ method, path, status, complete })).slice(-2),
    ).toEqual([
      { method: 'POST', path: '/v3/clients/cli_demo/connect-session', status: 201, complete: true },
      { method: 'POST', path: '/mcp', status: 200, complete: true },
    ])
    expect(token).toMatch(/^cs_/)
    expect(JSON.stringify(kept)).not.toContain(token)
  })
})

describe('connecting a bank', () => {
  const connect = (client: Awaited<ReturnType<typeof mcpClient>>, more: Record<string, unknown> = {}) =>
    callTool(client, 'connect_bank', { client_id: 'cli_demo', ...more })

  test('gives the page on which the Client chooses a bank; the same idempotency_key gives the same page', async () => {
    const emulator = await runningEmulator()
    const client = await mcpClient(emulator)
    const once = await connect(client, { idempotency_key: 'k1' })
    expect((await fetch(once.content.url)).status).toBe(200)
    expect((await connect(client, { idempotency_key: 'k1' })).content).toEqual(once.content)
    expect((await connect(client)).content.url).not.toBe(once.content.url)
  })

  test('gives the widget of a bank that is named, and tells of its progress', async () => {
    const emulator = await runningEmulator({ realTime: true })
    for (const revision of revisions) {
      const client = await mcpClient(emulator, { revision })
      const progress: string[] = []
      const { structuredContent } = await client.callTool(
        { name: 'connect_bank', arguments: { client_id: 'cli_demo', institution_id: 'ins_b_ok' } },
        { onprogress: ({ message }) => progress.push(message ?? '') },
      )
      const { url, operation_id } = structuredContent as { url: string; operation_id: string }
      expect((await fetch(url)).status).toBe(200)
      expect(progress[0]).toBe('connection.initiate is queued')
      expect((await callTool(client, 'get_operation', { operation_id })).content).toMatchObject({
        status: 'succeeded',
        url,
      })
    }
  })

  test('answers firm_under_review while the live application is undecided', async () => {
    const emulator = await runningEmulator()
    const client = await mcpClient(emulator)
    const body = JSON.stringify({ idp_user_id: 'usr_1' })
    const signature = createHmac('sha256', emulator.sandbox.portal_secret).update(body).digest('hex')
    const apply = (path: string) =>
      emulator.call('POST', path, {
        key: null,
        body,
        headers: { 'content-type': 'application/json', 'x-portal-bootstrap-signature': signature },
      })
    const decide = (decision: 'NEEDS_INFO' | 'APPROVED' | 'DENIED') =>
      emulator.trigger({ type: 'portal.reviewed', user: 'usr_1', application: 'LIVE', decision })
    await apply('/portal/access-request')
    expect((await connect(client)).error).toBeUndefined()
    await apply('/portal/live-request')
    expect((await connect(client)).error).toMatchObject({ code: 'firm_under_review', type: 'access_error' })
    decide('NEEDS_INFO')
    expect((await connect(client, { institution_id: 'ins_b_ok' })).error.code).toBe('firm_under_review')
    decide('APPROVED')
    expect((await connect(client)).error).toBeUndefined()
    const live = await mcpClient(emulator, { base: 'live' })
    expect((await callTool(live, 'list_clients')).error).toBeUndefined()
  })
})

describe('what a client does not wait for', () => {
  test.each(revisions)(
    'a client of %s that disconnects in the middle of a call ends it',
    async (revision) => {
      const emulator = await runningEmulator()
      const client = await mcpClient(emulator, { revision })
      emulator.faults.add({ pattern: 'GET /accounts', delay_ms: 60_000, times: 1 })
      const calling = callTool(client, 'list_accounts', { client_id: 'cli_demo' })
      await until(() => emulator.faults.list().length === 0, 'the call waiting for the API')
      await Promise.all([expect(calling).rejects.toThrow(), client.close()])
      const endOf = (wanted: string) =>
        until(
          () =>
            emulator
              .requests({ limit: 100, failed: true, bodies: false })
              .data.find(({ method, path }) => `${method} ${path}`.startsWith(wanted)),
          `the end of ${wanted} in the log`,
        )
      expect(await endOf('POST /mcp')).toMatchObject({ complete: false })
      // The request that the tool made ends with it, long before the API would have answered.
      expect(await endOf('GET /v3/accounts')).toMatchObject({ status: null, complete: false })
    },
  )
})
