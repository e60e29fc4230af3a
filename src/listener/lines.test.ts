import { expect, test } from 'vitest'
import type { ForwardOutcome, ListenerEvent, ReceivedDelivery } from './events.ts'
import { jsonObject, textLines } from './lines.ts'

const at = Date.UTC(2026, 8, 21, 13, 33, 20)
const tools = { safe: (text: string) => text.replaceAll('\u001b', '<esc>'), time: () => '13:33:20' }

const delivery: ReceivedDelivery = {
  id: 1,
  receivedAt: at,
  eventId: 'evt_1',
  type: 'connection.active',
  livemode: false,
  subject: 'con_FDE_123',
  shape: 'event',
  verified: true,
  reason: undefined,
  detail: undefined,
  duplicate: false,
  filtered: false,
  event: { event_id: 'evt_1' },
}

const forward: ForwardOutcome = {
  method: 'POST',
  url: 'http://localhost:3000/',
  status: 200,
  durationMs: 11.6,
  headers: [],
  body: new Uint8Array(),
  failure: undefined,
  error: undefined,
}

const settled = (over: Partial<ReceivedDelivery>, outcome?: ForwardOutcome): ListenerEvent => ({
  kind: 'settled',
  at,
  delivery: { ...delivery, ...over },
  forward: outcome,
  answered: 200,
})

test.each<[string, ListenerEvent, string[]]>([
  [
    'ready',
    {
      kind: 'ready',
      at,
      url: 'http://127.0.0.1:4020/',
      environment: 'local',
      subscription: 'whk_1',
      targets: ['http://localhost:3000/'],
    },
    ['Ready: http://127.0.0.1:4020/ -> http://localhost:3000/ (local, whk_1)'],
  ],
  [
    'ready, with a secret of no known subscription',
    {
      kind: 'ready',
      at,
      url: 'http://127.0.0.1:4020/',
      environment: 'sandbox',
      subscription: undefined,
      targets: [],
    },
    ['Ready: http://127.0.0.1:4020/ (sandbox)'],
  ],
  [
    'a target that hangs',
    { kind: 'waiting', at, delivery, url: 'http://localhost:3000/\u001b', waitedMs: 5000, timeoutMs: 30_000 },
    [
      '13:33:20 ... http://localhost:3000/<esc> has not answered evt_1 for 5 s; 25 s are left (--forward-timeout)',
    ],
  ],
  [
    'an end that waits',
    { kind: 'closing', at, forwards: 2, timeoutMs: 30_000 },
    ['Waiting for 2 answers of your server, at most 30 s (--forward-timeout). Ctrl-C again ends it.'],
  ],
  [
    'a delivery',
    { kind: 'delivery', at, delivery },
    ['13:33:20 --> connection.active  evt_1  con_FDE_123  verified'],
  ],
  [
    'a refused delivery',
    {
      kind: 'delivery',
      at,
      delivery: { ...delivery, verified: false, reason: 'missing_header', detail: 'Why.' },
    },
    ['13:33:20 --> connection.active  evt_1  con_FDE_123  not verified (missing_header): Why.'],
  ],
  [
    'a repeat without a subject',
    {
      kind: 'delivery',
      at,
      delivery: { ...delivery, subject: undefined, duplicate: true, shape: 'unknown_type' },
    },
    ['13:33:20 --> connection.active  evt_1  verified, duplicate, unknown type'],
  ],
  [
    'a nameless delivery',
    {
      kind: 'delivery',
      at,
      delivery: {
        ...delivery,
        type: undefined,
        eventId: undefined,
        subject: undefined,
        shape: 'no_envelope',
      },
    },
    ['13:33:20 --> (no type)  (no event id)  verified, no event envelope'],
  ],
  [
    'a forward',
    { kind: 'forwarded', at, delivery, forward, answered: 200 },
    ['13:33:20 <-- 200 POST http://localhost:3000/ evt_1 12ms'],
  ],
  [
    'a target that complains',
    {
      kind: 'forwarded',
      at,
      delivery,
      forward: { ...forward, status: 500, body: Buffer.from('boom\u001b') },
      answered: 500,
    },
    ['13:33:20 <-- 500 POST http://localhost:3000/ evt_1 12ms', '             boom<esc>'],
  ],
  [
    'a dead target',
    {
      kind: 'forwarded',
      at,
      delivery,
      forward: {
        ...forward,
        status: undefined,
        failure: 'unreachable',
        error: 'nothing listens there (ECONNREFUSED)',
      },
      answered: 502,
    },
    ['13:33:20 <-- 502 POST http://localhost:3000/ evt_1 12ms  nothing listens there (ECONNREFUSED)'],
  ],
  [
    'a forward of what has no event id',
    { kind: 'forwarded', at, delivery: { ...delivery, eventId: undefined }, forward, answered: 200 },
    ['13:33:20 <-- 200 POST http://localhost:3000/ - 12ms'],
  ],
  [
    'a target that is content, whatever it says',
    {
      kind: 'forwarded',
      at,
      delivery,
      forward: { ...forward, status: 299, body: Buffer.from('fine') },
      answered: 299,
    },
    ['13:33:20 <-- 299 POST http://localhost:3000/ evt_1 12ms'],
  ],
  [
    'a target that redirects, with its text between empty lines',
    {
      kind: 'forwarded',
      at,
      delivery,
      forward: { ...forward, status: 300, body: Buffer.from('\n there \n') },
      answered: 300,
    },
    ['13:33:20 <-- 300 POST http://localhost:3000/ evt_1 12ms', '             there'],
  ],
  ['what needs no word', settled({}), []],
])('the lines of %s', (_name, event, lines) => {
  expect(textLines(event, tools)).toEqual(lines)
})

