/** What the listener decides for each delivery, with a target in the same process. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { InboxError } from '../../src/inbox/inbox-error.ts'
import type { ListenerOptions } from '../../src/listener/options.ts'
import { deliver, eventBody, signedHeaders, startTestListener } from '../support/test-listener.ts'
import { startTlsTarget } from '../support/tls-target.ts'

interface Heard {
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string
}

type Answer = (response: ServerResponse, heard: Heard) => unknown

/** A target that answers as it is told, 200 by default. */
async function startTarget(answer: Answer = (response) => response.end('done')) {
  const heard: Heard[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = { path: request.url ?? '', headers: request.rawHeaders, body: String(Buffer.concat(chunks)) }
    heard.push(one)
    await answer(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function listen(
  options: Partial<ListenerOptions> = {},
  inbox: Parameters<typeof startTestListener>[1] = {},
) {
  const here = await startTestListener(options, inbox)
  onTestFinished(() => here.stop())
  const kinds = () => here.events.map(({ kind }) => kind).filter((kind) => !kind.startsWith('target-'))
  const settled = () => here.of('settled').map(({ answered }) => answered)
  return { ...here, kinds, settled }
}

const answering = (status: number, body = '', headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(status, headers).end(body)
}

test('a verified delivery is answered as its target answers, told in order, and kept with its forward', async () => {
  const target = await startTarget(answering(418, 'short and stout', { 'X-Pot': 'tea' }))
  const here = await listen({ forward: [{ url: `${target.url}/hooks` }] })
  const body = eventBody('evt_1')
  const response = await deliver(here.url, body)
  expect(response.status).toBe(418)
  expect(response.headers.get('x-pot')).toBe('tea')
  expect(await response.text()).toBe('short and stout')
  expect(target.heard).toMatchObject([{ path: '/hooks', body }])
  expect(here.kinds()).toEqual(['ready', 'delivery', 'forwarded', 'settled'])
  expect(here.of('settled')).toMatchObject([
    { answered: 418, forward: { status: 418 }, delivery: { verified: true } },
  ])
  expect(here.of('forwarded')).toMatchObject([{ answered: 418, forward: { url: `${target.url}/hooks` } }])
  const [kept] = here.inbox.deliveries.get('evt_1')
  expect(kept).toMatchObject({
    environment: 'local',
    method: 'POST',
    path: '/',
    verified: true,
    forwardTo: `${target.url}/hooks`,
    forwards: [{ status: 418, url: `${target.url}/hooks` }],
  })
})

test('without a target it is answered 200, and meant for nobody', async () => {
  const here = await listen()
  const response = await deliver(here.url, eventBody('evt_1'))
  expect([response.status, await response.json()]).toEqual([200, { received: true }])
  expect(here.kinds()).toEqual(['ready', 'delivery', 'settled'])
  expect(here.of('settled')).toMatchObject([{ answered: 200, forward: undefined }])
  expect(here.inbox.deliveries.list()).toMatchObject([{ forwardTo: undefined, forwards: [] }])
})

test('one that does not verify is answered 401 with the code alone, kept, and forwarded only where that was asked for', async () => {
  const target = await startTarget()
  const careful = await listen({ forward: [{ url: target.url }] })
  const body = eventBody('evt_1')
  const forged = await signedHeaders(body, { key: 'whsec_other' })
  const response = await deliver(careful.url, body, forged)
  expect([response.status, await response.json()]).toEqual([401, { error: { code: 'signature_mismatch' } }])
  expect(target.heard).toEqual([])
  expect(careful.inbox.deliveries.list()).toMatchObject([{ verified: false, reason: 'signature_mismatch' }])
  const open = await listen({ forward: [{ url: target.url }], insecureForward: true })
  expect((await deliver(open.url, body, forged)).status).toBe(200)
  expect(target.heard).toHaveLength(1)
})

test.each([
  ['no header', {}, 'missing_header', 401],
  ['an old timestamp', { at: 1_700_000_000 }, 'timestamp_too_old', 401],
])('%s is a reason of its own', async (_, signing, code, status) => {
  const here = await listen()
  const body = eventBody()
  const headers = Object.keys(signing).length === 0 ? {} : await signedHeaders(body, signing)
  const response = await deliver(here.url, body, headers)
  expect([response.status, await response.json()]).toEqual([status, { error: { code } }])
  expect(here.of('delivery')).toMatchObject([{ delivery: { reason: code, verified: false } }])
})

test('while the secrets cannot be read the answer is 503, so that the service tries again', async () => {
  const here = await listen({ secrets: () => Promise.reject(new Error('The keychain is locked.')) })
  const response = await deliver(here.url)
  expect([response.status, await response.json()]).toEqual([503, { error: { code: 'secrets_unavailable' } }])
  expect(here.of('delivery')).toMatchObject([{ delivery: { detail: 'The keychain is locked.' } }])
})

test('a body over the limit is answered 413, kept without its bytes, and never forwarded', async () => {
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }], insecureForward: true, maxBodyBytes: 1000 })
  const exact = 'x'.repeat(1000)
  expect((await deliver(here.url, exact)).status).toBe(200)
  const response = await deliver(here.url, `${exact}x`)
  expect([response.status, await response.json()]).toEqual([413, { error: { code: 'body_too_large' } }])
  expect(target.heard).toHaveLength(1)
  expect(here.inbox.deliveries.list().at(-1)).toMatchObject({ reason: 'body_too_large', verified: false })
  expect(here.inbox.deliveries.list().at(-1)?.body).toHaveLength(0)
})

