import { expect, test } from 'vitest'
import { sampleDelivery } from '../../test/support/sample-delivery.ts'
import { cutToExplain } from './not-verified.ts'

const cut = (over: Parameters<typeof sampleDelivery>[1]) =>
  cutToExplain(sampleDelivery('evt_1', { verified: false, ...over }))

test('a delivery that names neither event nor type, and is not explained yet, is kept as it is', () => {
  const plain = sampleDelivery('evt_1', {
    verified: false,
    eventId: undefined,
    type: undefined,
    detail: undefined,
  })
  expect(cutToExplain(plain)).toEqual(plain)
})

test('of what a sender may choose the beginning is kept', () => {
  const long = 'x'.repeat(10_000)
  const kept = cut({ eventId: long, type: long, path: long, detail: long, body: Buffer.from(long) })
  expect([kept.eventId, kept.type, kept.path, kept.detail].map((text) => text?.length)).toEqual([
    200, 200, 1024, 1000,
  ])
  expect(kept.body).toHaveLength(8192)
})

test('headers are kept as long as they fit into 6 KiB, names and values together', () => {
  const first = ['A', 'x'.repeat(6143)] as const
  expect(cut({ headers: [first] }).headers).toEqual([first])
  expect(cut({ headers: [first, ['', 'y']] }).headers).toEqual([first])
  expect(cut({ headers: [['AB', 'x'.repeat(6143)]] }).headers).toEqual([])
})
