/** Runs the bridge in the test's process, between two streams and a service that the test scripts. */
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { type ConnectorOptions, startBridge as start } from '../../src/mcp/connector/start.ts'
import { until } from '../support/until.ts'

export const key = 'sk_test_do_not_print_me'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
type Json = any

export interface TestBridge {
  /** Writes a message, or a line as it is, to stdin. */
  send(message: object | string): void
  /** The first message on stdout that the test accepts. */
  message(accept: (message: Json) => boolean, what?: string): Promise<Json>
  /** The response to a request. */
  response(id: number | string | null): Promise<Json>
  /** Sends a request and returns its response. */
  ask(id: number | string, method: string, params?: object): Promise<Json>
  /** Lines of stdout so far. */
  readonly lines: string[]
  /** Sentences for stderr, and lines of the debug log. */
  readonly sentences: string[]
  readonly log: string[]
  /** Waits between two attempts, in ms. They take no time. */
  readonly slept: number[]
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly ended: Promise<void>
  /** What SIGTERM does. */
  stop(): void
}

export function startBridge(url: string, more: Partial<ConnectorOptions> = {}): TestBridge {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const lines: string[] = []
  const sentences: string[] = []
  const log: string[] = []
  const slept: number[] = []
  const controller = new AbortController()
  let rest = ''
  if (more.stdout === undefined) {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    })
  }
  const ended = start({
    url,
    apiKey: key,
    userAgent: 'bankapi/test',
    env: {},
    clock: {
      now: Date.now,
      elapsed: () => performance.now(),
      async sleep(ms, signal) {
        slept.push(ms)
        // Lets the test go on: a loop without a wait would starve it.
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
      },
    },
    random: { fraction: () => 1 },
    stdin,
    stdout,
    signal: controller.signal,
    onEvent: (sentence) => sentences.push(sentence),
    log: (line) => log.push(line),
    ...more,
  })
  onTestFinished(async () => {
    controller.abort()
    await ended.catch(() => {})
  })
  const messages = () => lines.map((line) => JSON.parse(line) as Json)
  const message: TestBridge['message'] = (accept, what = 'such a message') =>
    until(() => messages().find(accept), `${what} on stdout: ${lines.join('\n')} ${sentences.join('\n')}`)
  const send = (sent: object | string) => {
    stdin.write(`${typeof sent === 'string' ? sent : JSON.stringify({ jsonrpc: '2.0', ...sent })}\n`)
  }
  const response = (id: number | string | null) =>
    message((one) => one.id === id && one.method === undefined, `a response to ${id}`)
  return {
    send,
    message,
    response,
    ask(id, method, params) {
      send({ id, method, ...(params === undefined ? {} : { params }) })
      return response(id)
    },
    lines,
    sentences,
    log,
    slept,
    stdin,
    stdout,
    ended,
    stop: () => controller.abort(),
  }
}

/** The parameters that every request of revision 2026-07-28 has. */
export const modern = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}
