import { describe, expect, test } from 'vitest'
import { testInbox } from '../../test/support/test-inbox.ts'
import { type NewDelivery, withoutCredentials, withValues } from './delivery-rows.ts'
import { deliveryOf, watchDeliveries } from './watch-deliveries.ts'

const { now, open, delivery } = testInbox()

const ids = (found: { eventId?: string | undefined }[]) => found.map(({ eventId }) => eventId)

describe('a stored delivery', () => {
  test.each<[string, Partial<NewDelivery>]>([
    ['live', { livemode: true }],
    ['not live', { livemode: false }],
    ['of unknown mode', { livemode: undefined }],
    [
      'with everything',
      { subscription: 'whk_1', reason: 'r', detail: 'd', forwardTo: 'http://x/', replayOf: 7 },
    ],
    ['of an unknown type', { shape: 'unknown_type', type: 'x.y' }],
    ['refused', { verified: false, reason: 'signature_mismatch', detail: 'No.' }],
    ['without an envelope', { shape: 'no_envelope', type: undefined, livemode: undefined }],
  ])('is read back as it was recorded: %s', async (_, changes) => {
    const { deliveries } = open()
    const recorded = delivery('evt_1', changes)
    const { id } = await deliveries.record(recorded)
    const [read] = await deliveries.list()
    const absent = {
      subscription: undefined,
      reason: undefined,
      detail: undefined,
      forwardTo: undefined,
      replayOf: undefined,
      bodyBytes: undefined,
    }
    expect(read).toEqual({
      ...absent,
      ...recorded,
      body: new Uint8Array(recorded.body),
      id,
      duplicate: false,
      forwards: [],
    })
  })

  test('without the id of an event is no repeat of another one', async () => {
    const { deliveries } = open()
    for (const _ of ['first', 'second']) {
      const { duplicate } = await deliveries.record(delivery('x', { eventId: undefined }))
      expect(duplicate).toBe(false)
    }
    expect(ids(await deliveries.list())).toEqual([undefined, undefined])
  })

  test('has its forwards, oldest first, also those without an answer', async () => {
    const { deliveries } = open()
    const { id } = await deliveries.record(delivery('evt_1'))
    const answer = { status: 503, headers: [['Retry-After', '1']], body: new Uint8Array(20_000) } as const
    await deliveries.recordForward(id, { url: 'http://x/', durationMs: 3, error: 'nothing listens there' })
    await deliveries.recordForward(id, { url: 'http://y/', durationMs: 4, ...answer })
    const [read] = await deliveries.get('evt_1')
    expect(read?.forwards).toMatchObject([
      { url: 'http://x/', status: undefined, durationMs: 3, headers: [], error: 'nothing listens there' },
      { url: 'http://y/', status: 503, durationMs: 4, headers: [['Retry-After', '1']], error: undefined },
    ])
    // Of an answer 16 KiB are kept.
    expect(read?.forwards.map(({ body }) => body.byteLength)).toEqual([0, 16_384])
    await deliveries.recordForward(999, { url: 'http://x/', durationMs: 1 })
    expect(await deliveries.list()).toHaveLength(1)
  })

  test('that did not verify is cut to what explains it, and says so', async () => {
    const { deliveries } = open()
    const long = 'x'.repeat(2000)
    const header = ['X-A', 'y'.repeat(3000)] as const
    const changes = {
      verified: false,
      body: new Uint8Array(8193),
      path: `/${long}`,
      type: long,
      headers: [header, header, header, ['B', 'c']],
    } satisfies Partial<NewDelivery>
    await deliveries.record(delivery(long, { ...changes, detail: `${long}.` }))
    await deliveries.record(delivery('evt_2', changes))
    await deliveries.record(
      delivery('evt_3', { verified: false, body: new Uint8Array(8192), detail: 'Whole.' }),
    )
    const [first, second, third] = await deliveries.list()
    const kept = 'The first 8192 of its 8193 bytes are kept.'
    expect(first).toMatchObject({ bodyBytes: 8193, detail: `${'x'.repeat(1000)} ${kept}` })
    expect(first?.body).toHaveLength(8192)
    expect([first?.path.length, first?.type?.length, first?.eventId?.length]).toEqual([1024, 200, 200])
    expect(first?.headers).toEqual([header, header])
    expect(second).toMatchObject({ detail: kept })
    expect(third).toMatchObject({ bodyBytes: undefined, detail: 'Whole.' })
    const all = { body: new Uint8Array(9000), path: changes.path, type: long, headers: changes.headers }
    await deliveries.record(delivery('evt_4', all))
    expect((await deliveries.get('evt_4'))[0]).toMatchObject({ ...all, bodyBytes: undefined })
  })

  test('is explained afterwards: reason and detail are replaced, the detail up to its limit', async () => {
    const { deliveries } = open()
    const { id } = await deliveries.record(delivery('evt_1', { verified: false, reason: 'a', detail: 'b' }))
    const other = await deliveries.record(delivery('evt_2', { verified: false, reason: 'a', detail: 'b' }))
    await deliveries.explain(id, 'other_secret', 'z'.repeat(1001))
    expect((await deliveries.list())[0]).toMatchObject({ reason: 'other_secret', detail: 'z'.repeat(1000) })
    await deliveries.explain(id, undefined, 'Unknown.')
    expect(await deliveries.list()).toMatchObject([
      { reason: undefined, detail: 'Unknown.' },
      { id: other.id, reason: 'a', detail: 'b' },
    ])
  })
})

