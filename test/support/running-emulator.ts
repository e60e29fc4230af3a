/** Runs an emulator in the test's process, in memory, on a clock that only the test moves. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Account } from '../../src/contract/accounts.ts'
import type { Connection } from '../../src/contract/connections.ts'
import type { EventEnvelope, EventType } from '../../src/contract/events.ts'
import { eventTypes } from '../../src/contract/events.ts'
import type { Operation } from '../../src/contract/operations.ts'
import type { SubscriptionWithSecret } from '../../src/contract/webhooks.ts'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import { type Emulator, startEmulator } from '../../src/emulator/start.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  readonly json: any
}

export interface CallOptions {
  readonly body?: unknown
  /** The key to use; null for none. Customer A's sandbox key by default. */
  readonly key?: string | null
  readonly headers?: Record<string, string>
  /** `live` calls the live base, with its key. */
  readonly base?: 'sandbox' | 'live'
}

export interface TestEmulator extends Emulator {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Like `call`; throws unless the answer is a 2xx, and returns its body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  get(path: string, options?: CallOptions): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  post(path: string, body?: unknown, options?: CallOptions): Promise<any>
  /** Starts linking a bank; returns ids and widget URL from the operation. */
  initiate(institution: string): Promise<{ operation: string; connection: string; widgetUrl: string }>
  /** Links a bank for cli_demo and returns the canonical id, before the institution shows any failure. */
  linked(institution: string): Promise<string>
  connection(id: string): Promise<Connection>
  accounts(connection?: string): Promise<Account[]>
  /** Refreshes, moves the clock by `ms` and returns the operation. */
  refreshed(connection: string, ms?: number): Promise<Operation>
  /** Subscribes a new receiver to these types; by default to all but webhook.test. */
  listen(types?: readonly EventType[]): Promise<Listener>
}

export interface Delivery {
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  readonly event: EventEnvelope & { readonly type: EventType }
}

export interface Listener {
  readonly url: string
  readonly subscription: SubscriptionWithSecret
  readonly deliveries: Delivery[]
  /** Types of the events received, in order. */
  types(): string[]
  /** Data of the events of a type, in order. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  data(type: EventType): any[]
  /** Sets the answer from now on. */
  answer(status: number | ((delivery: Delivery) => number)): void
  clear(): void
}

const noon = '2026-03-10T12:00:00.000Z'

export interface TestOptions extends EmulatorOptions {
  /** Lets the clock follow real time. */
  readonly realTime?: boolean
}

/** Starts an emulator that is stopped after the test and checks every success body against the contract. */
export async function runningEmulator({
  realTime = false,
  ...options
}: TestOptions = {}): Promise<TestEmulator> {
  const log: string[] = []
  const emulator = await startEmulator({
    port: 0,
    livePort: 0,
    memory: true,
    strict: true,
    ...(realTime ? {} : { frozenAt: noon }),
    onLog: (line) => log.push(line),
    ...options,
  })
  onTestFinished(async () => {
    await emulator.stop()
    if (log.length > 0) throw new Error(`the emulator failed:\n${log.join('\n')}`)
  })
  const call: TestEmulator['call'] = async (
    method,
    path,
    { body, key, headers = {}, base = 'sandbox' } = {},
  ) => {
    const { base_url, api_key } = emulator[base]
    const bearer = key === null ? {} : { authorization: `Bearer ${key ?? api_key}` }
    const raw = body instanceof FormData || typeof body === 'string' || body === undefined
    const response = await fetch(`${base_url}${path}`, {
      method,
      headers: { ...bearer, ...(raw ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    }
  }
  const succeed = async (method: string, path: string, options?: CallOptions) => {
    const answer = await call(method, path, options)
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  const get: TestEmulator['get'] = (path, options) => succeed('GET', path, options)
  const post: TestEmulator['post'] = (path, body, options) => succeed('POST', path, { ...options, body })

  async function initiate(institution: string) {
    const { operation_id } = await post('/clients/cli_demo/connections', { institution_id: institution })
    await emulator.advance(100)
    const { result } = await get(`/operations/${operation_id}`)
    const { id, action } = result.connection
    return {
      operation: operation_id as string,
      connection: id as string,
      widgetUrl: action.widget_url as string,
    }
  }

  return {
    ...emulator,
    call,
    get,
    post,
    initiate,
    async linked(institution) {
      const { connection } = await initiate(institution)
      const { connection_id } = emulator.link(connection)
      await emulator.advance(0)
      return connection_id
    },
    connection: (id) => get(`/connections/${id}`),
    async accounts(connection) {
      const filter = connection === undefined ? '' : `&connection_id=${connection}`
      return (await get(`/accounts?client_id=cli_demo${filter}`)).data
    },
    async refreshed(connection, ms = 2000) {
      const { operation_id } = await post(`/connections/${connection}/refresh`)
      await emulator.advance(ms)
      return get(`/operations/${operation_id}`)
    },
    listen: (types) => listen(post, types),
  }
}

/** The event; empty when the delivery was truncated. */
function parsed(body: Buffer): Delivery['event'] {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return {} as Delivery['event']
  }
}

async function listen(post: TestEmulator['post'], types?: readonly EventType[]): Promise<Listener> {
  const deliveries: Delivery[] = []
  let answer: number | ((delivery: Delivery) => number) = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const delivery = { headers: request.headers, body, event: parsed(body) }
      deliveries.push(delivery)
      response.statusCode = typeof answer === 'number' ? answer : answer(delivery)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const event_types = types ?? eventTypes.filter((type) => type !== 'webhook.test')
  return {
    url,
    subscription: await post('/webhooks/subscriptions', { url, event_types }),
    deliveries,
    types: () => deliveries.map(({ event }) => event.type),
    data: (type) => deliveries.filter(({ event }) => event.type === type).map(({ event }) => event.data),
    answer(status) {
      answer = status
    },
    clear() {
      deliveries.length = 0
    },
  }
}
