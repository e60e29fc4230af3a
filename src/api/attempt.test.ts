/** One attempt, with a transport in place of the network and simulated time. */
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type AttemptSettings, attempt } from './attempt.ts'
import type { HttpReply, HttpRequest } from './http.ts'
import { limitsOf, type ReplyHeaders, timeoutsOf } from './options.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const request: HttpRequest = {
  operation: { method: 'GET', path: '/files/{id}' },
  method: 'GET',
  target: '/v3/files/1',
  shownTarget: '/v3/files/1',
  headers: {},
  reads: 'by-type',
  repeats: 'safe',
}

const timeouts = timeoutsOf({ timeouts: { connectMs: 10, headersMs: 20, bodyMs: 60_000, fileMs: 900_000 } })

type Send = AttemptSettings['transport']['send']

/** The attempt with this transport, without a log unless one is given. */
function trying(
  send: Send,
  over: Partial<HttpRequest> = {},
  settings: Partial<AttemptSettings> = {},
  signal?: AbortSignal,
) {
  const result = attempt(
    { ...request, ...over },
    1,
    {
      transport: { send, close: async () => undefined, closed: false },
      route: { origin: new URL('https://api.bank.test'), proxy: undefined },
      clock: { now: () => 0, elapsed: () => 0, sleep: async () => undefined },
      timeouts,
      limits: limitsOf({}),
      ...settings,
    },
    signal,
  )
  // A test that looks at it later must not meet an unhandled rejection.
  result.catch(() => undefined)
  return result
}

function reply(status: number, body: Readable | string = '', headers: ReplyHeaders = {}): HttpReply {
  return { status, headers, body: typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body }
}

const answering = (...replies: HttpReply[]): Send => {
  return async () => replies.shift() as HttpReply
}

/** Never answers; fails with the reason of its signal. */
const silent: Send = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/** A body that does not end, unless its attempt is aborted. */
function endless(): { body: Readable; send: (status: number, headers?: ReplyHeaders) => Send } {
  const body = new Readable({ read: () => undefined })
  const send =
    (status: number, headers: ReplyHeaders = {}): Send =>
    async (_, signal) => {
      signal.addEventListener('abort', () => body.destroy(signal.reason))
      return reply(status, body, headers)
    }
  return { body, send }
}

const whole = (answer: Awaited<ReturnType<typeof attempt>>) =>
  answer.content.kind === 'whole' ? Buffer.from(answer.content.bytes).toString() : answer.content.kind

/** Whether it has settled once this much time has passed. */
async function settlesWithin(ms: number, result: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = () => {
    settled = true
  }
  result.then(note, note)
  await vi.advanceTimersByTimeAsync(ms)
  await new Promise(setImmediate)
  return settled
}

test('a request has the time of a connection and of the first byte; one that uploads a file, the time of a file', async () => {
  const json = trying(silent, { body: { bytes: new Uint8Array([1]) } })
  expect(await settlesWithin(29, json)).toBe(false)
  expect(await settlesWithin(1, json)).toBe(true)
  await expect(json).rejects.toMatchObject({ reason: 'timeout', phase: 'headers' })
  const file = trying(silent, { body: { length: 1, open: async function* () {} } })
  expect(await settlesWithin(899_999, file)).toBe(false)
  expect(await settlesWithin(1, file)).toBe(true)
})

test('a JSON body has its own time, an error body five seconds, a file the time of a file', async () => {
  const json = trying(endless().send(200, { 'content-type': 'application/json' }))
  expect(await settlesWithin(59_999, json)).toBe(false)
  expect(await settlesWithin(1, json)).toBe(true)
  await expect(json).rejects.toMatchObject({ reason: 'timeout', phase: 'body' })
  const error = trying(endless().send(500))
  expect(await settlesWithin(4999, error)).toBe(false)
  expect(await settlesWithin(1, error)).toBe(true)
  const { content } = await trying(endless().send(200, { 'content-type': 'application/pdf' }))
  if (content.kind !== 'stream') throw new Error('a file is a stream')
  const next = content.download.body[Symbol.asyncIterator]().next()
  next.catch(() => undefined)
  expect(await settlesWithin(899_999, next)).toBe(false)
  expect(await settlesWithin(1, next)).toBe(true)
  await expect(next).rejects.toMatchObject({ reason: 'timeout', phase: 'body' })
})

