/** What the bridge says when a message cannot be passed on. Each answer that it cannot give is an error in a sentence. */
import { execFileSync } from 'node:child_process'
import { createServer as createTlsServer } from 'node:https'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { hidden } from '../../src/secrets/redaction.ts'
import { deadPort, envelope, type Heard, json, listen, serve, serveBytes } from '../api/servers.ts'
import { until } from '../support/until.ts'
import { key, modern, startBridge } from './bridge.ts'

hidden(key)

const call = { ...modern, name: 'refresh' }

function said(request: Heard): { id: number; method: string } {
  return JSON.parse(request.body.toString())
}

describe('answers', () => {
  test.each<[string, number, Record<string, string>, string, string]>([
    [
      'a key that is refused',
      401,
      { 'Content-Type': 'application/json' },
      JSON.stringify(envelope('unknown_api_key', 'No such key')),
      'The service refused the API key (unknown_api_key: No such key). Trace id: trace-in-body. Store another one: bankapi login',
    ],
    [
      'a key that is refused in JSON-RPC',
      401,
      { 'Content-Type': 'application/json' },
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"who?"}}',
      'The service refused the API key (HTTP status 401: who?). Store another one: bankapi login',
    ],
    [
      'no connector',
      404,
      { 'Content-Type': 'text/html' },
      '<h1>Not found</h1>',
      'The service has no connector at <url> (HTTP status 404). Check the base URL: bankapi doctor',
    ],
    [
      'a message that is too large for the service',
      413,
      {},
      '',
      'The message is larger than the service takes (HTTP status 413)',
    ],
    [
      'an error with control characters in it',
      403,
      { 'Content-Type': 'application/json' },
      JSON.stringify(envelope('insufficient_scope', 'no\u001b[2J\nscope')),
      'The service answered insufficient_scope: no\\x1b[2J⏎scope. Trace id: trace-in-body',
    ],
    [
      'a redirect to another origin',
      307,
      { Location: 'https://elsewhere.test/mcp' },
      '',
      'The service answered 307, a redirect to another address (https://elsewhere.test); it was not followed. Check the base URL: bankapi doctor',
    ],
    [
      'HTML',
      200,
      { 'Content-Type': 'text/html' },
      '<h1>Welcome</h1>',
      'The service answered 200 with text/html, which no connector does. Is a connector at <url>? bankapi doctor',
    ],
    [
      'JSON that is no JSON-RPC',
      200,
      { 'Content-Type': 'application/json' },
      '{"ok":true}',
      'The service answered with something that is no response in JSON-RPC. Is a connector at <url>? bankapi doctor',
    ],
    [
      'the response to another request',
      200,
      { 'Content-Type': 'application/json' },
      '{"jsonrpc":"2.0","id":"other","result":{}}',
      'The service answered with something that is no response in JSON-RPC. Is a connector at <url>? bankapi doctor',
    ],
    [
      'a stream of something else',
      200,
      { 'Content-Type': 'text/event-stream' },
      'data: hello\n\n',
      'The service answered with something that is no response in JSON-RPC. Is a connector at <url>? bankapi doctor',
    ],
    [
      'a stream without the response',
      200,
      { 'Content-Type': 'text/event-stream' },
      'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
      'The service ended its answer before the response. It may have been done all the same: look before you try again',
    ],
    [
      'more than 10 MB in one body',
      200,
      { 'Content-Type': 'application/json' },
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(10 * 2 ** 20) } }),
      'The answer is larger than 10 MB',
    ],
    [
      'more than 10 MB in one event',
      200,
      { 'Content-Type': 'text/event-stream' },
      `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(10 * 2 ** 20) } })}\n\n`,
      'The service sent a message of more than 10 MB',
    ],
    [
      'more than 10 MB once escaped',
      200,
      { 'Content-Type': 'application/json' },
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: '\u200b'.repeat(2 * 2 ** 20) } }),
      'The service sent a message of more than 10 MB',
    ],
  ])('%s', async (_, status, headers, body, sentence) => {
    const service = await serve((_request, response) => response.writeHead(status, headers).end(body))
    const { ask, sentences } = startBridge(service.baseUrl)
    const expected = sentence.replace('<url>', service.baseUrl)
    expect(await ask(1, 'tools/call', call)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: expected },
    })
    expect(sentences).toEqual([expected])
    expect(service.heard).toHaveLength(1)
  })

  test('the key that a service repeats is shown neither in a sentence nor in a message', async () => {
    const service = await serve((request, response, number) => {
      if (number === 1)
        return json(response, 403, envelope('odd', `you sent ${request.headers.authorization}`))
      return json(response, 200, { jsonrpc: '2.0', id: 2, result: { echo: request.headers.authorization } })
    })
    const { ask, lines, sentences, log } = startBridge(service.baseUrl)
    await ask(1, 'tools/call', call)
    expect(await ask(2, 'tools/call', call)).toMatchObject({ result: { echo: 'Bearer …' } })
    expect([...lines, ...sentences, ...log].join('\n')).not.toContain(key)
    expect(log).toContainEqual(`--> POST ${service.baseUrl} tools/call`)
  })

  test.each([
    ['in a text', `{"jsonrpc":"2.0","id":1,"result":{"echo":"Bearer ESCAPED."}}`, { echo: 'Bearer ….' }],
    [
      'as a name, in depth',
      `{"jsonrpc":"2.0","id":1,"result":{"list":[{"ESCAPED":1,"__proto__":[]}]}}`,
      JSON.parse('{"list":[{"…":1,"__proto__":[]}]}'),
    ],
  ])('the key is masked %s however its letters are escaped', async (_, body, result) => {
    const everyLetter = [...key].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
    for (const escaped of [`\\u0073${key.slice(1)}`, everyLetter]) {
      const service = await serve((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(body.replace('ESCAPED', escaped))
      })
      const { ask, lines } = startBridge(service.baseUrl)
      expect((await ask(1, 'tools/call', call)).result).toEqual(result)
      expect(JSON.stringify(lines.map((line) => JSON.parse(line)))).not.toContain(key)
    }
  })

  test('an answer without the key arrives as it was written', async () => {
    const body = '{"jsonrpc":"2.0", "id":1,"result":{"n":12345678901234567890.10,"text":"\\u0041\\/"}}'
    const service = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
    })
    const { ask, lines } = startBridge(service.baseUrl)
    await ask(1, 'tools/call', call)
    expect(lines).toEqual([body])
  })

  test('an answer of nearly 10 MB arrives whole', async () => {
    const text = 'x'.repeat(10 * 2 ** 20 - 100)
    const service = await serve((_, response) =>
      json(response, 200, { jsonrpc: '2.0', id: 1, result: { text } }),
    )
    const { ask } = startBridge(service.baseUrl)
    expect(await ask(1, 'tools/call', call)).toMatchObject({ result: { text } })
  })
})

