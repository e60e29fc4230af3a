/** createApi of `bankapi`: its options, lists row by row, errors by code and the workflows. */
import { Agent, fetch as undiciFetch } from 'undici'
import { afterEach, expect, expectTypeOf, it, vi } from 'vitest'
import {
  type Account,
  type Api,
  ApiResponseError,
  ClosedError,
  type CreateApiOptions,
  createApi,
  type EventData,
  InputError,
  isApiError,
  linkBank,
  OperationFailedError,
  type Transaction,
  WaitTimeoutError,
  type WebhookEvent,
  waitForOperation,
} from '../../src/client.ts'
import { contract } from '../../src/contract/contract.ts'
import type * as ofContract from '../../src/contract/transactions.ts'
import { startEmulator } from '../../src/emulator.ts'
import { serve } from '../api/servers.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function emulated(options: Partial<CreateApiOptions> = {}, more = {}) {
  const emulator = await startEmulator({ autoLink: '10ms', refreshDuration: '10ms', ...more })
  closing.push(() => emulator.stop())
  const api = createApi({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, ...options })
  return { emulator, api }
}

const client_id = 'cli_demo'
const account_id = 'acc_FDE_12301'

it('has every operation of the contract', async () => {
  const api = createApi({ baseUrl: 'https://api.bank.example/v3', apiKey: 'sk_test_x' })
  for (const [area, operations] of Object.entries(contract)) {
    for (const name of Object.keys(operations)) {
      const calls = api[area as keyof typeof contract] as unknown as Record<string, unknown>
      expect(calls[name], `${area}.${name}`).toBeTypeOf('function')
    }
  }
})

it('an area can be awaited and written as JSON: neither is an operation', async () => {
  const { transactions } = createApi({ baseUrl: 'https://api.bank.example/v3', apiKey: 'sk_test_x' })
  expect(await transactions).toBe(transactions)
  expect(JSON.stringify({ transactions })).toBe('{"transactions":{}}')
})

it('a list gives a page, and with all every row of every page', async () => {
  const { api } = await emulated()
  const page = await api.transactions.list({ client_id, account_id, limit: 2 })
  expect(page.data).toHaveLength(2)
  expect(page.has_more).toBe(true)
  const whole = await Array.fromAsync(api.transactions.list.all({ client_id, account_id, limit: 500 }))
  const small = await Array.fromAsync(api.transactions.list.all({ client_id, account_id, limit: 7 }))
  expect(small).toEqual(whole)
  expect(whole.slice(0, 2)).toEqual(page.data)
})

it('a loop that ends early asks for no further page', async () => {
  const replies: number[] = []
  const { api } = await emulated({ onReply: ({ status }) => replies.push(status) })
  for await (const _ of api.transactions.list.all({ client_id, account_id, limit: 3 })) break
  expect(replies).toEqual([200])
})

it('the options of a call hold for every page', async () => {
  const { api } = await emulated()
  const controller = new AbortController()
  const reason = new Error('no longer wanted')
  const rows = api.transactions.list.all({ client_id, account_id, limit: 2 }, { signal: controller.signal })
  await rows.next()
  await rows.next()
  controller.abort(reason)
  await expect(rows.next()).rejects.toBe(reason)
})

it('closing ends the calls under way', async () => {
  let asked = () => {}
  const underWay = new Promise<void>((resolve) => {
    asked = resolve
  })
  const server = await serve(() => asked())
  // Else the call would end with its time.
  const timeouts = { headersMs: 600_000 }
  const api = createApi({ baseUrl: server.baseUrl, apiKey: 'sk_test_x', timeouts })
  const call = api.clients.list().catch((error: unknown) => error)
  await underWay
  await api.close()
  expect(await call).toBeInstanceOf(ClosedError)
})

