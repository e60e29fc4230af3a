import { expect, test } from 'vitest'
import type { ForwardOutcome, ListenerEvent, ReceivedDelivery } from '../../listener/events.ts'
import { plainPaint } from '../../output/palette.ts'
import { createView } from '../../output/view.ts'
import type { DeliverySummary } from './_delivery-document.ts'
import { createTerminalLines, deliveryLines } from './_terminal-lines.ts'

const at = Date.UTC(2026, 8, 21, 13, 33, 20)
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

const linesIn = (columns: number) =>
  createTerminalLines({ paint: plainPaint, width: () => columns, zone: { utc: true } })
const settled = (
  over: Partial<ReceivedDelivery> = {},
  outcome: ForwardOutcome | undefined = forward,
  answered = 200,
): ListenerEvent => ({ kind: 'settled', at, delivery: { ...delivery, ...over }, forward: outcome, answered })

test('a delivery has its line when its outcome is known, and none before', () => {
  const lines = linesIn(80)
  expect(lines({ kind: 'delivery', at, delivery })).toEqual([])
  expect(lines({ kind: 'forwarded', at, delivery, forward, answered: 200 })).toEqual([])
  expect(lines(settled())).toEqual([
    '13:33:20  ✓ connection.active           con_FDE_123             → 200  12 ms',
  ])
  expect(lines(settled({ filtered: true }))).toEqual([])
})

test('below it stands what a target that failed said', () => {
  const failing = { ...forward, status: 500, body: Buffer.from('boom\u001b[2J\nat server.js') }
  expect(linesIn(80)(settled({}, failing, 500))).toEqual([
    '13:33:20  ✗ connection.active           con_FDE_123             → 500  12 ms',
    '          │ boom\\x1b[2J at server.js',
  ])
  const dead = {
    ...forward,
    status: undefined,
    failure: 'unreachable' as const,
    error: 'nothing listens there',
  }
  expect(linesIn(80)(settled({}, dead, 502))[1]).toBe('          │ nothing listens there')
  expect(linesIn(80)(settled({}, { ...forward, body: Buffer.from('fine') }))).toHaveLength(1)
})

test('an event that comes again has its attempts counted', () => {
  const lines = linesIn(100)
  expect(lines(settled())[0]).not.toContain('attempt')
  expect(lines(settled({ id: 2, duplicate: true }))[0]).toMatch(/ ↻ .* attempt 2$/)
  expect(lines(settled({ id: 3, duplicate: true }))[0]).toMatch(/attempt 3$/)
  expect(lines(settled({ id: 4, eventId: 'evt_2', duplicate: true }))[0]).toMatch(/ ↻ .* duplicate$/)
})

test('what was accepted before and is not forwarded again says so', () => {
  const lines = linesIn(80)
  const repeat = { ...delivery, duplicate: true }
  expect(lines({ kind: 'duplicate', at, delivery: repeat, dropped: true })).toEqual([])
  expect(lines({ ...settled({ duplicate: true }), forward: undefined } as ListenerEvent)[0]).toMatch(
    /↻ .*accepted before$/,
  )
  // Another listener is forwarding it, which the refusal before said.
  expect(
    lines({ ...settled({ duplicate: true }, forward, 503), forward: undefined } as ListenerEvent),
  ).toEqual([])
})

test('a target that does not answer is told while there is time left', () => {
  const url = 'http://localhost:3000/hooks'
  expect(linesIn(80)({ kind: 'waiting', at, delivery, url, waitedMs: 5000, timeoutMs: 30_000 })).toEqual([
    '13:33:20  … connection.active           con_FDE_123             → …',
    '          │ no answer for 5 s, 25 s are left (--forward-timeout): http://localh…',
  ])
})

test('the ready line is broken between its parts, where it does not fit', () => {
  const ready: ListenerEvent = {
    kind: 'ready',
    at,
    url: 'http://127.0.0.1:4020/',
    environment: 'local',
    subscription: 'whk_1',
    targets: ['http://localhost:3000/'],
  }
  expect(linesIn(80)(ready)).toEqual([
    'Ready: http://127.0.0.1:4020/ → http://localhost:3000/ (local, whk_1)',
  ])
  expect(linesIn(60)(ready)).toEqual([
    'Ready: http://127.0.0.1:4020/',
    '       → http://localhost:3000/',
    '       (local, whk_1)',
  ])
})

test.each<[ListenerEvent, string[]]>([
  [
    { kind: 'refused', at, status: 404, method: 'POST', path: '/x', why: 'deliveries come at /hooks' },
    ['13:33:20  ✗ POST /x  404: deliveries', '            come at /hooks'],
  ],
  [
    { kind: 'refused', at, status: 400, method: '', path: '', why: 'no HTTP' },
    ['13:33:20  ✗ (request)  400: no HTTP'],
  ],
  [{ kind: 'target-up', at, url: 'http://x' }, ['13:33:20  ✓ http://x is up again']],
  [
    { kind: 'target-down', at, url: 'http://x', error: 'gone' },
    ['13:33:20  ✗ http://x cannot be reached:', '            gone'],
  ],
  [{ kind: 'error', at, error: new Error('full'), fatal: false }, ['13:33:20  ✗ Error: full']],
  [
    { kind: 'error', at, error: new Error('x'.repeat(40)), fatal: true },
    [
      '13:33:20  ✗ The listener lost its',
      '            socket:',
      `            ${'x'.repeat(28)}`,
      `            ${'x'.repeat(12)}`,
    ],
  ],
  [{ kind: 'closed', at, forced: false }, ['Closed.']],
])('%j is told in lines of at most 40 columns', (event, expected) => {
  const lines = linesIn(40)(event)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(41)
  expect(lines.map((line) => line.trimEnd())).toEqual(expected)
})

test('the list of the inbox has the same lines, below the day, after the number of each', () => {
  const summary: DeliverySummary = {
    id: 12,
    received_at: new Date(at).toISOString(),
    environment: 'local',
    subscription_id: null,
    event_id: 'evt_1',
    type: 'connection.active',
    livemode: false,
    verified: true,
    reason: null,
    detail: null,
    duplicate: false,
    replay_of: null,
    forward: { url: 'http://x', status: 200, duration_ms: 12, error: null },
    forward_to: 'http://x',
  }
  const out = createView({ width: 84, paint: plainPaint, tty: true, utc: true, now: () => at })
  const subjects = new Map([[12, 'con_FDE_123']])
  const yesterday = { ...summary, id: 7, received_at: new Date(at - 86_400_000).toISOString() }
  const all = [summary, { ...yesterday, forward: null }, { ...yesterday, id: 6, replay_of: 5 }]
  expect(deliveryLines(all, subjects, out)).toBe(
    [
      '2026-09-21 UTC  local',
      '12  13:33:20  ✓ connection.active           con_FDE_123             → 200  12 ms',
      '2026-09-20 UTC  local',
      ' 7  13:33:20  … connection.active                                   → interrupted',
      ' 6  13:33:20  ↻ connection.active                                   → 200  replay',
      '',
    ].join('\n'),
  )
  const elsewhere = deliveryLines([summary, { ...summary, id: 11, environment: 'sandbox' }], subjects, out)
  expect(elsewhere).toMatch(/^2026-09-21 UTC\n.* local\n.* sandbox\n$/)
})
