/** What the bridge passes on, in both eras of the protocol. */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type Heard, serve } from '../api/servers.ts'
import { until } from '../support/until.ts'
import { key, modern, startBridge } from './bridge.ts'

type Message = { id?: number; method?: string; params?: Record<string, unknown> }

function said(request: Heard): Message {
  return request.body.length === 0 ? {} : JSON.parse(request.body.toString())
}

function reply(response: ServerResponse, id: unknown, result: object, headers = {}): void {
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

/** Begins a stream with these events and leaves it open. */
function stream(response: ServerResponse, ...events: string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.write(events.map((event) => `${event}\n\n`).join(''))
}

const data = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}`

describe('since 2026-07-28', () => {
  test('a request is posted as it came, with the key and the headers of the era', async () => {
    const service = await serve((request, response) => reply(response, said(request).id, { tools: [] }))
    const { send, response } = startBridge(`${service.baseUrl.slice(0, -3)}/mcp`)
    const line = `{ "jsonrpc":"2.0","params":${JSON.stringify(modern)}, "method":"tools/list","id":1,"big":12345678901234567890 }`
    send(line)
    expect(await response(1)).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [] } })
    expect(service.heard).toHaveLength(1)
    const [{ method, url, headers, body }] = service.heard as [Heard]
    expect(`${method} ${url}`).toBe('POST /mcp')
    expect(body.toString()).toBe(line)
    expect(headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'mcp-method': 'tools/list',
      'mcp-protocol-version': '2026-07-28',
      'user-agent': 'bankapi/test',
    })
    expect(headers['mcp-session-id']).toBeUndefined()
  })

  test('messages of a stream come before the response, each on one line, as the service wrote them', async () => {
    const service = await serve((_, response) => {
      const progress = 'data: {"jsonrpc":"2.0",\ndata: "method":"notifications/progress","params":{"n":1.0}}'
      stream(response, progress, data({ id: 1, result: {} }))
    })
    const { ask, lines } = startBridge(service.baseUrl)
    await ask(1, 'tools/call', { ...modern, name: 'refresh' })
    expect(lines).toEqual([
      '{"jsonrpc":"2.0", "method":"notifications/progress","params":{"n":1.0}}',
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ])
  })

  test('what a terminal could act on is escaped, and reads the same', async () => {
    const service = await serve((_, response) =>
      stream(response, data({ id: 1, result: { name: 'a\u009b\u202eb' } })),
    )
    const { ask, lines } = startBridge(service.baseUrl)
    expect(await ask(1, 'tools/list', modern)).toMatchObject({ result: { name: 'a\u009b\u202eb' } })
    expect(lines[0]).toMatch(/^[\x20-\x7e]+$/)
  })

  test('arguments are repeated in headers as the list of tools says', async () => {
    const tool = {
      name: 'find',
      inputSchema: { properties: { client: { type: 'string', 'x-mcp-header': 'Client' } } },
    }
    const service = await serve((request, response) => reply(response, said(request).id, { tools: [tool] }))
    const { ask } = startBridge(service.baseUrl)
    await ask(1, 'tools/list', modern)
    await ask(2, 'tools/call', { ...modern, name: 'find', arguments: { client: 'cli_1' } })
    expect(service.heard[1]?.headers).toMatchObject({ 'mcp-name': 'find', 'mcp-param-client': 'cli_1' })
  })

  test('a cancelled request ends its connection, and nothing is posted', async () => {
    let closed = false
    const service = await serve((_, response) => {
      stream(response, data({ method: 'notifications/progress', params: {} }))
      response.on('close', () => {
        closed = true
      })
    })
    const { send, message, lines } = startBridge(service.baseUrl)
    send({ id: 'a', method: 'tools/call', params: { ...modern, name: 'refresh' } })
    await message(({ method }) => method === 'notifications/progress')
    send({ method: 'notifications/cancelled', params: { requestId: 'a' } })
    await until(() => closed, 'the connection ended')
    expect(service.heard).toHaveLength(1)
    expect(lines).toHaveLength(1)
  })

  test('a subscription whose stream breaks is begun again, until it is cancelled', async () => {
    const service = await serve((_, response, number) => {
      stream(response, data({ method: 'notifications/subscriptions/acknowledged', params: { number } }))
      if (number < 7) response.end()
    })
    const { send, message, lines, slept, sentences } = startBridge(service.baseUrl)
    send({ id: 'listen:1', method: 'subscriptions/listen', params: modern })
    await message(({ params }) => params?.number === 7)
    expect(service.heard).toHaveLength(7)
    expect(slept).toHaveLength(6)
    expect(lines).toHaveLength(7)
    expect(sentences).toEqual([])
  })

  test('an error that comes with an HTTP status is the response', async () => {
    const service = await serve((request, response) => {
      response.writeHead(said(request).id === 1 ? 404 : 400, { 'Content-Type': 'application/json' })
      const id = said(request).id === 1 ? 1 : null
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }))
    })
    const { ask } = startBridge(service.baseUrl)
    for (const id of [1, 2]) {
      expect(await ask(id, 'tools/fly', modern)).toEqual({
        jsonrpc: '2.0',
        id,
        error: { code: -32601, message: 'no such method' },
      })
    }
  })
})

describe('before 2026-07-28', () => {
  /** Accepts the handshake in a session; `answer` gets what follows. */
  const sessions = (
    answer: (request: Heard, response: ServerResponse) => unknown,
    known = new Set(['s-1']),
  ) =>
    serve((request, response) => {
      const { method, id } = said(request)
      const session = String(request.headers['mcp-session-id'])
      if (method === 'initialize') {
        const [current] = known
        return reply(response, id, { protocolVersion: '2025-11-25' }, { 'Mcp-Session-Id': current })
      }
      if (!known.has(session)) return response.writeHead(404).end()
      if (method === 'notifications/initialized') return response.writeHead(202).end()
      return answer(request, response)
    })
  const handshake = async ({ ask, send }: ReturnType<typeof startBridge>) => {
    await ask(0, 'initialize', { protocolVersion: '2025-11-25' })
    send({ method: 'notifications/initialized' })
  }
  const shown = ({ method, headers, body }: Heard) =>
    [method, body.length > 0 ? JSON.parse(body.toString()).method : '', headers['mcp-session-id'] ?? '']
      .join(' ')
      .replaceAll('  ', ' ')
      .trim()

  test('the session and the revision of the handshake go with every later message, and the session is ended', async () => {
    const service = await sessions((request, response) => {
      if (request.method !== 'POST') return response.writeHead(405).end()
      return reply(response, said(request).id, {})
    })
    const running = startBridge(service.baseUrl)
    await handshake(running)
    await running.ask(1, 'tools/list')
    await until(() => service.heard.some(({ method }) => method === 'GET'), 'the stream was asked for')
    running.stdin.end()
    await running.ended
    expect(service.heard.map(shown).sort()).toEqual([
      'DELETE s-1',
      'GET s-1',
      'POST initialize',
      'POST notifications/initialized s-1',
      'POST tools/list s-1',
    ])
    for (const { headers } of service.heard.slice(1))
      expect(headers['mcp-protocol-version']).toBe('2025-11-25')
    for (const { headers } of service.heard) expect(headers['mcp-method']).toBeUndefined()
    expect(running.sentences).toEqual([])
  })

  test('a request waits until the service knows that the client is ready', async () => {
    let early: boolean | undefined
    const service = await serve((request, response) => {
      const { method, id } = said(request)
      if (request.method !== 'POST') return response.writeHead(405).end()
      if (id !== undefined) return reply(response, id, { protocolVersion: '2025-11-25' })
      if (method === 'notifications/initialized')
        early = running.log.some((line) => line.includes('tools/list'))
      return response.writeHead(202).end()
    })
    const running = startBridge(service.baseUrl)
    await running.ask(0, 'initialize', { protocolVersion: '2025-11-25' })
    const both = [{ method: 'notifications/initialized' }, { id: 1, method: 'tools/list' }]
    running.send(both.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n'))
    await running.response(1)
    expect(early).toBe(false)
  })

  test('requests of the service arrive, and the answers to them are posted', async () => {
    const answers: unknown[] = []
    const service = await sessions((request, response) => {
      if (request.method === 'GET') return stream(response, data({ id: 9, method: 'ping' }))
      answers.push(said(request))
      return response.writeHead(202).end()
    })
    const running = startBridge(service.baseUrl)
    await handshake(running)
    await running.message(({ method }) => method === 'ping')
    running.send({ id: 9, result: {} })
    await until(() => answers.length === 1, 'the answer was posted')
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 9, result: {} }])
  })

  test('the stream of the service is resumed after its last event, as soon as the service says', async () => {
    let streams = 0
    const service = await sessions((_, response) => {
      streams++
      stream(
        response,
        `id: event-${streams}\nretry: 1234\n${data({ method: 'notifications/message', params: { streams } })}`,
      )
      if (streams < 3) response.end()
    })
    const running = startBridge(service.baseUrl)
    await handshake(running)
    await running.message(({ params }) => params?.streams === 3)
    const resumed = service.heard
      .filter(({ method }) => method === 'GET')
      .map(({ headers }) => headers['last-event-id'])
    expect(resumed).toEqual([undefined, 'event-1', 'event-2'])
    expect(running.slept).toEqual([1234, 1234])
  })

  test('the answer to a call that breaks is resumed after its last event, and the call is not repeated', async () => {
    const service = await sessions((request, response) => {
      const resumed = request.headers['last-event-id']
      if (request.method === 'POST') {
        stream(response, `id: e-1\n${data({ method: 'notifications/progress', params: {} })}`)
        return response.end()
      }
      if (resumed === undefined) return response.writeHead(405).end()
      return stream(response, data({ id: 1, result: { resumed } }))
    })
    const running = startBridge(service.baseUrl)
    await handshake(running)
    expect(await running.ask(1, 'tools/call', { name: 'refresh' })).toMatchObject({
      result: { resumed: 'e-1' },
    })
    expect(service.heard.filter((request) => said(request).method === 'tools/call')).toHaveLength(1)
  })

  test('a cancellation is posted, and ends the request', async () => {
    let closed = false
    const service = await sessions((request, response) => {
      if (said(request).method === 'tools/list') return reply(response, 2, {})
      if (said(request).method !== 'tools/call') return response.writeHead(202).end()
      response.on('close', () => {
        closed = true
      })
      return stream(response, data({ method: 'notifications/progress', params: {} }))
    })
    const running = startBridge(service.baseUrl)
    await handshake(running)
    running.send({ id: 1, method: 'tools/call', params: { name: 'refresh' } })
    await running.message(({ method }) => method === 'notifications/progress')
    running.send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'late' } })
    await until(() => closed, 'the connection ended')
    running.send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'too late' } })
    await running.ask(2, 'tools/list')
    expect(service.heard.map(shown).filter((request) => request.includes('cancelled'))).toEqual([
      'POST notifications/cancelled s-1',
    ])
  })

  test('a session that the service has forgotten is begun anew, once, and the requests are sent in the new one', async () => {
    const known = new Set(['s-1'])
    const service = await sessions((request, response) => {
      if (request.method === 'GET') return response.writeHead(405).end()
      return reply(response, said(request).id, { session: request.headers['mcp-session-id'] })
    }, known)
    const running = startBridge(service.baseUrl)
    await handshake(running)
    expect(await running.ask(1, 'tools/call', { name: 'a' })).toMatchObject({ result: { session: 's-1' } })
    known.clear()
    known.add('s-2')
    const both = await Promise.all([2, 3].map((id) => running.ask(id, 'tools/call', { name: 'a' })))
    expect(both.map(({ result }) => result.session)).toEqual(['s-2', 's-2'])
    expect(service.heard.filter((request) => said(request).method === 'initialize')).toHaveLength(2)
    expect(running.lines.filter((line) => JSON.parse(line).id === 0)).toHaveLength(1)
    expect(running.sentences).toEqual(['The service has forgotten the session: a new one is begun'])
  })
})
