import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EventEnvelope, type EventType, events, eventTypes } from '../../src/contract/events.ts'
import { createHome, type Home, type Run } from '../support/cli.ts'
import { type PythonReceiver, startPythonReceiver } from '../support/python-receiver.ts'

const secret = 'whsec_trigger'
let target: PythonReceiver
let home: Home

beforeAll(async () => {
  target = await startPythonReceiver(secret)
  home = createHome({ keep: true, env: { BANKAPI_WEBHOOK_SECRET: secret } })
})
afterAll(async () => {
  await target.stop()
  await home.remove()
})
beforeEach(() => {
  target.received.length = 0
})

const trigger = (...args: string[]): Promise<Run> =>
  home.run(['webhooks', 'trigger', ...args, '--to', target.url])
const header = (at: number, name: string) =>
  target.received[at]?.headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]
const event = (at: number) => JSON.parse(String(target.received[at]?.body)) as EventEnvelope

describe('every event type', () => {
  it.each(eventTypes)('%s is valid by the contract, and Python agrees with its signature', async (type) => {
    const { code, stdout } = await trigger(type)
    expect({ code, agrees: target.received[0]?.agrees }).toEqual({ code: 0, agrees: true })
    const sent = EventEnvelope.parse(event(0))
    expect(sent.type).toBe(type)
    events[type as EventType].data.parse(sent.data)
    expect(header(0, 'X-LS-Webhook-Event-Id')).toBe(sent.event_id)
    expect(header(0, 'X-LS-Webhook-Event-Type')).toBe(type)
    expect(header(0, 'Content-Type')).toBe('application/json')
    expect(stdout).toMatch(/^200 {2}POST http:\/\/127\.0\.0\.1:\d+\/ {2}\S+ {2}\S+ {2}\d+ms\n {5}ok\n$/)
  })
})

it('fields can be set; one that departs from the reference is a warning and is sent', async () => {
  const set = [
    '--set',
    'data.connection.id=con_FDE_9',
    '--set',
    'data.connection.status=odd',
    '--set',
    'livemode=true',
  ]
  const { code, stderr } = await trigger('connection.failed', ...set)
  expect(code).toBe(0)
  expect(event(0)).toMatchObject({ livemode: true, data: { connection: { id: 'con_FDE_9', status: 'odd' } } })
  expect(target.received[0]?.agrees).toBe(true)
  expect(stderr).toContain('data.connection.status')
})

it('the bytes of a file are sent unchanged', async () => {
  const file = join(home.folder, 'event.json')
  const bytes = Buffer.from(
    '{"event_id": "evt_mine",\r\n "type":"connection.active", "x": "\\u00e9é"}\n \xff',
    'latin1',
  )
  writeFileSync(file, bytes)
  expect((await trigger('connection.active', '--from', file)).code).toBe(0)
  expect(target.received[0]?.body).toEqual(bytes)
  expect(target.received[0]?.agrees).toBe(true)
})

it('--count sends events with different ids, --rate paces them, --duplicate repeats each', async () => {
  const started = performance.now()
  const { code, stdout } = await trigger(
    'webhook.test',
    '--count',
    '10',
    '--rate',
    '20',
    '--duplicate',
    '--json',
  )
  const { data, accepted } = JSON.parse(stdout) as {
    data: { event_id: string; status: number }[]
    accepted: number
  }
  expect({ code, accepted, sent: data.length }).toEqual({ code: 0, accepted: 20, sent: 20 })
  // Twenty deliveries at twenty a second: the last starts after 950 ms.
  expect(performance.now() - started).toBeGreaterThan(950)
  const ids = target.received.map((_, at) => event(at).event_id)
  expect(ids).toHaveLength(20)
  expect(new Set(ids).size).toBe(10)
})

it('--age and --bad-signature make deliveries that a receiver has to refuse', async () => {
  expect((await trigger('webhook.test', '--age', '6m')).code).toBe(0)
  const age = Date.now() / 1000 - Number(header(0, 'X-LS-Webhook-Timestamp'))
  expect(age).toBeGreaterThan(355)
  expect(age).toBeLessThan(420)
  expect(target.received[0]?.agrees).toBe(true)
  await trigger('webhook.test', '--bad-signature')
  expect(target.received[1]?.agrees).toBe(false)
})

it("the exit code tells the target's answer", async () => {
  const answers = [204, 301, 401, 404, 500, 503]
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(Number(request.url?.slice(1))).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const codes = await Promise.all(
    answers.map(
      async (status) =>
        (await home.run(['webhooks', 'trigger', 'webhook.test', '--to', `127.0.0.1:${port}/${status}`])).code,
    ),
  )
  server.close()
  server.closeAllConnections()
  expect(codes).toEqual([0, 7, 7, 7, 11, 11])
  const nobody = await home.run(['webhooks', 'trigger', 'webhook.test', '--to', '127.0.0.1:9'])
  expect(nobody).toMatchObject({ code: 11, stdout: expect.stringContaining('nothing listens there') })
})

it('the answer of the target is shown without its escape sequences', async () => {
  const evil = await startPythonReceiver(
    secret,
    '--status',
    '500',
    '--answer',
    '\u001b]0;x\u0007\u009b31m boom',
  )
  const { code, stdout } = await home.run(['webhooks', 'trigger', 'webhook.test', '--to', evil.url])
  await evil.stop()
  expect(code).toBe(11)
  expect(stdout).toContain('boom')
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
})

it('mistakes are errors before anything is sent', async () => {
  for (const args of [
    ['connection.initiated'],
    ['webhook.test', '--set', 'nothing'],
    ['webhook.test', '--from', '/nowhere'],
    ['webhook.test', '--count', '0'],
  ]) {
    expect((await trigger(...args)).code, args.join(' ')).toBe(2)
  }
  const none = await home.run(['webhooks', 'trigger', 'webhook.test', '--to', target.url], {
    env: { BANKAPI_WEBHOOK_SECRET: '' },
  })
  expect(none.code).toBe(2)
  expect(target.received).toEqual([])
})
