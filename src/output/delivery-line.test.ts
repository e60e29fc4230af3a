import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  belowDelivery,
  type DeliveryFacts,
  deliveryLine,
  formatElapsed,
  type Piece,
} from './delivery-line.ts'
import { displayWidth } from './width.ts'

const lead = '10:19:33'
const accepted: DeliveryFacts = {
  type: 'connection.disconnected',
  subject: 'con_AGGREGATOR_A_10017',
  eventId: '7a547c2d-a5c5-4f68-8161-af0a91915676',
  verified: true,
  forward: { status: 200, durationMs: 45 },
}
const refused: DeliveryFacts = {
  ...accepted,
  verified: false,
  forward: 'none',
  reason: 'signature_mismatch',
  detail: 'No secret known on this machine gives this signature.',
}
const again: DeliveryFacts = { ...accepted, repeated: true, notes: ['attempt 2'] }

const textOf = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('')
const shown = (facts: DeliveryFacts, width: number) => textOf(deliveryLine(facts, lead, width))

describe('the line of a delivery', () => {
  it('says everything where there is room', () => {
    expect(shown(again, 200)).toBe(
      '10:19:33  ↻ connection.disconnected     con_AGGREGATOR_A_10017      → 200  45 ms  attempt 2  7a547c2d-a5c5-4f68-8161-af0a91915676',
    )
    expect(shown(refused, 200)).toBe(
      '10:19:33  ✗ connection.disconnected     not verified: No secret known on this machine gives this signature.',
    )
  })

  it('of 80 columns has the ids of the API whole', () => {
    expect(shown(accepted, 80)).toBe(
      '10:19:33  ✓ connection.disconnected     con_AGGREGATOR_A_10017  → 200  45 ms',
    )
    expect(shown(again, 80)).toBe(
      '10:19:33  ↻ connection.disconnected     con_AGGREGATOR_A_10017  → 200  attempt 2',
    )
    expect(shown(refused, 80)).toBe(
      '10:19:33  ✗ connection.disconnected     not verified: signature mismatch',
    )
  })

  it('loses what says least first, and its verdict last', () => {
    expect([60, 50, 40, 24].map((width) => shown(accepted, width))).toEqual([
      '10:19:33  ✓ connection.disconnected     con_AGGR…0017  → 200',
      '10:19:33  ✓ connection.dis…nected  con_A…17  → 200',
      '10:19:33  ✓ connection.dis…nected  → 200',
      '10:19:33  ✓ con…d  → 200',
    ])
    expect([60, 40].map((width) => shown(refused, width))).toEqual([
      '10:19:33  ✗ connection.disconnected     signature mismatch',
      '10:19:33  ✗ connecti…ted  signature mis…',
    ])
  })

  it.each([60, 80, 120, 200])('has its arrow where the other lines of %i columns have it', (width) => {
    const lines = [
      accepted,
      again,
      { ...accepted, type: 'connection.capability_changed', forward: { status: 500, durationMs: 12_345 } },
      { ...accepted, type: 'webhook.test', subject: undefined },
      { ...accepted, forward: 'pending' },
    ] as const
    const places = lines.map((facts) => shown(facts, width).indexOf('→'))
    expect(new Set(places).size).toBe(1)
  })

  it('is never wider than the terminal, holds no control character, and keeps the mark', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constant('con_AGGREGATOR_A_10017'))
    const optional = fc.option(text, { nil: undefined })
    const forward = fc.oneof(
      fc.constantFrom('none', 'pending', 'dropped', 'interrupted'),
      fc.record({
        status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
        durationMs: fc.nat(),
      }),
    )
    const facts: fc.Arbitrary<DeliveryFacts> = fc.record({
      type: optional,
      subject: optional,
      eventId: optional,
      verified: fc.boolean(),
      reason: optional,
      detail: optional,
      forward: forward as fc.Arbitrary<DeliveryFacts['forward']>,
      repeated: fc.boolean(),
      notes: fc.array(text, { maxLength: 2 }),
    })
    fc.assert(
      fc.property(facts, fc.integer({ min: 12, max: 220 }), (delivery, width) => {
        const line = deliveryLine(delivery, lead, width)
        const below = belowDelivery({ ...delivery, said: delivery.detail }, line, lead, Math.max(width, 20))
        expect(displayWidth(textOf(line))).toBeLessThanOrEqual(width)
        for (const each of below) expect(displayWidth(textOf(each))).toBeLessThanOrEqual(Math.max(width, 20))
        expect([line, ...below].map(textOf).join('')).not.toMatch(/[\p{Cc}]/u)
        expect(textOf(line)[10]).toMatch(/[✓✗↻…]/)
      }),
    )
  })
})

