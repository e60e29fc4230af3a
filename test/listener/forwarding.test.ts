import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ListenerOptions } from '../../src/listener/options.ts'
import { type PythonReceiver, startPythonReceiver } from '../support/python-receiver.ts'
import {
  deliver,
  eventBody,
  secret,
  signedHeaders,
  startTestListener,
  type TestListener,
} from '../support/test-listener.ts'

let receiver: PythonReceiver
let here: TestListener

async function listen(options: Partial<ListenerOptions> = {}, ...receiverFlags: string[]): Promise<void> {
  receiver = await startPythonReceiver(secret, ...receiverFlags)
  here = await startTestListener({ forward: [{ url: receiver.url }], ...options })
}

afterEach(async () => {
  await here.stop()
  await receiver.stop()
})

describe('bytes', () => {
  beforeEach(() => listen())

  test.each([
    ['CRLF', '{"event_id":"evt_1",\r\n"type":"webhook.test"}\r\n'],
    ['UTF-8', '{"event_id":"evt_1","type":"webhook.test","name":"Zoë 銀行 🦉"}'],
    ['trailing white space', '{"event_id":"evt_1","type":"webhook.test"} \t\n\n '],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0xc3, 0x28, 0x7d])],
    ['escape sequences', '{"event_id":"\u001b[2J\u0007","type":"\u009b31m\u202e"}'],
    ['nothing', ''],
  ])('with %s reach Python, which recomputes the same signature', async (_name, body) => {
    const response = await deliver(here.url, body)
    expect(response.status).toBe(200)
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]).toMatchObject({ agrees: true, method: 'POST', path: '/' })
    expect(receiver.received[0]?.body).toEqual(Buffer.from(body))
    const [kept] = here.inbox.deliveries.list()
    expect(kept).toMatchObject({ verified: true, forwards: [{ status: 200 }] })
    expect(Buffer.from(kept?.body ?? [])).toEqual(Buffer.from(body))
  })

  test('sent in chunks are joined', async () => {
    const body = eventBody()
    const chunks = async function* () {
      for (const character of body) yield Buffer.from(character)
    }
    const headers = await signedHeaders(body)
    const response = await fetch(here.url, {
      method: 'POST',
      body: chunks(),
      headers,
      duplex: 'half',
    } as unknown as RequestInit)
    expect(response.status).toBe(200)
    expect(receiver.received[0]).toMatchObject({ agrees: true })
    expect(receiver.received[0]?.body.toString()).toBe(body)
  })

  test('of 1,000 deliveries that Python signs reach Python as they were', { tags: ['slow'] }, async () => {
    const script = fileURLToPath(new URL('../support/sender.py', import.meta.url))
    const run = await import('node:child_process').then(
      ({ spawn }) =>
        new Promise<string>((resolve) => {
          const child = spawn('python3', [script, secret, here.url, '1000'], {
            stdio: ['ignore', 'pipe', 'inherit'],
          })
          let out = ''
          child.stdout.on('data', (chunk) => (out += chunk))
          child.on('close', () => resolve(out))
        }),
    )
    const sent = run
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { sha256: string; status: number })
    expect(sent).toHaveLength(1000)
    expect(sent.every(({ status }) => status === 200)).toBe(true)
    expect(receiver.received.every(({ agrees }) => agrees)).toBe(true)
    const digests = receiver.received.map(({ body }) => createHash('sha256').update(body).digest('hex'))
    expect(digests).toEqual(sent.map(({ sha256 }) => sha256))
  })
})