test.each<[string, Answer, number, string]>([
  ['closes the connection', (response) => response.destroy(), 502, 'broken_answer'],
  ['is silent for too long', () => undefined, 504, 'timeout'],
])('a target that %s makes %i of it', async (_, answer, status, failure) => {
  const target = await startTarget(answer)
  const here = await listen({ forward: [{ url: target.url }], forwardTimeoutMs: 150 })
  const response = await deliver(here.url, eventBody('evt_1'))
  expect([response.status, await response.json()]).toEqual([status, { error: { code: `target_${failure}` } }])
  expect(here.of('settled')).toMatchObject([{ answered: status, forward: { failure, status: undefined } }])
  expect(here.inbox.deliveries.get('evt_1')[0]?.forwards).toHaveLength(1)
})

test('nothing at the target is 502; with ack every outcome is 200', async () => {
  const down = { url: 'http://127.0.0.1:1' }
  const plain = await listen({ forward: [down] })
  const response = await deliver(plain.url)
  expect([response.status, await response.json()]).toEqual([502, { error: { code: 'target_unreachable' } }])
  expect(plain.of('target-down')).toMatchObject([{ url: 'http://127.0.0.1:1' }])
  const failing = await startTarget(answering(500, 'no'))
  for (const route of [down, { url: failing.url }]) {
    const here = await listen({ forward: [route], ack: true })
    const acked = await deliver(here.url)
    expect([acked.status, await acked.json()]).toEqual([200, { received: true }])
    expect(here.of('forwarded')).toMatchObject([{ answered: 200 }])
  }
  expect(failing.heard).toHaveLength(1)
})

test('a forward that is aborted is answered 503 or not at all, never 200, even with ack', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const target = await startTarget(() => resolve())
  const here = await listen({ forward: [{ url: target.url }], ack: true })
  const answer = deliver(here.url, eventBody('evt_1')).then(
    ({ status }) => status,
    () => 'none',
  )
  await promise
  await here.listener.close({ force: true })
  expect([503, 'none']).toContain(await answer)
  expect(here.settled()).toEqual([503])
  expect(here.of('closed')).toMatchObject([{ forced: true }])
})

