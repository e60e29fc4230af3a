import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import { isUnsafe, safeText } from '../../output/safe-text.ts'
import { textOfDelivery } from './detail-lines.ts'
import { factsOfReceived, factsOfStored } from './facts.ts'

const hostile = '\u001b[2J\u001b]52;c;aGk=\u0007\u202eevil\r\n'
const now = Date.UTC(2026, 4, 22)

function stored(change: Partial<Delivery> = {}): Delivery {
  return {
    id: 1,
    receivedAt: now,
    environment: 'local',
    method: 'POST',
    path: `/${hostile}`,
    headers: [['X-Hostile', hostile]],
    body: Buffer.from(
      JSON.stringify({
        event_id: hostile,
        type: hostile,
        data: { connection: { id: hostile, client_id: hostile, last_error: { doc_url: hostile } } },
      }),
    ),
    eventId: hostile,
    type: hostile,
    livemode: false,
    shape: 'unknown_type',
    verified: false,
    reason: hostile,
    detail: hostile,
    duplicate: false,
    forwards: [
      {
        url: hostile,
        status: 500,
        durationMs: 1,
        headers: [[hostile, hostile]],
        body: Buffer.from(hostile),
        error: hostile,
      },
    ],
    ...change,
  }
}

/** Every text in a value, however deep. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(texts)
}

describe('text from outside', () => {
  test('is safe in the facts of what is stored', () => {
    const found = texts(factsOfStored(stored(), safeText, now))
    expect(found.length).toBeGreaterThan(6)
    expect(found.filter(isUnsafe)).toEqual([])
  })

  test('is safe in the facts of what the listener receives', () => {
    const { id, receivedAt, livemode, shape, verified, duplicate } = stored()
    const received = {
      id,
      receivedAt,
      livemode,
      shape,
      verified,
      duplicate,
      filtered: false,
      detail: hostile,
    }
    const delivery = {
      ...received,
      eventId: hostile,
      type: hostile,
      subject: hostile,
      reason: hostile,
      event: { data: { connection: { id: hostile, last_error: { doc_url: hostile } } } },
    }
    const forward = {
      url: hostile,
      method: 'POST',
      status: 500,
      durationMs: 1,
      headers: [],
      body: Buffer.from(hostile),
      error: hostile,
      failure: undefined,
    }
    const found = texts(factsOfReceived(delivery, safeText, { forward }))
    // Event id, type, subject, mention, reason, address of the docs, and of the forward its address and error.
    expect(found.filter((text) => text.includes('evil'))).toHaveLength(8)
    expect(found.filter(isUnsafe)).toEqual([])
  })

  test('is safe in the lines of the detail', () => {
    const lines = linesOf(stored())
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter(isUnsafe)).toEqual([])
  })

  test('is short in a row, however long it came', () => {
    const long = 'x'.repeat(1_000_000)
    const facts = factsOfStored(stored({ type: long, eventId: long, reason: long }), safeText, now)
    for (const text of texts(facts)) expect(text.length).toBeLessThan(1000)
    const lines = linesOf(stored({ body: Buffer.from(long), detail: long }))
    expect(lines.join('').length).toBeLessThan(100_000)
  })
})

/** Every text of the detail. */
function linesOf(delivery: Delivery): string[] {
  const { notes, tabs } = textOfDelivery(delivery, [delivery], safeText)
  const lines = [...notes, ...tabs.flatMap((tab) => tab.lines)]
  return lines.map((line) => line.map(({ text }) => text).join(''))
}

describe('a forward of another listener', () => {
  const meant = { forwardTo: 'http://localhost:3000/', forwards: [], verified: true }

  test('is under way while nothing is noted', () => {
    expect(factsOfStored(stored(meant), safeText, now + 30_000)).toMatchObject({
      settled: false,
      forward: undefined,
    })
  })

  test('was interrupted when nothing is noted after a minute', () => {
    const facts = factsOfStored(stored(meant), safeText, now + 61_000)
    expect(facts).toMatchObject({ settled: true, forward: { status: undefined, error: 'interrupted' } })
  })

  test('of a duplicate that was left out on purpose has no target', () => {
    const facts = factsOfStored(
      stored({ ...meant, forwardTo: undefined, duplicate: true }),
      safeText,
      now + 61_000,
    )
    expect(facts).toMatchObject({ settled: true, forward: undefined })
  })
})