test.each([
  ['a success', reply(200, '{}', { 'content-type': 'application/json' })],
  ['an error', reply(404, 'no')],
])('%s leaves no timer, and no listener on the signal', async (_, answer) => {
  const { signal } = new AbortController()
  const remove = vi.spyOn(signal, 'removeEventListener')
  await trying(answering(answer), {}, {}, signal)
  expect(vi.getTimerCount()).toBe(0)
  expect(remove).toHaveBeenCalledOnce()
})

test('a failure leaves no timer', async () => {
  await expect(trying(() => Promise.reject(new Error('reset')))).rejects.toMatchObject({ reason: 'reset' })
  expect(vi.getTimerCount()).toBe(0)
})

test('a file that is read to its end, and one that is discarded, leaves no timer', async () => {
  const read = await trying(answering(reply(200, 'bytes', { 'content-type': 'application/pdf' })))
  if (read.content.kind !== 'stream') throw new Error('a file is a stream')
  expect(vi.getTimerCount()).toBe(1)
  const chunks = await Array.fromAsync(read.content.download.body)
  expect(Buffer.concat(chunks).toString()).toBe('bytes')
  expect(vi.getTimerCount()).toBe(0)

  const { body, send } = endless()
  const { content } = await trying(send(200))
  if (content.kind !== 'stream') throw new Error('a file is a stream')
  content.discard()
  expect(vi.getTimerCount()).toBe(0)
  expect(body.destroyed).toBe(true)
})

test('a file without a type is application/octet-stream; compressed, its length is not known', async () => {
  const download = async (headers: ReplyHeaders) => {
    const { content } = await trying(answering(reply(200, 'bytes', headers)), { reads: 'stream' })
    return content.kind === 'stream' ? content.download : undefined
  }
  expect(await download({ 'content-length': '5' })).toMatchObject({
    contentType: 'application/octet-stream',
    contentLength: 5,
  })
  const compressed = await download({
    'content-length': '5',
    'content-encoding': 'gzip',
    'content-type': 'a/b',
  })
  expect(compressed).toMatchObject({ contentType: 'a/b', contentLength: undefined })
  expect((await download({ 'content-length': 'many' }))?.contentLength).toBeUndefined()
})

test.each<[string, number, ReplyHeaders, 'whole' | 'stream']>([
  ['JSON', 200, { 'content-type': 'application/json; charset=utf-8' }, 'whole'],
  ['a JSON of its own kind', 200, { 'content-type': 'application/problem+json' }, 'whole'],
  ['204', 204, {}, 'whole'],
  ['nothing, by its length', 200, { 'content-length': '0' }, 'whole'],
  ['without a type', 200, {}, 'stream'],
  ['what only begins like JSON', 200, { 'content-type': 'application/jsonlines' }, 'stream'],
])('by its type, an answer of %s is read as it should be', async (_, status, headers, kind) => {
  expect((await trying(answering(reply(status, '', headers)))).content.kind).toBe(kind)
})

test('only 200 to 299 is a success: of anything else at most a mebibyte is read, and a broken body counts as empty', async () => {
  const large = 'x'.repeat(1024 * 1024 + 1)
  expect(whole(await trying(answering(reply(299, large)), { reads: 'whole' }))).toBe(large)
  expect(whole(await trying(answering(reply(300, large)), { reads: 'whole' }))).toBe('')
  expect(whole(await trying(answering(reply(404, large.slice(1)))))).toBe(large.slice(1))
  const broken = new Readable({ read: () => broken.destroy(new Error('reset')) })
  const answer = await trying(answering(reply(502, broken)))
  expect(answer.status).toBe(502)
  expect(whole(answer)).toBe('')
})