test('the filter keeps what it leaves out, answers 200, and lets a test delivery through', async () => {
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }], events: ['statement.*', 'account.synced'] })
  const types = ['connection.active', 'statement.available', 'account.synced', 'webhook.test']
  for (const type of types) {
    expect((await deliver(here.url, eventBody(`evt_${type}`, type))).status).toBe(200)
  }
  const { 'X-LS-Webhook-Event-Type': _, ...untyped } = await signedHeaders('no event')
  await deliver(here.url, 'no event', untyped)
  expect(target.heard.map(({ body }) => JSON.parse(body).type)).toEqual(types.slice(1))
  expect(here.of('delivery').map(({ delivery }) => delivery.type)).toEqual(types.slice(1))
  expect(here.inbox.deliveries.list()).toHaveLength(5)
  const everything = await listen({ forward: [{ url: target.url }], events: [] })
  await deliver(everything.url, 'no event', untyped)
  expect(target.heard).toHaveLength(4)
  const refused = await deliver(here.url, eventBody('evt_x', 'connection.active'), {})
  expect(refused.status).toBe(401)
  expect(here.of('delivery').at(-1)).toMatchObject({ delivery: { eventId: 'evt_x', filtered: false } })
})

test('the path and query of a delivery are appended to the target of its type', async () => {
  const target = await startTarget()
  const here = await listen({
    forward: [{ url: `${target.url}/all` }, { match: 'statement.*', url: `${target.url}/statements?a=1` }],
  })
  await deliver(`${here.url}x?b=2`, eventBody('evt_1', 'statement.available'))
  await deliver(here.url, eventBody('evt_2', 'connection.active'))
  await deliver(here.url, 'no event')
  expect(target.heard.map(({ path }) => path)).toEqual(['/statements/x?a=1&b=2', '/all', '/all'])
})

test("the target gets the sender's bytes and headers, the user's own headers, and its own Host", async () => {
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }], extraHeaders: [['X-Mine', 'yes']] })
  const body = eventBody('evt_1')
  const signed = await signedHeaders(body)
  await deliver(here.url, body, { ...signed, 'X-Mine': 'no', 'X-Theirs': 'kept' })
  const [heard] = target.heard
  const headers = Object.fromEntries(
    (heard?.headers ?? []).flatMap((name, at, all) =>
      at % 2 === 0 ? [[name.toLowerCase(), all[at + 1]]] : [],
    ),
  )
  expect(heard?.body).toBe(body)
  expect(headers).toMatchObject({
    'x-mine': 'yes',
    'x-theirs': 'kept',
    'x-ls-webhook-signature': signed['X-LS-Webhook-Signature'],
    host: new URL(target.url).host,
  })
})

test('repeats are marked, told and forwarded; with dedupe they are answered once a target accepted one', async () => {
  const target = await startTarget()
  const body = eventBody('evt_1')
  const plain = await listen({ forward: [{ url: target.url }] })
  for (const _ of ['first', 'second']) await deliver(plain.url, body)
  expect(target.heard).toHaveLength(2)
  expect(plain.of('duplicate')).toMatchObject([{ dropped: false, delivery: { eventId: 'evt_1' } }])

  const once = await listen({ forward: [{ url: target.url }], dedupe: true })
  await deliver(once.url, body)
  const repeat = await deliver(once.url, body)
  expect([repeat.status, await repeat.json()]).toEqual([200, { received: true, duplicate: true }])
  expect(target.heard).toHaveLength(3)
  expect(once.of('duplicate')).toMatchObject([{ dropped: true }])
  expect(once.of('settled').at(-1)).toMatchObject({ answered: 200, forward: undefined })
  for (const _ of ['first', 'second']) await deliver(once.url, 'no event at all')
  expect(target.heard).toHaveLength(5)
})

test('with dedupe a repeat waits for the forward of its event, and is forwarded when that fails', async () => {
  const held: (() => void)[] = []
  const target = await startTarget(async (response) => {
    const number = target.heard.length
    if (number === 1) await new Promise<void>((resolve) => held.push(resolve))
    response.writeHead(number === 1 ? 500 : 200).end()
  })
  const here = await listen({ forward: [{ url: target.url }], dedupe: true })
  const body = eventBody('evt_1')
  const first = deliver(here.url, body)
  await expect.poll(() => held.length).toBe(1)
  const second = deliver(here.url, body)
  await expect.poll(() => here.of('delivery').length).toBe(2)
  expect(target.heard).toHaveLength(1)
  held[0]?.()
  expect([(await first).status, (await second).status]).toEqual([500, 200])
  expect(target.heard).toHaveLength(2)
  expect(here.of('duplicate')).toMatchObject([{ dropped: false }])
})

