import { expect, test } from 'vitest'
import { verifyWebhook } from '../signing/webhook.ts'
import { headerPairs, passedOn, signedHeaders, withExtra } from './delivery-headers.ts'

test('names and values in turn become pairs; a name without a value is left out', () => {
  expect(headerPairs(['A', '1', 'b', '2'])).toEqual([
    ['A', '1'],
    ['b', '2'],
  ])
  expect(headerPairs(['A', '1', 'b'])).toEqual([['A', '1']])
  expect(headerPairs([])).toEqual([])
})

test.each([
  ...['Connection', 'Keep-Alive', 'Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection', 'TE'],
  ...['Trailer', 'Transfer-Encoding', 'Upgrade', 'Host', 'Content-Length', 'Expect'],
])('%s is of one connection only, and is not passed on', (name) => {
  const kept = ['X-LS-Webhook-Signature', 's'] as const
  expect(passedOn([[name, 'x'], kept, [name.toLowerCase(), 'y']])).toEqual([kept])
})

test('what Connection names is not passed on either; the rest stays in its spelling and order', () => {
  const headers = [
    ['B', '1'],
    ['connection', 'close, X-Hop'],
    ['x-hop', '2'],
    ['Connection', ' x-other '],
    ['X-Other', '3'],
    ['a', 'b'],
    ['B', '5'],
  ] as const
  expect(passedOn(headers)).toEqual([
    ['B', '1'],
    ['a', 'b'],
    ['B', '5'],
  ])
})

test("the user's own headers replace all of the same name, in any spelling", () => {
  const headers = [
    ['A', '1'],
    ['B', '2'],
    ['a', '3'],
  ] as const
  expect(withExtra(headers, [['a', 'mine']])).toEqual([
    ['B', '2'],
    ['a', 'mine'],
  ])
  expect(withExtra(headers, [])).toEqual(headers)
})

test('a delivery is signed for a whole second, as the service does, and verifies', async () => {
  const body = Buffer.from('{}')
  const signed = { secret: 'whsec_1', at: 1_790_000_000.9, eventId: 'evt_1', type: 'webhook.test', body }
  const headers = await signedHeaders(signed)
  expect(headers.slice(0, 3)).toEqual([
    ['X-LS-Webhook-Event-Id', 'evt_1'],
    ['X-LS-Webhook-Event-Type', 'webhook.test'],
    ['X-LS-Webhook-Timestamp', '1790000000'],
  ])
  const verdict = await verifyWebhook({
    secrets: ['whsec_1'],
    headers: Object.fromEntries(headers),
    body,
    now: signed.at,
  })
  expect(verdict).toMatchObject({ verified: true })
})

test.each([undefined, '', 'a\nb', 'ü', 'a\u{7f}'])(
  'an id %j, which no header can hold, is left out',
  async (eventId) => {
    const headers = await signedHeaders({ secret: 's', at: 1, eventId, type: ' ~', body: new Uint8Array() })
    expect(headers.map(([name]) => name)).toEqual([
      'X-LS-Webhook-Event-Type',
      'X-LS-Webhook-Timestamp',
      'X-LS-Webhook-Signature',
    ])
  },
)
