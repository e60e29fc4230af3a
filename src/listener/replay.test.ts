import { expect, test } from 'vitest'
import { sampleDelivery } from '../../test/support/sample-delivery.ts'
import type { Delivery, HeaderPair, NewDelivery } from '../inbox/delivery-rows.ts'
import { verifyWebhook } from '../signing/webhook.ts'
import type { ForwardOutcome } from './events.ts'
import type { ForwardRequest } from './forward.ts'
import { replay } from './replay.ts'

const now = 1_790_000_000_500

const recorded: Delivery = {
  ...sampleDelivery('evt_1', { verified: false, reason: 'timestamp_too_old', detail: 'old' }),
  id: 7,
  duplicate: false,
  forwards: [],
  headers: [
    ['X-LS-Webhook-Event-Id', 'evt_1'],
    ['X-LS-Webhook-Timestamp', '1'],
    ['X-LS-Webhook-Signature', 'old'],
    ['x-ls-webhook-signature-prev', 'older'],
    ['X-Other', 'kept'],
    ['Authorization', '[not kept]'],
  ],
}

async function replayed(resignWith?: string) {
  const stored: NewDelivery[] = []
  const outcomes: [number, ForwardOutcome][] = []
  const sent: ForwardRequest[] = []
  const outcome = { status: 200 } as ForwardOutcome
  const result = await replay(recorded, {
    inbox: {
      deliveries: {
        record: (delivery: NewDelivery) => ({ id: 8, duplicate: stored.push(delivery) > 1 }),
        recordForward: (id: number, one: ForwardOutcome) => outcomes.push([id, one]),
      } as never,
    },
    forwarder: {
      forward: async (request: ForwardRequest) => {
        sent.push(request)
        return outcome
      },
    } as never,
    url: 'http://x/',
    resignWith,
    clock: { now: () => now },
  })
  expect(result).toBe(outcome)
  expect(outcomes).toEqual([[8, outcome]])
  return { stored: stored[0], sent: sent[0] }
}

test('a delivery is sent again as it was received, without the credentials that were not kept', async () => {
  const { stored, sent } = await replayed()
  const headers = recorded.headers.slice(0, 5)
  expect(sent).toEqual({ url: 'http://x/', method: 'POST', headers, body: recorded.body })
  expect(stored).toMatchObject({
    receivedAt: now,
    forwardTo: 'http://x/',
    replayOf: 7,
    verified: false,
    reason: 'timestamp_too_old',
    headers,
  })
})

test('signed again it verifies now, and the signature of the previous secret is left out', async () => {
  const { stored, sent } = await replayed('whsec_1')
  const headers = (sent?.headers ?? []) as HeaderPair[]
  expect(headers.map(([name]) => name.toLowerCase())).not.toContain('x-ls-webhook-signature-prev')
  expect(headers).toContainEqual(['X-Other', 'kept'])
  const verdict = await verifyWebhook({
    secrets: ['whsec_1'],
    headers: Object.fromEntries(headers),
    body: recorded.body,
    now: now / 1000,
  })
  expect(verdict).toMatchObject({ verified: true, timestamp: 1_790_000_000 })
  expect(stored).toMatchObject({ verified: true, reason: undefined, detail: undefined, replayOf: 7, headers })
})
