import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { signPortal, verifyPortal } from '../../src/signing/portal.ts'
import { signWebhook, verifyWebhook } from '../../src/signing/webhook.ts'

interface WebhookVector {
  name: string
  body_base64: string
  timestamp: string
  signature: string
  signature_prev: string | null
  secrets: string[]
  now: number
  expect: string
}

interface PortalVector {
  name: string
  secret: string
  signed: string
  signature: string
}

const webhook = read<WebhookVector>('webhook-signatures.json')
const portal = read<PortalVector>('portal-signatures.json')

function read<Vector>(file: string): Vector[] {
  const { cases } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as { cases: Vector[] }
  return cases
}

/** Signs with openssl, which shares no code with bankapi. */
function openssl(secret: string, message: Buffer): string {
  const run = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: message, encoding: 'utf8' })
  return run.stdout.trim().split('= ').at(-1) ?? run.stderr
}

test('no vector is missing', () => {
  expect(webhook).toHaveLength(16)
  expect(portal).toHaveLength(4)
})

describe('webhook vectors made with Python', () => {
  test.each(webhook)('$name: $expect', async (vector) => {
    const verdict = await verifyWebhook({
      secrets: vector.secrets,
      timestamp: vector.timestamp,
      signature: vector.signature,
      signaturePrev: vector.signature_prev ?? undefined,
      body: Buffer.from(vector.body_base64, 'base64'),
      now: vector.now,
    })
    expect(verdict.verified ? 'verified' : verdict.reason).toBe(vector.expect)
  })

  test.each(webhook.filter((vector) => vector.expect === 'verified'))(
    '$name: same signature',
    async (vector) => {
      const [secret = ''] = vector.secrets
      const { timestamp } = vector
      const ours = await signWebhook({ secret, timestamp, body: Buffer.from(vector.body_base64, 'base64') })
      expect([vector.signature, vector.signature_prev]).toContain(ours)
    },
  )
})

describe('portal vectors made with Python', () => {
  test.each(portal)('$name', async ({ secret, signed, signature }) => {
    expect(await signPortal({ secret, payload: signed })).toBe(signature)
    expect(await signPortal({ secret, payload: Buffer.from(signed) })).toBe(signature)
    expect(await verifyPortal({ secret, payload: signed, signature })).toBe(true)
    expect(await verifyPortal({ secret, payload: `${signed} `, signature })).toBe(false)
    expect(await verifyPortal({ secret: `${secret}x`, payload: signed, signature })).toBe(false)
  })
})

test('no secret verifies no portal signature', async () => {
  const signature = await signPortal({ secret: 'x', payload: '{}' })
  expect(await verifyPortal({ secret: '', payload: '{}', signature })).toBe(false)
})

describe('openssl agrees', () => {
  test.each(webhook.filter((vector) => vector.expect === 'verified'))(
    'on the webhook vector "$name"',
    async (vector) => {
      const [secret = ''] = vector.secrets
      const body = Buffer.from(vector.body_base64, 'base64')
      const theirs = openssl(secret, Buffer.concat([Buffer.from(`${vector.timestamp}.`), body]))
      expect(theirs).toBe(await signWebhook({ secret, timestamp: vector.timestamp, body }))
      expect([vector.signature, vector.signature_prev]).toContain(theirs)
    },
  )

  test('on a portal vector', () => {
    const [vector] = portal
    expect(openssl(vector?.secret ?? '', Buffer.from(vector?.signed ?? ''))).toBe(vector?.signature)
  })
})