it('what is not a list has no rows to give, and nothing is sent', async () => {
  const replies: number[] = []
  const { api } = await emulated({ onReply: ({ status }) => replies.push(status) })
  const { all } = api.accounts.get as unknown as { all: (input: object) => AsyncGenerator }
  await expect(all({ client_id, account_id }).next()).rejects.toThrow('accounts.get is no list')
  expect(replies).toEqual([])
})

it('a call is the same each time, and a test of the caller can replace it', async () => {
  const { clients } = createApi({ baseUrl: 'https://api.bank.example/v3', apiKey: 'sk_test_x' })
  expect(clients.list).toBe(clients.list)
  const list = vi.spyOn(clients, 'list').mockResolvedValue({ data: [], has_more: false })
  expect(await clients.list()).toEqual({ data: [], has_more: false })
  expect(list).toHaveBeenCalledOnce()
})

it('a limit that is undefined is the default', async () => {
  const nothing = { attempts: undefined, headersMs: undefined, bodyBytes: undefined } as object
  let asked = 0
  const server = await serve((_, response) => {
    asked++
    response.writeHead(503).end()
  })
  const clock = { now: () => 0, elapsed: () => 0, sleep: async () => {} }
  const options = { retries: nothing, timeouts: nothing, limits: nothing, clock }
  const api = createApi({ baseUrl: server.baseUrl, apiKey: 'sk_test_x', ...options })
  await expect(api.clients.list()).rejects.toMatchObject({ httpStatus: 503 })
  expect(asked).toBe(4)
  const { api: other } = await emulated(options)
  expect((await other.clients.list()).data).toHaveLength(1)
})

it('a key is a text or asked for with each call, and stands in no error', async () => {
  const apiKey = vi.fn(async () => 'sk_test_not_known_here')
  const { api } = await emulated({ apiKey })
  expect(apiKey).not.toHaveBeenCalled()
  const failure: unknown = await api.clients.list().catch((error: unknown) => error)
  expect(isApiError(failure, 'unknown_api_key')).toBe(true)
  expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain('not_known_here')
  await api.clients.list().catch(() => {})
  expect(apiKey).toHaveBeenCalledTimes(2)
})

it('isApiError tells errors apart by code', async () => {
  const { api } = await emulated()
  const failure: unknown = await api.accounts
    .get({ client_id, account_id: 'acc_FDE_0' })
    .catch((error: unknown) => error)
  expect(isApiError(failure)).toBe(true)
  expect(isApiError(failure, 'rate_limit_exceeded', 'not_found')).toBe(true)
  expect(isApiError(failure, 'rate_limit_exceeded')).toBe(false)
  expect(isApiError(new Error('not_found'))).toBe(false)
  if (isApiError(failure, 'not_found')) expectTypeOf(failure.code).toEqualTypeOf<'not_found'>()
  expect(failure).toBeInstanceOf(ApiResponseError)
})