describe('what is not verified', () => {
  test('a tampered delivery never reaches the target, is answered 401 and recorded with the reason', async () => {
    await listen()
    const body = eventBody('evt_tampered')
    const response = await deliver(here.url, body.replace('active', 'failed'), await signedHeaders(body))
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: { code: 'signature_mismatch' } })
    expect(receiver.received).toEqual([])
    expect(here.inbox.deliveries.get('evt_tampered')).toMatchObject([
      { verified: false, reason: 'signature_mismatch', duplicate: false, forwardTo: undefined, forwards: [] },
    ])
  })

  test('a timestamp more than five minutes old is refused', async () => {
    await listen()
    const body = eventBody()
    const at = Math.floor(Date.now() / 1000)
    const stale = await deliver(here.url, body, await signedHeaders(body, { at: at - 302 }))
    expect(stale.status).toBe(401)
    expect(receiver.received).toEqual([])
    const [kept] = here.inbox.deliveries.list()
    expect(kept).toMatchObject({ reason: 'timestamp_too_old' })
    expect(kept?.detail).toMatch(/5 min old/)
    const fresh = await deliver(here.url, body, await signedHeaders(body, { at: at - 298 }))
    expect(fresh.status).toBe(200)
  })

  test('a missing header is refused, and named to the user only', async () => {
    await listen()
    const response = await deliver(here.url, '{}', { 'Content-Type': 'application/json' })
    expect(response.status).toBe(401)
    expect(await response.text()).not.toContain('X-LS')
    const [{ delivery } = {}] = here.of('delivery')
    expect(delivery).toMatchObject({
      reason: 'missing_header',
      detail: expect.stringContaining('Timestamp is missing'),
    })
  })

  test("the other environment's secret is named to the user, never to the sender, and not accepted", async () => {
    const known = [{ secret: 'whsec_live', environment: 'live', subscription: 'whk_12' }]
    await listen({ knownSecrets: async () => known })
    const body = eventBody()
    const response = await deliver(here.url, body, await signedHeaders(body, { key: 'whsec_live' }))
    expect(response.status).toBe(401)
    expect(await response.text()).not.toMatch(/live|whk/)
    await expect.poll(() => here.of('delivery')[0]?.delivery.detail).toContain('the live secret of whk_12')
    expect(here.inbox.deliveries.list()[0]?.detail).toContain('the live secret of whk_12')
    expect(receiver.received).toEqual([])
  })

  test('insecureForward forwards it all the same, marked as what it is', async () => {
    await listen({ insecureForward: true })
    const response = await deliver(here.url, eventBody('evt_1'), {})
    expect(response.status).toBe(200)
    expect(receiver.received).toMatchObject([{ agrees: false }])
    expect(here.inbox.deliveries.get('evt_1')).toMatchObject([
      { verified: false, forwards: [{ status: 200 }] },
    ])
  })

  test('secrets that cannot be read make the service try again', async () => {
    await listen({ secrets: () => Promise.reject(new Error('the keychain is locked')) })
    expect((await deliver(here.url)).status).toBe(503)
    expect(here.inbox.deliveries.list()).toMatchObject([
      { detail: 'the keychain is locked', verified: false },
    ])
  })
})

test('during a rotation either signature header verifies, and a new secret counts at once', async () => {
  let secrets = ['whsec_old']
  await listen({ secrets: async () => secrets })
  const body = eventBody()
  const old = await signedHeaders(body, { key: 'whsec_old' })
  const both = {
    ...(await signedHeaders(body)),
    'X-LS-Webhook-Signature-Prev': old['X-LS-Webhook-Signature'] ?? '',
  }
  expect((await deliver(here.url, body, both)).status).toBe(200)
  expect((await deliver(here.url, body)).status).toBe(401)
  secrets = [secret]
  expect((await deliver(here.url, body, both)).status).toBe(200)
  expect((await deliver(here.url, body)).status).toBe(200)
  expect((await deliver(here.url, body, old)).status).toBe(401)
})