test('the time is the clock’s on the wall', () => {
  const line = textLines(
    { kind: 'delivery', at: new Date(2026, 8, 21, 3, 4, 5).getTime(), delivery },
    { safe: String },
  )[0]
  expect(line?.slice(0, 8)).toBe('03:04:05')
})

test.each([
  [300, 'x'.repeat(300)],
  [301, `${'x'.repeat(300)}…`],
  [1e6, `${'x'.repeat(300)}…`],
])('of a text of %i characters 300 are shown', (length, shown) => {
  const type = 'x'.repeat(length)
  expect(textLines({ kind: 'delivery', at, delivery: { ...delivery, type } }, tools)).toEqual([
    `13:33:20 --> ${shown}  evt_1  con_FDE_123  verified`,
  ])
})

test('--json: the ready object', () => {
  const ready: ListenerEvent = {
    kind: 'ready',
    at,
    url: 'http://127.0.0.1:4020/',
    environment: 'local',
    subscription: 'whk_1',
    targets: [],
  }
  expect(jsonObject(ready)).toEqual({
    ready: true,
    url: 'http://127.0.0.1:4020/',
    environment: 'local',
    subscription_id: 'whk_1',
  })
  expect(jsonObject({ ...ready, subscription: undefined })).toMatchObject({ subscription_id: null })
})

test('--json: one object per delivery, when it is settled', () => {
  expect(jsonObject({ kind: 'delivery', at, delivery })).toBeUndefined()
  expect(jsonObject(settled({ filtered: true }))).toBeUndefined()
  expect(jsonObject(settled({}, forward))).toEqual({
    received_at: '2026-09-21T13:33:20.000Z',
    event_id: 'evt_1',
    type: 'connection.active',
    livemode: false,
    verified: true,
    reason: null,
    duplicate: false,
    forward: { url: 'http://localhost:3000/', status: 200, duration_ms: 12, error: null },
    event: { event_id: 'evt_1' },
  })
  const nameless = {
    eventId: undefined,
    type: undefined,
    livemode: undefined,
    event: undefined,
    verified: false,
  }
  expect(jsonObject(settled({ ...nameless, reason: 'missing_header' }))).toMatchObject({
    event_id: null,
    type: null,
    livemode: null,
    reason: 'missing_header',
    forward: null,
    event: null,
  })
})

test.each<[ListenerEvent, string[]]>([
  [{ kind: 'duplicate', at: 1, delivery, dropped: true }, ['T     evt_1 was accepted before: not forwarded']],
  [{ kind: 'duplicate', at: 1, delivery, dropped: false }, []],
  [{ kind: 'target-up', at: 1, url: 'http://x' }, ['T --- http://x is up again']],
  [
    { kind: 'target-down', at: 1, url: 'http://x', error: 'gone' },
    ['T --- http://x cannot be reached: gone'],
  ],
  [{ kind: 'error', at: 1, error: new Error('full'), fatal: false }, ['T --- Error: full']],
  [
    { kind: 'error', at: 1, error: new Error('lost'), fatal: true },
    ['T --- The listener lost its socket: lost'],
  ],
  [{ kind: 'closed', at: 1, forced: false }, ['Closed.']],
  [{ kind: 'closed', at: 1, forced: true }, ['Closed; what was under way will be sent again.']],
  [
    { kind: 'refused', at: 1, status: 400, method: '', path: '', why: 'it is no HTTP request' },
    ['T --- 400 (request): it is no HTTP request'],
  ],
  [
    { kind: 'refused', at: 1, status: 404, method: 'POST', path: '/x', why: 'no path' },
    ['T --- 404 POST /x: no path'],
  ],
])('%j is told as it is', (event, lines) => {
  expect(textLines(event, { safe: (text) => text, time: () => 'T' })).toEqual(lines)
})