it('fetch, a dispatcher, a clock and a name of the program can be given', async () => {
  const server = await serve((request, response) => {
    response
      .writeHead(request.headers['x-again'] === undefined ? 503 : 200)
      .end('{"data":[],"has_more":false}')
  })
  const dispatcher = new Agent()
  closing.push(() => dispatcher.close())
  const asked: RequestInit[] = []
  const waits: number[] = []
  const clock = { now: () => 0, elapsed: () => 0, sleep: async (ms: number) => void waits.push(ms) }
  const api = createApi({
    ...{ baseUrl: server.baseUrl, apiKey: 'sk_test_x', dispatcher, clock, userAgent: 'acme-sync/2.1' },
    random: { fraction: () => 1, uuid: () => 'x' },
    fetch: (url, init = {}) => {
      asked.push(init)
      const { dispatcher: _, ...plain } = init as { dispatcher?: unknown }
      const headers = asked.length === 1 ? {} : { 'x-again': 'yes' }
      return fetch(url, { ...plain, headers: { ...init.headers, ...headers } } as RequestInit)
    },
  })
  await api.clients.list()
  expect(asked.map((init) => (init as { dispatcher?: unknown }).dispatcher)).toEqual([dispatcher, dispatcher])
  expect(asked[0]?.headers).toMatchObject({
    'User-Agent': expect.stringMatching(/^acme-sync\/2\.1 bankapi-client\//),
  })
  expect(waits).toEqual([250])
  expect(api.clock).toBe(clock)
})

it('a dispatcher works with the fetch of its own undici', async () => {
  const dispatcher = new Agent()
  closing.push(() => dispatcher.close())
  const { api } = await emulated({ dispatcher, fetch: undiciFetch as unknown as typeof fetch })
  expect((await api.clients.list()).data).toHaveLength(1)
})

it('a signal and closing end every wait: for a key, for a fetch that does not listen, before another attempt', async () => {
  const never = () => new Promise<never>(() => {})
  const baseUrl = 'https://api.bank.example/v3'
  const reason = new Error('no longer wanted')
  const aborted = (options: Partial<CreateApiOptions>) => {
    const controller = new AbortController()
    const api = createApi({ baseUrl, apiKey: 'sk_test_x', ...options })
    const call = api.clients.list({}, { signal: controller.signal }).catch((error: unknown) => error)
    setImmediate(() => controller.abort(reason))
    return call
  }
  expect(await aborted({ apiKey: never })).toBe(reason)
  expect(await aborted({ fetch: never })).toBe(reason)

  const closed = (options: Partial<CreateApiOptions>, when: (close: () => void) => void) => {
    const api = createApi({ baseUrl, apiKey: 'sk_test_x', ...options })
    when(() => void api.close())
    return api.clients.list().catch((error: unknown) => error)
  }
  expect(await closed({ fetch: never }, setImmediate)).toBeInstanceOf(ClosedError)
  let waits = () => {}
  const busy = async () => new Response(null, { status: 503, headers: { 'retry-after': '50' } })
  const waiting = closed({ fetch: busy, onWait: () => waits() }, (close) => {
    waits = () => setImmediate(close)
  })
  expect(await waiting).toBeInstanceOf(ClosedError)
})

it('writes nothing: no line on stdout, stderr or the console', async () => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name))
  const streams = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')]
  const { api } = await emulated()
  await api.clients.list()
  await api.accounts.get({ client_id, account_id: 'acc_FDE_0' }).catch(() => {})
  for (const spy of [...spies, ...streams]) {
    expect(spy).not.toHaveBeenCalled()
    spy.mockRestore()
  }
})

it.each([
  ['a base URL that is none', { baseUrl: 'api.bank.example' }],
  ['a base URL that does not end in /v3', { baseUrl: 'https://api.bank.example' }],
  ['an empty key', { apiKey: '' }],
  ['a key that is missing', { apiKey: undefined }],
  ['a name of the program with a line break', { userAgent: 'acme\r\nX-Other: 1' }],
])('%s is an error at once', (_, wrong) => {
  const options = { baseUrl: 'https://api.bank.example/v3', apiKey: 'sk_test_x', ...wrong }
  expect(() => createApi(options as CreateApiOptions)).toThrow(InputError)
})

it.each([
  ['nothing', undefined],
  ['a Blob alone', new Blob(['%PDF'])],
  ['bytes', { filename: 'x.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') }],
])('%s is no file to upload', async (_, file) => {
  const { api } = await emulated()
  await expect(api.statements.extract({ file: file as never })).rejects.toMatchObject({
    name: 'InputError',
    param: 'file',
  })
})

it('linkBank gives the address once and returns the Connection by its canonical id', async () => {
  // Long enough for the list of Connections to be read more than once.
  const { api } = await emulated({}, { autoLink: '1200ms' })
  const urls: string[] = []
  const onWidgetUrl = (url: string) => urls.push(url)
  const connection = await linkBank(api, { client_id, institution_id: 'ins_a_ok', onWidgetUrl })
  expect(urls).toHaveLength(1)
  expect(connection).toMatchObject({ status: 'active', institution: { id: 'ins_a_ok' } })
  expect(await api.connections.get({ connection_id: connection.id })).toMatchObject({ id: connection.id })
})