test('with dedupe a repeat is answered 503 when the forward of its event takes longer than it waits', async () => {
  const held: (() => void)[] = []
  const target = await startTarget(async (response) => {
    await new Promise<void>((resolve) => held.push(resolve))
    response.end()
  })
  const here = await listen({ forward: [{ url: target.url }], dedupe: true, repeatWaitMs: 60 })
  const body = eventBody('evt_1')
  const first = deliver(here.url, body)
  await expect.poll(() => held.length).toBe(1)
  const repeat = await deliver(here.url, body)
  expect([repeat.status, await repeat.json()]).toEqual([503, { error: { code: 'event_is_being_forwarded' } }])
  expect(repeat.headers.get('retry-after')).toBe('1')
  expect(here.of('refused')).toMatchObject([
    { status: 503, method: 'POST', path: '/', why: 'evt_1 is being forwarded already' },
  ])
  held[0]?.()
  expect((await first).status).toBe(200)
  expect(target.heard).toHaveLength(1)
})

test('a claim of a listener that died ends in time: the longest forward, and five seconds for its outcome', async () => {
  const target = await startTarget()
  const claims: (number | undefined)[] = []
  const { inbox } = await listen()
  const deliveries = {
    ...inbox.deliveries,
    record: (...[delivery, claim]: Parameters<typeof inbox.deliveries.record>) => {
      claims.push(claim?.forMs)
      return inbox.deliveries.record(delivery, claim)
    },
  }
  const here = await listen({
    inbox: { ...inbox, deliveries },
    forward: [{ url: target.url }],
    dedupe: true,
    forwardTimeoutMs: 7000,
    clock: { now: () => Date.now() },
  })
  await deliver(here.url)
  expect(claims).toEqual([12_000])
})

test('what the inbox cannot store is answered 503 with the time to come back, and told once a minute', async () => {
  let now = Date.now()
  let failure = new InboxError('full', 'The inbox cannot grow.', '')
  const { inbox } = await listen()
  const here = await listen({
    inbox: { ...inbox, batch: (write) => (failure ? Promise.reject(failure) : inbox.batch(write)) },
    clock: { now: () => now },
  })
  const response = await deliver(here.url)
  expect([response.status, await response.json()]).toEqual([503, { error: { code: 'inbox_unavailable' } }])
  expect(response.headers.get('retry-after')).toBe('60')
  const troubles = () => here.of('error').map(({ error, fatal }) => [error.message, fatal])
  await deliver(here.url)
  expect(troubles()).toEqual([['The inbox cannot grow.', false]])
  failure = new InboxError('busy', 'It is locked.', '')
  expect((await deliver(here.url)).headers.get('retry-after')).toBe('1')
  expect(troubles()).toHaveLength(2)
  now += 59_999
  await deliver(here.url)
  expect(troubles()).toHaveLength(2)
  now += 1
  await deliver(here.url)
  expect(troubles()).toHaveLength(3)
  now -= 3_600_000
  await deliver(here.url)
  expect(troubles()).toHaveLength(4)
  expect(here.of('delivery')).toEqual([])
})

test('a fault of the program is answered 500 and told; the listener goes on', async () => {
  let broken = true
  const { inbox } = await listen()
  const here = await listen({
    inbox: {
      ...inbox,
      batch: (write) => (broken ? Promise.reject(new TypeError('a fault')) : inbox.batch(write)),
    },
  })
  const response = await deliver(here.url)
  expect([response.status, await response.json()]).toEqual([500, { error: { code: 'listener_failed' } }])
  expect(here.of('error')).toMatchObject([{ error: { message: 'a fault' }, fatal: false }])
  broken = false
  expect((await deliver(here.url)).status).toBe(200)
})

