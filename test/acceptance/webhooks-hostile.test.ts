/** Sends bad input to the built listener in a loop of BANKAPI_TEST_ROUNDS rounds, by default 300. */
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openInbox } from '../../src/inbox/open.ts'
import { createHome } from '../support/cli.ts'
import { deliver, eventBody, signedHeaders } from '../support/test-listener.ts'

const rounds = Number(process.env['BANKAPI_TEST_ROUNDS'] ?? 300)
const secret = 'whsec_hostile'
const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\r\n\u0000'

/** Sends raw bytes and returns the status of the answer; undefined when there is none within five seconds. */
async function raw(port: number, bytes: string | Buffer): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
    if (/^HTTP\/1\.1 (?!100)\d{3}/.test(answer)) socket.destroy()
  })
  const late = setTimeout(() => socket.destroy(), 5000)
  socket.write(bytes)
  await once(socket, 'close')
  clearTimeout(late)
  const [, status] = /HTTP\/1\.1 (?!100)(\d{3})/.exec(answer) ?? []
  return status === undefined ? undefined : Number(status)
}

const head = (more: string) => `POST / HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`

/** Bad requests, each with the statuses that are acceptable. */
const nuisances: Record<string, (port: number) => [Promise<number | undefined>, number[]]> = {
  'a wrong method': (port) => [raw(port, 'GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n'), [405]],
  'no body': (port) => [raw(port, head('')), [401]],
  'no headers of a delivery': (port) => [raw(port, `${head('Content-Length: 2\r\n')}{}`), [401]],
  'broken chunks': (port) => [raw(port, `${head('Transfer-Encoding: chunked\r\n')}zz\r\n`), [400]],
  'two lengths': (port) => [raw(port, head('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n')), [400]],
  'a flood of headers': (port) => [raw(port, head('A: b\r\n'.repeat(5000))), [431]],
  'one long header': (port) => [raw(port, head(`A: ${'b'.repeat(20_000)}\r\n`)), [431]],
  noise: (port) => [
    raw(port, Buffer.concat([randomBytes(randomInt(1, 300)), Buffer.from('\r\n\r\n')])),
    [400],
  ],
  'noise behind a good head': (port) => [
    raw(port, Buffer.concat([Buffer.from(head('Content-Length: 40\r\n')), randomBytes(40)])),
    [401],
  ],
  'another host': (port) => [
    raw(port, 'POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n'),
    [421],
  ],
  'escapes in the path': (port) => [
    raw(port, `GET /\u001b[2J HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    [400, 405],
  ],
  'a sender that goes away': (port) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(head('Content-Length: 1000\r\n'), () => setTimeout(() => socket.destroy(), randomInt(20)))
    return [once(socket, 'close').then(() => 0), [0]]
  },
}

/** Unusual bodies; correctly signed, they are forwarded byte for byte and recorded. */
const strange: (() => string | Buffer)[] = [
  () => Buffer.concat([Buffer.from('{"event_id":"'), randomBytes(30), Buffer.from('"}')]),
  () => eventBody(undefined, 'connection.invented'),
  () => JSON.stringify([randomInt(1e9)]),
  () => `"${randomInt(1e9)}"`,
  () =>
    JSON.stringify({
      event_id: `evt_${randomInt(1e9)}${evil}`,
      type: evil,
      data: { connection: { id: evil } },
    }),
  () => JSON.stringify({ event_id: randomInt(1e9), type: { a: 1 }, data: null, livemode: evil }),
  () =>
    `{"event_id":"evt_${randomInt(1e9)}","type":"webhook.test","data":${'['.repeat(5000)}${']'.repeat(5000)}}`,
]

it('any input: an answer in time, a readable line, nothing lost, no crash', async () => {
  const home = createHome({ env: { BANKAPI_ENV: 'sandbox', BANKAPI_WEBHOOK_SECRET: secret } })
  const reached = new Set<string>()
  const target = createServer(async (request, response) => {
    reached.add((await request.toArray()).map((chunk: Buffer) => chunk.toString('latin1')).join(''))
    response.end()
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    target.closeAllConnections()
    target.close()
  })
  const to = `localhost:${(target.address() as AddressInfo).port}`
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--forward', to])
  const url = /http\S+/.exec(await listener.line())?.[0] ?? ''
  const port = Number(new URL(url).port)

  const idle: Socket[] = Array.from({ length: 1000 }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  )
  const names = Object.keys(nuisances)
  const sent: string[] = []
  const sendSigned = async (body: string | Buffer): Promise<number> => {
    sent.push(Buffer.from(body).toString('latin1'))
    const { 'Content-Type': type = '', ...signed } = await signedHeaders(body, { key: secret })
    return (await deliver(url, body, { 'Content-Type': type, ...signed })).status
  }
  for (let round = 0; round < rounds; round += 10) {
    const turn = Array.from({ length: 10 }, async (_, at) => {
      const name = names[randomInt(names.length)] ?? ''
      const [answer, good] = nuisances[name]?.(port) ?? []
      const status = await answer
      expect(good, `${name} was answered ${status}`).toContain(status)
      const body = strange[(round + at) % strange.length]?.() ?? ''
      expect(await sendSigned(body), String(body).slice(0, 80)).toBe(200)
      expect(await sendSigned(eventBody())).toBe(200)
    })
    if (round % 100 === 0) {
      const large = Buffer.alloc(10 * 1024 * 1024, 0x20)
      turn.push(deliver(url, large).then(({ status }) => expect(status).toBe(413)))
    }
    await Promise.all(turn)
  }
  for (const socket of idle) socket.destroy()

  listener.process.kill('SIGINT')
  const { code, stdout, stderr } = await listener.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const line of stdout.trimEnd().split('\n')) {
    expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(line.length).toBeLessThan(5000)
  }
  expect(sent.filter((body) => !reached.has(body))).toEqual([])
  const inbox = openInbox({ path: join(home.env['BANKAPI_DATA_DIR'] ?? '', 'inbox.sqlite'), now: Date.now })
  const kept = inbox.deliveries.list({ verified: true })
  inbox.close()
  expect(kept.map(({ body }) => Buffer.from(body).toString('latin1')).toSorted()).toEqual(sent.toSorted())
  expect(new Set(kept.map(({ shape }) => shape))).toEqual(new Set(['event', 'unknown_type', 'no_envelope']))
}, 600_000)