describe('connections', () => {
  test('a refused connection is tried again, also for a call, and then said', async () => {
    const port = await deadPort()
    const { ask, slept } = startBridge(`http://127.0.0.1:${port}/mcp`)
    const { error } = await ask(1, 'tools/call', call)
    expect(error.message).toBe(
      `Nothing answers at http://127.0.0.1:${port}: the connection was refused. Is the emulator running? bankapi emulator start`,
    )
    expect(slept).toEqual([250, 500, 1000])
  })

  test('a call that may have been executed is not repeated, and the error says so', async () => {
    const service = await serveBytes((socket) => socket.destroy())
    const { ask } = startBridge(service.baseUrl)
    const { error } = await ask(1, 'tools/call', call)
    expect(error.message).toContain('It may have been done all the same: look before you try again')
    expect(service.received).toHaveLength(1)
  })

  test.each(['502', '503'])('a call that is answered %s is not repeated', async (status) => {
    const service = await serve((_, response) => response.writeHead(Number(status)).end())
    const { ask } = startBridge(service.baseUrl)
    const { error } = await ask(1, 'tools/call', call)
    expect(error.message).toBe(`The service answered HTTP status ${status}`)
    expect(service.heard).toHaveLength(1)
  })

  test('a call that was refused for its rate is sent again when the service says', async () => {
    const service = await serve((_, response, number) => {
      if (number === 1) return response.writeHead(429, { 'Retry-After': '7' }).end()
      return json(response, 200, { jsonrpc: '2.0', id: 1, result: {} })
    })
    const { ask, slept, sentences } = startBridge(service.baseUrl)
    expect(await ask(1, 'tools/call', call)).toMatchObject({ result: {} })
    expect(slept).toEqual([7000])
    expect(sentences).toEqual(['The service: rate limited, trying again in 7 s'])
  })

  test('a list is asked for again after a broken connection, a broken stream and a 503', async () => {
    const service = await serve((_, response, number) => {
      if (number === 1) return response.destroy()
      if (number === 2) return response.writeHead(503).end()
      if (number === 3) return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(': \n\n')
      return json(response, 200, { jsonrpc: '2.0', id: 1, result: { number } })
    })
    const { ask } = startBridge(service.baseUrl)
    expect(await ask(1, 'tools/list', modern)).toMatchObject({ result: { number: 4 } })
  })

  test('a stream that always breaks is given up', async () => {
    const service = await serve((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(': \n\n'),
    )
    const { ask } = startBridge(service.baseUrl)
    const { error } = await ask(1, 'tools/list', modern)
    expect(error.message).toBe('The service ended its answer before the response. Try again later')
    expect(service.heard).toHaveLength(4)
  })

  test('a certificate that nobody vouches for is said, and nothing is sent', async () => {
    const pem = execFileSync(
      'openssl',
      'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout - -out -'.split(' '),
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const heard: unknown[] = []
    const server = createTlsServer({ key: pem, cert: pem }, (request) => heard.push(request))
    const { port } = await listen(server)
    const { ask } = startBridge(`https://127.0.0.1:${port}/mcp`)
    const { error } = await ask(1, 'tools/list', modern)
    expect(error.message).toContain(`No secure connection to https://127.0.0.1:${port}`)
    expect(heard).toEqual([])
  })

  test('a notification that is not taken is said, and nothing is answered', async () => {
    const service = await serve((_, response) => response.writeHead(500).end())
    const { send, sentences, lines } = startBridge(service.baseUrl)
    send({ method: 'notifications/roots/list_changed' })
    await until(() => sentences.length > 0, 'a sentence')
    expect(sentences).toEqual(['The service answered HTTP status 500'])
    expect(lines).toEqual([])
  })
})

describe('stdin', () => {
  test.each([
    ['not JSON', '{', -32700, 'A line on stdin is not JSON in UTF-8', null],
    ['no JSON-RPC', '{"id":3,"method":"ping"}', -32600, 'A line on stdin is no JSON-RPC message', 3],
    [
      'a batch',
      '[{"jsonrpc":"2.0","id":3,"method":"ping"}]',
      -32600,
      'A line on stdin is no JSON-RPC message',
      null,
    ],
    [
      'longer than 10 MB',
      `"${'x'.repeat(10 * 2 ** 20)}"`,
      -32600,
      'A line on stdin is longer than 10 MB',
      null,
    ],
  ])('a line that is %s is answered, and the next one passed on', async (_, line, code, message, id) => {
    const service = await serve((request, response) =>
      json(response, 200, { jsonrpc: '2.0', id: said(request).id, result: {} }),
    )
    const { send, ask, response } = startBridge(service.baseUrl)
    send(line)
    expect(await response(id)).toEqual({ jsonrpc: '2.0', id, error: { code, message } })
    expect(await ask(4, 'ping', modern)).toMatchObject({ result: {} })
    expect(service.heard).toHaveLength(1)
  })

  test('a line that is not UTF-8 is not passed on changed', async () => {
    const service = await serve((_, response) => response.end())
    const { stdin, response } = startBridge(service.baseUrl)
    stdin.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
        Buffer.from([0xff]),
        Buffer.from('"}\n'),
      ]),
    )
    expect(await response(null)).toMatchObject({ error: { code: -32700 } })
    expect(service.heard).toEqual([])
  })

  test('an id under way, and more than a hundred requests at once, are refused', async () => {
    const service = await serve(() => {})
    const { send, response } = startBridge(service.baseUrl)
    for (let id = 0; id < 100; id++) send({ id, method: 'tools/call', params: call })
    send({ id: 100, method: 'tools/call', params: call })
    expect(await response(100)).toMatchObject({
      error: { code: -32603, message: 'More than 100 requests at once are not passed on' },
    })
    send({ id: 7, method: 'tools/call', params: call })
    expect(await response(7)).toMatchObject({
      error: { code: -32600, message: 'The id 7 is that of a request under way' },
    })
  })
})