test('an outcome that cannot be recorded does not change the answer: the target has the delivery', async () => {
  const target = await startTarget(answering(201))
  const { inbox } = await listen()
  const deliveries = {
    ...inbox.deliveries,
    recordForward: () => {
      throw new Error('disk gone')
    },
  }
  const here = await listen({ inbox: { ...inbox, deliveries }, forward: [{ url: target.url }] })
  expect((await deliver(here.url)).status).toBe(201)
  expect(here.of('error')).toMatchObject([{ error: { message: 'disk gone' }, fatal: false }])
})

test.each<[string, RequestInit, string, number, string]>([
  ['another method', { method: 'GET' }, '', 405, 'method_not_allowed'],
  ['a path beside its own', { method: 'POST' }, '/../hooks-2', 404, 'no_such_path'],
  ['a path that climbs', { method: 'POST' }, '/a%2f..', 400, 'bad_path'],
])('%s is refused with its reason', async (_, init, path, status, code) => {
  const here = await listen({ path: 'hooks/' })
  expect(new URL(here.url).pathname).toBe('/hooks')
  const response = await fetch(`${here.url}${path}`, init)
  expect([response.status, await response.json()]).toEqual([status, { error: { code } }])
  expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null)
  expect(response.headers.get('connection')).toBe('close')
  expect(here.of('refused')).toMatchObject([{ status, method: init.method }])
  expect((await deliver(`${here.url}/below`)).status).toBe(200)
})

test('of the subscription and the targets the ready event tells; the subscription is kept with each delivery', async () => {
  const bound: string[] = []
  const here = await listen({
    onBound: async (url) => {
      bound.push(url)
      return 'whk_9'
    },
    forward: [{ url: 'http://127.0.0.1:1/a' }, { match: 'x.*', url: 'http://127.0.0.1:1/b' }],
    ack: true,
  })
  expect(bound).toEqual([here.url])
  expect(here.of('ready')).toMatchObject([
    { url: here.url, subscription: 'whk_9', targets: ['http://127.0.0.1:1/a', 'x.*=http://127.0.0.1:1/b'] },
  ])
  await deliver(here.url, eventBody('evt_1'))
  expect(here.inbox.deliveries.get('evt_1')).toMatchObject([{ subscription: 'whk_9' }])
})

test('a subscription that cannot be made closes the listener with its error', async () => {
  const failure = new Error('no scope')
  await expect(startTestListener({ onBound: () => Promise.reject(failure) })).rejects.toBe(failure)
})

test('a subscriber that left hears nothing more', async () => {
  const here = await listen()
  const heard: string[] = []
  const leave = here.listener.subscribe(({ kind }) => heard.push(kind))
  await deliver(here.url)
  leave()
  await deliver(here.url)
  expect(heard).toEqual(['delivery', 'settled'])
})

test('closing answers what is being forwarded, accepts nothing more, and waits for no idle connection', async () => {
  const held: (() => void)[] = []
  const target = await startTarget(async (response) => {
    await new Promise<void>((resolve) => held.push(resolve))
    response.writeHead(202).end('late')
  })
  const here = await listen({ forward: [{ url: target.url }] })
  const idle = connect(here.port, '127.0.0.1')
  await once(idle, 'connect')
  const ended = once(
    idle.resume().on('error', () => undefined),
    'close',
  )
  const answer = deliver(here.url, eventBody('evt_1'))
  await expect.poll(() => held.length).toBe(1)
  const closed = here.listener.close()
  await ended
  await expect(fetch(here.url, { method: 'POST' })).rejects.toThrow()
  expect(here.of('closed')).toEqual([])
  held[0]?.()
  expect((await answer).status).toBe(202)
  await closed
  expect(here.of('closed')).toMatchObject([{ forced: false }])
  expect(here.kinds().at(-1)).toBe('closed')
  expect(here.inbox.deliveries.get('evt_1')).toMatchObject([{ forwards: [{ status: 202 }] }])
})

