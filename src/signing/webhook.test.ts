import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headers as contractHeaders } from '../contract/service.ts'
import { signWebhook, verifyWebhook } from './webhook.ts'
import { readSignatureHeaders, webhookHeaderNames } from './webhook-headers.ts'

const secret = 'whsec_current'
const old = 'whsec_old'
const now = 1_790_000_000
const timestamp = String(now)
const body = new TextEncoder().encode('{"event_id":"evt_1"}')

const sign = (over: { secret?: string; timestamp?: string; body?: Uint8Array } = {}) =>
  signWebhook({ secret, timestamp, body, ...over })

test('the header names are those of the contract', () => {
  expect(Object.values(webhookHeaderNames)).toEqual([
    contractHeaders.webhookTimestamp,
    contractHeaders.webhookSignature,
    contractHeaders.webhookSignaturePrev,
  ])
})

test('headers are read from fetch Headers and from node records, under any spelling', async () => {
  const signature = await sign()
  const record = { 'X-LS-Webhook-Timestamp': timestamp, 'x-ls-webhook-signature': [signature] }
  const both = [
    new Headers({ 'x-ls-webhook-timestamp': timestamp, 'X-Ls-Webhook-Signature': signature }),
    record,
  ]
  for (const headers of both) {
    expect(await verifyWebhook({ secrets: [secret], headers, body, now })).toEqual({
      verified: true,
      timestamp: now,
      ageSeconds: 0,
      header: 'signature',
      secretIndex: 0,
    })
  }
})

test('a signature header sent twice is no signature', async () => {
  const signature = await sign()
  const headers = { 'x-ls-webhook-timestamp': timestamp, 'x-ls-webhook-signature': [signature, signature] }
  expect(await verifyWebhook({ secrets: [secret], headers, body, now })).toMatchObject({
    reason: 'signature_mismatch',
  })
})

test('values of one header under several spellings are joined, as fetch does; one that is undefined is missing', () => {
  const headers = {
    'X-LS-Webhook-Signature': 'a',
    'x-ls-webhook-signature': ['b', 'c'],
    'x-ls-webhook-timestamp': undefined,
  }
  expect(readSignatureHeaders(headers)).toEqual({
    timestamp: undefined,
    signature: 'a, b, c',
    signaturePrev: undefined,
  })
})

test('another implementation is asked about real secrets and signatures only', async () => {
  const asked: [string, string][] = []
  const matches = (key: string, signature: string) => asked.push([key, signature]) > 1
  const secrets = ['', old, '', secret]
  const delivery = { secrets, timestamp, signature: undefined, signaturePrev: 'x', body, now, matches }
  expect(await verifyWebhook(delivery)).toMatchObject({ header: 'signaturePrev', secretIndex: 3 })
  expect(asked).toEqual([
    [old, 'x'],
    [secret, 'x'],
  ])
})

test('during rotation either header may match either secret', async () => {
  const signature = await sign()
  const signaturePrev = await sign({ secret: old })
  const cases = [
    [[secret], 'signature', 0],
    [[old], 'signaturePrev', 0],
    [[old, secret], 'signature', 1],
  ] as const
  for (const [secrets, header, secretIndex] of cases) {
    const verdict = await verifyWebhook({ secrets, timestamp, signature, signaturePrev, body, now })
    expect(verdict).toMatchObject({ verified: true, header, secretIndex })
  }
  expect(await verifyWebhook({ secrets: [old], timestamp, signaturePrev, body, now })).toMatchObject({
    verified: true,
  })
})

test('a missing header is named', async () => {
  const signature = await sign()
  const verify = (headers: { timestamp?: string; signature?: string }) =>
    verifyWebhook({ secrets: [secret], ...headers, body, now })
  expect(await verify({ signature })).toMatchObject({
    reason: 'missing_header',
    detail: expect.stringContaining('X-LS-Webhook-Timestamp '),
  })
  expect(await verify({ timestamp })).toMatchObject({
    reason: 'missing_header',
    detail: expect.stringContaining('X-LS-Webhook-Signature '),
  })
})

test.each(['', ' ', '1e9', '-1', '1.5', '0x1', '1790000000 ', '١٧٩', '9'.repeat(400), 'soon'])(
  'the timestamp %j is refused, though signed',
  async (bad) => {
    const signature = await sign({ timestamp: bad })
    expect(await verifyWebhook({ secrets: [secret], timestamp: bad, signature, body, now })).toMatchObject({
      verified: false,
      reason: 'bad_timestamp',
    })
  },
)

test('a timestamp more than five minutes old is refused, one in the future is not', async () => {
  const signature = await sign()
  const at = (seconds: number) =>
    verifyWebhook({ secrets: [secret], timestamp, signature, body, now: seconds })
  expect(await at(now + 300)).toMatchObject({ verified: true, ageSeconds: 300 })
  expect(await at(now + 300.001)).toMatchObject({
    reason: 'timestamp_too_old',
    detail: expect.stringContaining('is 300 s old; more than 300 s'),
  })
  expect(await at(now - 3600)).toMatchObject({ verified: true, ageSeconds: -3600 })
})

test('an old timestamp under a wrong signature is a mismatch: age is said of genuine deliveries only', async () => {
  const signature = await sign({ secret: old })
  const verdict = await verifyWebhook({ secrets: [secret], timestamp, signature, body, now: now + 9999 })
  expect(verdict).toMatchObject({ reason: 'signature_mismatch' })
})

test('no secret, or an empty one, verifies nothing and signs nothing', async () => {
  const signature = await sign()
  for (const secrets of [[], ['']]) {
    expect(await verifyWebhook({ secrets, timestamp, signature, body, now })).toMatchObject({
      reason: 'no_secret',
    })
  }
  await expect(sign({ secret: '' })).rejects.toThrow(TypeError)
})

test('more secrets than are kept imported still verify', async () => {
  const signature = await sign()
  const secrets = [...Array.from({ length: 200 }, (_, at) => `whsec_${at}`), secret]
  expect(await verifyWebhook({ secrets, timestamp, signature, body, now })).toMatchObject({
    secretIndex: 200,
  })
})

test('whatever the bytes, what was signed verifies, and one flipped bit does not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.string({ minLength: 1 }),
      fc.nat(),
      async (bytes, key, flip) => {
        const signature = await sign({ secret: key, body: bytes })
        const verify = (received: Uint8Array) =>
          verifyWebhook({ secrets: [key], timestamp, signature, body: received, now })
        expect(await verify(bytes)).toMatchObject({ verified: true })
        const changed = bytes.slice()
        const at = flip % changed.length
        changed[at] = (changed[at] ?? 0) ^ (1 << (flip % 8))
        expect(await verify(changed)).toMatchObject({ reason: 'signature_mismatch' })
      },
    ),
    { numRuns: 200 },
  )
})

test('no header makes the verifier throw', async () => {
  const header = fc.option(fc.string({ unit: 'binary' }), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(header, header, header, async (time, signature, signaturePrev) => {
      const verdict = await verifyWebhook({
        secrets: [secret],
        timestamp: time,
        signature,
        signaturePrev,
        body,
        now,
      })
      expect(verdict.verified).toBe(false)
    }),
  )
})