test.each<[string, Partial<DeliveryFacts>, string, Piece['tone']]>([
  ['accepted', {}, '✓', 'good'],
  ['of a target that failed', { forward: { status: 500, durationMs: 1 } }, '✗', 'bad'],
  ['of a target that redirects', { forward: { status: 300, durationMs: 1 } }, '✗', 'bad'],
  ['without an answer', { forward: { status: undefined, durationMs: 1 } }, '✗', 'bad'],
  ['refused', { verified: false, forward: 'none' }, '✗', 'bad'],
  ['refused, and forwarded all the same', { verified: false }, '✗', 'bad'],
  ['a repeat', { repeated: true }, '↻', 'warn'],
  ['a repeat that failed again', { repeated: true, forward: { status: 500, durationMs: 1 } }, '✗', 'bad'],
  ['under way', { forward: 'pending' }, '…', 'warn'],
  ['interrupted', { forward: 'interrupted' }, '…', 'warn'],
  ['without a target', { forward: 'none' }, '✓', 'good'],
])('the mark of a delivery %s', (_name, facts, mark, tone) => {
  expect(deliveryLine({ ...accepted, ...facts }, lead, 80)[1]).toEqual({ text: mark, tone })
})

test.each<[Partial<DeliveryFacts>, string]>([
  [{ forward: { status: undefined, durationMs: 1 } }, '→ no answer'],
  [{ forward: 'interrupted' }, '→ interrupted'],
  [{ forward: 'dropped' }, 'accepted before'],
  [{ forward: 'none' }, 'verified'],
  [{ verified: false, reason: 'bad_timestamp' }, 'not verified: bad timestamp'],
])('%j is said in words', (facts, words) => {
  expect(shown({ ...accepted, ...facts, eventId: undefined }, 120)).toContain(words)
})

describe('below the line', () => {
  const below = (facts: DeliveryFacts & { said?: string }, width: number) =>
    belowDelivery(facts, deliveryLine(facts, lead, width), lead, width).map(textOf)

  it('stands what the target said, in one line', () => {
    expect(below({ ...accepted, said: 'TypeError: boom\n    at handler\t(server.js:3)' }, 80)).toEqual([
      '          │ TypeError: boom at handler (server.js:3)',
    ])
    expect(below({ ...accepted, said: 'x'.repeat(99) }, 40)).toEqual([`          │ ${'x'.repeat(27)}…`])
    expect(below({ ...accepted, said: ' \n' }, 80)).toEqual([])
  })

  it('stands the whole reason of a refusal, unless the line had room for it', () => {
    expect(below(refused, 80)).toEqual(['          │ No secret known on this machine gives this signature.'])
    expect(below(refused, 50)).toEqual([
      '          │ No secret known on this machine gives',
      '          │ this signature.',
    ])
    expect(below(refused, 120)).toEqual([])
  })
})

test.each([
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [999.5, '1.0 s'],
  [9_949, '9.9 s'],
  [70_400, '70 s'],
  [999_499, '999 s'],
  [999_500, '17 m'],
  [81_910_014, '23 h'],
])('%d ms are told as %s', (ms, text) => {
  expect(formatElapsed(ms)).toBe(text)
})