test('a second close ends what the first one waits for', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const target = await startTarget(() => resolve())
  const here = await listen({ forward: [{ url: target.url }] })
  const answer = deliver(here.url).then(
    ({ status }) => status,
    () => 'none',
  )
  await promise
  const first = here.listener.close()
  await here.listener.close()
  await first
  expect([503, 'none']).toContain(await answer)
  expect(here.of('closed')).toMatchObject([{ forced: true }])
  expect(here.of('settled')).toMatchObject([{ forward: { failure: 'aborted' } }])
})

test('an order to end at once gives up nothing where nothing is under way', async () => {
  const target = await startTarget()
  const here = await listen({ forward: [{ url: target.url }] })
  expect((await deliver(here.url)).status).toBe(200)
  await here.listener.close({ force: true })
  expect(here.of('closed')).toMatchObject([{ forced: false }])
})

test('answers of the listener itself are JSON', async () => {
  const here = await listen()
  for (const response of [
    await deliver(here.url),
    await deliver(here.url, '{}', {}),
    await fetch(here.url),
  ]) {
    expect(response.headers.get('content-type')).toBe('application/json')
  }
})

test('a target whose certificate is not trusted gets a delivery only where that was asked for', async () => {
  const { url, received } = await startTlsTarget()
  const careful = await listen({ forward: [{ url }] })
  expect((await deliver(careful.url)).status).toBe(502)
  expect(received).toEqual([])
  const trusting = await listen({ forward: [{ url }], insecureTls: true })
  expect((await deliver(trusting.url)).status).toBe(200)
  expect(received).toHaveLength(1)
})

test('a delivery that is forwarded nowhere claims nothing: another listener of the inbox forwards its event', async () => {
  const target = await startTarget()
  const forward = [{ url: target.url }]
  const first = await listen({ forward, dedupe: true, events: ['statement.*'] })
  const second = await listen({ inbox: first.inbox, forward, dedupe: true, repeatWaitMs: 60 })
  expect((await deliver(first.url, eventBody('evt_1', 'connection.active'))).status).toBe(200)
  expect(target.heard).toEqual([])
  expect((await deliver(second.url, eventBody('evt_1', 'connection.active'))).status).toBe(200)
  expect(target.heard).toHaveLength(1)
})

/** A listener with dedupe whose first delivery is being forwarded, and whose next writes to the inbox may fail. */
async function listenWithTrouble() {
  const held: (() => void)[] = []
  const target = await startTarget(async (response) => {
    await new Promise<void>((resolve) => held.push(resolve))
    response.end()
  })
  const { inbox } = await listen()
  const trouble: { error: Error | undefined; count: number } = { error: undefined, count: 0 }
  const here = await listen({
    inbox: {
      ...inbox,
      batch: (write) => {
        if (trouble.error === undefined) return inbox.batch(write)
        trouble.count++
        return Promise.reject(trouble.error)
      },
    },
    forward: [{ url: target.url }],
    dedupe: true,
  })
  const first = deliver(here.url, eventBody('evt_1'))
  await expect.poll(() => held.length).toBe(1)
  const repeat = deliver(here.url, eventBody('evt_1'))
  await expect.poll(() => here.of('delivery').length).toBe(2)
  return { here, target, trouble, first, repeat, release: () => held[0]?.() }
}

test('with dedupe a repeat goes on waiting while the inbox cannot be asked', async () => {
  const { target, trouble, first, repeat, release } = await listenWithTrouble()
  trouble.error = new InboxError('busy', 'It is locked.', '')
  await expect.poll(() => trouble.count).toBeGreaterThan(1)
  trouble.error = undefined
  release()
  expect((await first).status).toBe(200)
  expect(await (await repeat).json()).toEqual({ received: true, duplicate: true })
  expect(target.heard).toHaveLength(1)
})

test('a fault while a repeat waits ends its waiting with 500', async () => {
  const { here, trouble, first, repeat, release } = await listenWithTrouble()
  trouble.error = new TypeError('a fault')
  expect((await repeat).status).toBe(500)
  expect(here.of('error')).toMatchObject([{ error: { message: 'a fault' } }])
  trouble.error = undefined
  release()
  expect((await first).status).toBe(200)
})