describe('the end', () => {
  /** Never answers, and counts the connections that are ended. */
  const silent = async () => {
    const ended: string[] = []
    const service = await serve((request, response) => {
      response.on('close', () => ended.push(said(request).method))
    })
    return { ...service, ended }
  }

  test.each([
    ['the end of stdin', (running: ReturnType<typeof startBridge>) => running.stdin.end()],
    ['a signal', (running: ReturnType<typeof startBridge>) => running.stop()],
    [
      'a reader of stdout that goes away',
      (running: ReturnType<typeof startBridge>) => running.stdout.destroy(),
    ],
  ])('%s ends all requests, at once and without an answer', async (_, end) => {
    const service = await silent()
    const running = startBridge(service.baseUrl)
    for (const id of [1, 2]) running.send({ id, method: 'tools/call', params: call })
    await until(() => service.heard.length === 2, 'both requests arrived')
    end(running)
    await running.ended
    await until(() => service.ended.length === 2, 'both connections ended')
    expect(running.lines).toEqual([])
    expect(running.sentences).toEqual([])
  })

  test('a slow reader of stdout is waited for: the answers of the service do not pile up here', async () => {
    const messages = 300
    const params = { text: 'x'.repeat(100_000) }
    const message = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`
    const service = await serve((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      for (let sent = 0; sent < messages; sent++) response.write(message)
    })
    const stdout = new PassThrough()
    const running = startBridge(service.baseUrl, { stdout })
    running.send({ id: 1, method: 'tools/call', params: call })
    let received = 0
    let most = 0
    for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
      received += (chunk as Buffer).length
      most = Math.max(most, stdout.writableLength + stdout.readableLength)
      if (received > messages * params.text.length) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(most).toBeLessThan(1_000_000)
  })

  test('a reader of stdout that reads nothing does not hold up the end', async () => {
    const service = await serve((_, response) => {
      const result = { text: 'x'.repeat(100_000) }
      json(response, 200, { jsonrpc: '2.0', id: 1, result })
    })
    const stdout = new PassThrough()
    const running = startBridge(service.baseUrl, { stdout })
    running.send({ id: 1, method: 'tools/call', params: call })
    await until(() => stdout.writableNeedDrain, 'stdout is full')
    running.stop()
    await running.ended
  })
})