describe('a filter', () => {
  test('leaves out repeats, what is older, other environments, and what did or did not verify', async () => {
    const { deliveries } = open()
    await deliveries.record(delivery('evt_1', { receivedAt: now - 1 }))
    await deliveries.record(delivery('evt_1'))
    await deliveries.record(delivery('evt_2', { verified: false }))
    await deliveries.record(delivery('evt_3', { environment: 'live', type: 'connection' }))
    const listed = async (filter: Parameters<typeof deliveries.list>[0]) => ids(await deliveries.list(filter))
    expect(await listed({})).toEqual(['evt_1', 'evt_1', 'evt_2', 'evt_3'])
    expect(await listed({ duplicates: false })).toEqual(['evt_1', 'evt_2', 'evt_3'])
    expect(await listed({ duplicates: true })).toHaveLength(4)
    expect(await listed({ since: now })).toEqual(['evt_1', 'evt_2', 'evt_3'])
    expect(await listed({ since: now + 1 })).toEqual([])
    expect(await listed({ verified: true })).toEqual(['evt_1', 'evt_1', 'evt_3'])
    expect(await listed({ verified: false })).toEqual(['evt_2'])
    expect(await listed({ environment: 'live' })).toEqual(['evt_3'])
    expect(await listed({ type: 'connection' })).toEqual(['evt_3'])
    expect(await listed({ type: 'connection*' })).toHaveLength(4)
    expect(await listed({ type: 'client.*' })).toEqual([])
    expect(await listed({ type: 'connection.*', environment: 'sandbox', limit: 1 })).toEqual(['evt_2'])
  })

  test('counts a delivery as failed only while no target has accepted its event, nor an equal one', async () => {
    const { deliveries } = open()
    const forwarded = async (eventId: string, status: number, changes: Partial<NewDelivery> = {}) => {
      const { id } = await deliveries.record(delivery(eventId, { forwardTo: 'http://x/', ...changes }))
      await deliveries.recordForward(id, { url: 'http://x/', status, durationMs: 1 })
    }
    await forwarded('evt_1', 299)
    await forwarded('evt_2', 300)
    await forwarded('evt_3', 199)
    await forwarded('evt_4', 500)
    await forwarded('evt_4', 200, { environment: 'live' })
    await forwarded('evt_5', 500)
    await forwarded('evt_5', 200)
    await deliveries.record(delivery('evt_6', { forwardTo: 'http://x/' }))
    await deliveries.record(delivery('evt_7'))
    expect(ids(await deliveries.list({ failed: true }))).toEqual(['evt_2', 'evt_3', 'evt_4', 'evt_6'])
  })
})

describe('a watch', () => {
  const watched = async (options: Omit<Parameters<typeof watchDeliveries>[1], 'signal'>, wanted: number) => {
    const { deliveries } = open()
    const stop = new AbortController()
    const seen: (string | undefined)[] = []
    for await (const { eventId } of watchDeliveries(deliveries, { signal: stop.signal, ...options })) {
      seen.push(eventId)
      if (seen.length === wanted) stop.abort()
    }
    return seen
  }

  test('starts after the given delivery, reads on past a hundred, and ends within what it has read', async () => {
    const { deliveries } = open()
    for (let at = 1; at <= 120; at++) await deliveries.record(delivery(`evt_${at}`))
    expect(await deliveries.lastId()).toBe(120)
    expect(ids(await deliveries.after(118))).toEqual(['evt_119', 'evt_120'])
    expect(await deliveries.after(0)).toHaveLength(100)
    expect(ids(await deliveries.after(0, 2))).toEqual(['evt_1', 'evt_2'])
    expect(await watched({ after: 117 }, 2)).toEqual(['evt_118', 'evt_119'])
    // It waits only when there is nothing to read.
    expect((await watched({ after: 0, intervalMs: 60_000 }, 120)).at(-1)).toBe('evt_120')
  })

  test('that is ended while it waits ends at once, and one that was ended before reads nothing', async () => {
    const { deliveries } = open()
    await deliveries.record(delivery('evt_1'))
    const stop = new AbortController()
    const watch = watchDeliveries(deliveries, { signal: stop.signal, intervalMs: 60_000 })
    const next = watch.next()
    await new Promise(setImmediate)
    stop.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    const late = watchDeliveries(deliveries, { signal: stop.signal, after: 0 })
    expect(await late.next()).toEqual({ done: true, value: undefined })
  })

  test('a delivery is found by its number, not another one in its place', async () => {
    const inbox = open()
    const { id } = await inbox.deliveries.record(delivery('evt_1'))
    expect(await deliveryOf(inbox, id)).toMatchObject({ id, eventId: 'evt_1' })
    expect(await deliveryOf(inbox, id - 1)).toBeUndefined()
    expect(await deliveryOf(inbox, id + 1)).toBeUndefined()
  })

  test('an empty inbox has 0 as its last id', async () => {
    expect(await open().deliveries.lastId()).toBe(0)
  })
})

test.each([
  'Proxy-Authorization',
  'WWW-Authenticate',
  'X-CSRF-Token',
  'client_secret',
  'X-Password',
  'apikey',
  'Session-Id',
])('the value of %s is not kept, nor repeated when the delivery is sent again', (name) => {
  const kept = withoutCredentials([
    [name, 'v'],
    ['X-LS-Webhook-Signature', 's'],
  ])
  expect(kept).toEqual([
    [name, '[not kept]'],
    ['X-LS-Webhook-Signature', 's'],
  ])
  expect(withValues(kept)).toEqual([['X-LS-Webhook-Signature', 's']])
})