it('linkBank returns its own Connection, not that of a link which was begun before and ends first', async () => {
  const { emulator, api } = await emulated({}, { autoLink: '1h' })
  await api.connections.initiate({ client_id, institution_id: 'ins_a_ok' })
  await emulator.advance('59m')
  const before = (await api.connections.list({ client_id })).data.length
  let during = 0
  const own = await linkBank(api, {
    ...{ client_id, institution_id: 'ins_a_ok' },
    onWidgetUrl: async () => {
      await emulator.advance('2m')
      const { data } = await api.connections.list({ client_id })
      during = data.length
      // The list is read at least once in this time.
      await new Promise((resolve) => setTimeout(resolve, 1200))
      await emulator.advance('1h')
    },
  })
  expect(during).toBe(before + 1)
  const { data } = await api.connections.list({ client_id })
  const [newest] = data
    .filter(({ institution }) => institution.id === 'ins_a_ok')
    .toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1))
  expect(own.id).toBe(newest?.id)
})

it('linkBank ends with what onWidgetUrl rejects with, and begins nothing without it', async () => {
  const replies: number[] = []
  const { api } = await emulated({ onReply: ({ status }) => replies.push(status) }, { autoLink: '1h' })
  const link = { client_id, institution_id: 'ins_a_ok' }
  await expect(linkBank(api, link as never)).rejects.toThrow(TypeError)
  expect(replies).toEqual([])
  const reason = new Error('the mail was not sent')
  await expect(linkBank(api, { ...link, onWidgetUrl: async () => Promise.reject(reason) })).rejects.toBe(
    reason,
  )
})

it('waitForOperation takes the answer that started it, and tells each time it was read', async () => {
  const { api } = await emulated()
  const seen: string[] = []
  const started = await api.connections.refresh({ connection_id: 'con_FDE_123' })
  const operation = await waitForOperation(api, started, { onProgress: ({ status }) => seen.push(status) })
  expect(operation).toMatchObject({ id: started.operation_id, status: 'succeeded' })
  expect(seen.at(-1)).toBe('succeeded')
})

it('waiting ends with the time or the signal', async () => {
  const { api } = await emulated({}, { refreshDuration: '1h' })
  const started = await api.connections.refresh({ connection_id: 'con_FDE_123' })
  await expect(waitForOperation(api, started, { timeoutMs: 0 })).rejects.toThrow(WaitTimeoutError)
  const reason = new Error('no longer wanted')
  await expect(waitForOperation(api, started, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const controller = new AbortController()
  const waiting = waitForOperation(api, started, {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  })
  await expect(waiting).rejects.toBe(reason)
})

it('an operation that failed is an error with its code', async () => {
  const { emulator, api } = await emulated()
  const silent = await linkBank(api, { client_id, institution_id: 'ins_a_silent', onWidgetUrl: () => {} })
  const started = await api.connections.refresh({ connection_id: silent.id })
  await emulator.advance('24h')
  const failure: unknown = await waitForOperation(api, started).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(OperationFailedError)
  expect(failure).toMatchObject({ code: 'refresh_timed_out', operation: { id: started.operation_id } })
})

it('the types are those of the contract, without its package', () => {
  expectTypeOf<Transaction>().toExtend<Pick<ofContract.Transaction, 'id' | 'amount' | 'pending' | 'date'>>()
  expectTypeOf<Awaited<ReturnType<Api['accounts']['get']>>>().toEqualTypeOf<Account>()
  expectTypeOf<WebhookEvent<'connection.active'>['data']>().toEqualTypeOf<EventData<'connection.active'>>()
  // @ts-expect-error account_id is missing
  void ((api: Api) => api.transactions.list({ client_id }))
  // @ts-expect-error no operation has this name
  void ((api: Api) => api.transactions.remove)
  // @ts-expect-error what is not a list has no rows
  void ((api: Api) => api.transactions.get.all)
})