test('an abort while the body of an error arrives is the reason of the signal, not an empty answer', async () => {
  const stop = new AbortController()
  const { send } = endless()
  const result = trying(send(500), {}, {}, stop.signal)
  await new Promise(setImmediate)
  const reason = new Error('Ctrl-C')
  stop.abort(reason)
  await expect(result).rejects.toBe(reason)
})

test('an answer that is too large says how many megabytes are the limit, with its status and trace', async () => {
  const limits = { bodyBytes: 2 * 2 ** 20 }
  const answer = reply(200, 'x'.repeat(limits.bodyBytes + 1), { 'x-ls-trace-id': 't1' })
  await expect(trying(answering(answer), { reads: 'whole' }, { limits })).rejects.toMatchObject({
    reason: 'too_large',
    message: expect.stringContaining(' 2 MB'),
    httpStatus: 200,
    traceId: 't1',
  })
})

test('a file that fails on its way is explained, with its status', async () => {
  const broken = new Readable({
    read: () => broken.destroy(Object.assign(new Error('gone'), { code: 'ECONNRESET' })),
  })
  const { content } = await trying(answering(reply(200, broken)), { reads: 'stream' })
  if (content.kind !== 'stream') throw new Error('a file is a stream')
  await expect(Array.fromAsync(content.download.body)).rejects.toMatchObject({
    reason: 'cut',
    httpStatus: 200,
  })
  expect(vi.getTimerCount()).toBe(0)
})

const to = (location: string) => reply(302, '', { location, 'x-ls-trace-id': 't1' })

test('a redirect within the origin is followed five times, with its query and without a log', async () => {
  const asked: string[] = []
  const replies = [
    to('/v3/a?b=1'),
    to('c'),
    to('https://api.bank.test/d'),
    to('/e'),
    to('/f'),
    reply(200, 'there'),
  ]
  const send: Send = async ({ target }) => {
    asked.push(target)
    return replies.shift() as HttpReply
  }
  expect(whole(await trying(send, { reads: 'whole' }))).toBe('there')
  expect(asked).toEqual(['/v3/files/1', '/v3/a?b=1', '/v3/c', '/d', '/e', '/f'])
})

test.each<[string, HttpReply, Partial<HttpRequest>]>([
  ['without a Location', reply(302, '', { 'x-ls-trace-id': 't1' }), {}],
  ['to no address', to('http://'), {}],
  ['to another host', to('https://elsewhere.test/'), {}],
  ['to another scheme', to('http://api.bank.test/'), {}],
  ['to another port', to('https://api.bank.test:8443/'), {}],
  ['of a POST', to('/v3/a'), { method: 'POST' }],
  ['of a DELETE', to('/v3/a'), { method: 'DELETE' }],
  ['of a PATCH', to('/v3/a'), { method: 'PATCH' }],
])('a redirect %s is not followed', async (_, first, over) => {
  const replies = [first, reply(200, 'there')]
  await expect(trying(answering(...replies), over)).rejects.toMatchObject({
    reason: 'redirect',
    httpStatus: 302,
    traceId: 't1',
  })
})

test('the sixth redirect is not followed', async () => {
  const replies = [...Array.from({ length: 6 }, () => to('/v3/a')), reply(200, 'there')]
  await expect(trying(answering(...replies))).rejects.toMatchObject({ reason: 'redirect', httpStatus: 302 })
})

test('the redirect that is followed is logged without its secrets', async () => {
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  await trying(answering(to('/v3/a?token=hidden'), reply(200)), {}, { log })
  expect(lines[1]).toContain('302, to /v3/a?token=***')
})

test('a transport that was closed is the error that says so', async () => {
  const transport = { send: () => Promise.reject(new Error('x')), close: async () => undefined, closed: true }
  await expect(trying(silent, {}, { transport })).rejects.toMatchObject({ name: 'ClosedError' })
})