describe('the way to the target and back', () => {
  test('method, path, query and headers go there; status, headers and body come back', async () => {
    await listen({}, '--status', '422', '--answer', 'no such account')
    const body = eventBody()
    const headers = { ...(await signedHeaders(body)), 'X-Custom': 'kept' }
    const response = await deliver(`${here.url}any/sub%2Fpath?x=1&y=%20`, body, headers)
    expect(response.status).toBe(422)
    expect(response.headers.get('X-Receiver')).toBe('python')
    expect(await response.text()).toBe('no such account')
    const [got] = receiver.received
    expect(got?.path).toBe('/any/sub%2Fpath?x=1&y=%20')
    const names = new Map(got?.headers.map(([name, value]) => [name.toLowerCase(), value]))
    expect(names.get('x-custom')).toBe('kept')
    expect(names.get('host')).toBe(new URL(receiver.url).host)
    expect(here.inbox.deliveries.list()[0]?.forwards[0]).toMatchObject({
      status: 422,
      body: new Uint8Array(Buffer.from('no such account')),
    })
  })

  test('headers that belong to the connection stay behind, those it names too', async () => {
    await listen()
    const body = eventBody()
    const { request } = await import('node:http')
    const signed = await signedHeaders(body)
    await new Promise<void>((resolve, reject) => {
      const call = request(here.url, {
        method: 'POST',
        headers: {
          ...signed,
          Connection: 'close, X-Hop',
          'X-Hop': '1',
          TE: 'trailers',
          'Proxy-Authorization': 'x',
        },
      })
      call.on('error', reject)
      call.on('response', (response) => response.resume().on('end', resolve))
      call.end(body)
    })
    const names = receiver.received[0]?.headers.map(([name]) => name.toLowerCase()) ?? []
    expect(names).toContain('x-ls-webhook-signature')
    for (const hop of ['x-hop', 'te', 'proxy-authorization', 'transfer-encoding'])
      expect(names).not.toContain(hop)
  })

  test('extra headers replace those of the same name', async () => {
    await listen({
      extraHeaders: [
        ['content-type', 'text/x'],
        ['X-Dev', '1'],
      ],
    })
    await deliver(here.url)
    const headers = receiver.received[0]?.headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    expect(headers).toContain('x-dev: 1')
    expect(headers?.filter((header) => header.startsWith('content-type'))).toEqual(['content-type: text/x'])
  })

  test('ack answers 200 whatever the target says', async () => {
    await listen({ ack: true }, '--status', '500')
    expect((await deliver(here.url)).status).toBe(200)
    expect(here.of('forwarded')).toMatchObject([{ forward: { status: 500 }, answered: 200 }])
  })

  test('a dead target is 502, told once, and told again when it is back', async () => {
    await listen({ probeEveryMs: 50 })
    await receiver.stop()
    for (let at = 0; at < 3; at++) expect((await deliver(here.url)).status).toBe(502)
    expect(here.of('forwarded')[0]?.forward).toMatchObject({ failure: 'unreachable', status: undefined })
    expect(here.of('target-down')).toHaveLength(1)
    const server = createServer((_, response) => response.end())
    await new Promise<void>((resolve) =>
      server.listen(Number(new URL(receiver.url).port), '127.0.0.1', resolve),
    )
    await expect.poll(() => here.of('target-up')).toHaveLength(1)
    expect((await deliver(here.url)).status).toBe(200)
    server.closeAllConnections()
    server.close()
  })

  test('a target slower than the limit is 504', async () => {
    await listen({ forwardTimeoutMs: 150 }, '--delay', '2')
    const started = performance.now()
    expect((await deliver(here.url)).status).toBe(504)
    expect(performance.now() - started).toBeLessThan(1500)
    expect(here.inbox.deliveries.list()[0]?.forwards[0]?.error).toBe(
      'no answer within 0.15 s (--forward-timeout)',
    )
  })

  test('a target that hangs is told while there is time left, and again when the listener closes', async () => {
    await listen({ forwardTimeoutMs: 60_000, noticeAfterMs: 50 }, '--delay', '3')
    const answered = deliver(here.url)
    await expect.poll(() => here.of('waiting')).toMatchObject([{ waitedMs: 50, timeoutMs: 60_000 }])
    expect(here.of('closing')).toEqual([])
    const closed = here.listener.close()
    expect(here.of('closing')).toMatchObject([{ forwards: 1, timeoutMs: 60_000 }])
    expect((await answered).status).toBe(200)
    await closed
    expect(here.of('waiting')).toHaveLength(1)
  })

  test('a target that answers in time is not told to hang', async () => {
    await listen({ forwardTimeoutMs: 200, noticeAfterMs: 100 })
    expect((await deliver(here.url)).status).toBe(200)
    await here.listener.close()
    expect([...here.of('waiting'), ...here.of('closing')]).toEqual([])
  })

  test('an answer that never ends, or is no HTTP, does no harm', async () => {
    await listen({ forwardTimeoutMs: 300 })
    const { createServer: createTcp } = await import('node:net')
    for (const [answer, status] of [
      ['HTTP/1.1 200 OK\r\n\r\nfor ever', 504],
      ['SSH-2.0-OpenSSH\r\n', 502],
      ['HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort', 504],
    ] as const) {
      const target = createTcp((socket) => {
        socket.on('error', () => undefined)
        socket.write(answer)
      })
      await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`
      const other = await startTestListener({ forward: [{ url }], forwardTimeoutMs: 300 })
      expect((await deliver(other.url)).status).toBe(status)
      await other.stop()
      target.close()
    }
  })
})

test('openssl, too, agrees with what is forwarded', async () => {
  await listen()
  const body = '{"a":\r\n1} '
  const headers = await signedHeaders(body)
  await deliver(here.url, body, headers)
  const message = Buffer.from(`${headers['X-LS-Webhook-Timestamp']}.${body}`)
  const run = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: message, encoding: 'utf8' })
  expect(run.stdout).toContain(headers['X-LS-Webhook-Signature'])
  expect(receiver.received[0]?.agrees).toBe(true)
})
