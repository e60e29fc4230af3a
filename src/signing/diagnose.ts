/** Explains why a signature does not match, by trying common mistakes. It never accepts a delivery. */
import { bodiesBefore } from './body-changes.ts'
import {
  type Diagnosis,
  type Finding,
  type SecretForm,
  type SignatureForm,
  sentenceFor,
} from './diagnosis.ts'
import { hmacMatches } from './hmac.ts'
import { signatureHeadersOf, signedPayload, type VerifyWebhook, verifyWebhook } from './webhook.ts'
import { type SignatureHeaders, webhookHeaderNames } from './webhook-headers.ts'

/** A secret that this machine knows, of any environment and subscription. */
export interface KnownSecret {
  secret: string
  environment: string
  subscription?: string | undefined
  /** Unix seconds at which a rotation replaced it; absent for a secret in use. */
  replacedAt?: number | undefined
}

export type DiagnoseWebhook = VerifyWebhook & {
  /** Tried for the explanation only. */
  known?: readonly KnownSecret[] | undefined
}

/** How long the service signs with the replaced secret as well. */
const OVERLAP_SECONDS = 24 * 60 * 60
/** For one diagnosis, so that a flood of bad deliveries costs little. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024

/**
 * Explains a delivery from the same input as verifyWebhook and every other secret the machine knows. A known secret
 * that matches only explains the refusal: it does not verify the delivery.
 */
export async function diagnoseWebhook(delivery: DiagnoseWebhook): Promise<Diagnosis> {
  const finding = await find(delivery)
  return { ...finding, sentence: sentenceFor(finding) }
}

async function find(delivery: DiagnoseWebhook): Promise<Finding> {
  const verdict = await verifyWebhook(delivery)
  if (verdict.verified) return { kind: 'verified', verdict }
  const headers = signatureHeadersOf(delivery)
  switch (verdict.reason) {
    case 'missing_header': {
      const name = headers.timestamp === undefined ? 'timestamp' : 'signature'
      return { kind: 'missing_header', header: webhookHeaderNames[name] }
    }
    case 'bad_timestamp':
      return { kind: 'bad_timestamp' }
    case 'timestamp_too_old':
      return { kind: 'timestamp_too_old', ageSeconds: Math.floor(delivery.now - Number(headers.timestamp)) }
    case 'no_secret':
      return (await search(delivery, headers)) ?? { kind: 'no_secret' }
    case 'signature_mismatch':
      return (
        (await search(delivery, headers)) ?? {
          kind: 'unknown',
          bodyWasDecoded: holdsReplacement(delivery.body),
        }
      )
  }
}

/** Tries one deviation from the rules after another, likely and cheap ones first. */
async function search(delivery: DiagnoseWebhook, headers: SignatureHeaders): Promise<Finding | undefined> {
  const { body, known = [] } = delivery
  const { timestamp = '' } = headers
  const signatures = [headers.signature, headers.signaturePrev].filter((value) => value !== undefined)
  const secrets = new Set([...delivery.secrets, ...known.map(({ secret }) => secret)])
  const signer = signerAmong([...secrets], MAX_HASHED_BYTES)
  const payload = signedPayload(timestamp, body)

  const whole = signerAmong(delivery.secrets, MAX_HASHED_BYTES)
  if (await whole(signatures, payload, (one) => inForm(one, 'given_without_prefix'))) {
    return { kind: 'secret_form', form: 'given_without_prefix' }
  }
  const secret = await signer(signatures, payload)
  const label = known.find((one) => one.secret === secret)
  if (label !== undefined) return labelled(label, delivery.now)

  if (await signer(signatures, body)) return { kind: 'timestamp_not_signed' }
  for (const [form, values] of Object.entries(rewritten(signatures)) as [SignatureForm, string[]][]) {
    if (await signer(values, payload)) return { kind: 'signature_form', form }
  }
  if (!signatures.some(isHexSha256)) return { kind: 'signature_form', form: 'not_hex_sha256' }

  for (const form of ['without_prefix', 'with_newline'] as const) {
    if (await signer(signatures, payload, (one) => inForm(one, form))) return { kind: 'secret_form', form }
  }
  for (const { change, bytes } of bodiesBefore(body)) {
    if (await signer(signatures, signedPayload(timestamp, bytes))) return { kind: 'body_changed', change }
  }
  return undefined
}

/** Finds the secret that signed; gives up after hashing `maxBytes` bytes. */
function signerAmong(secrets: readonly string[], maxBytes: number) {
  let left = maxBytes
  return async (
    signatures: readonly string[],
    message: Uint8Array,
    derive: (secret: string) => string = (secret) => secret,
  ): Promise<string | undefined> => {
    for (const secret of secrets) {
      const key = derive(secret)
      if (key === '') continue
      for (const signature of signatures) {
        left -= message.byteLength
        if (left < 0) return undefined
        if (await hmacMatches(key, signature, message)) return secret
      }
    }
    return undefined
  }
}

function labelled({ environment, subscription, replacedAt }: KnownSecret, now: number): Finding {
  if (replacedAt === undefined) return { kind: 'other_secret', environment, subscription }
  return {
    kind: 'retired_secret',
    environment,
    subscription,
    overSeconds: now - replacedAt - OVERLAP_SECONDS,
  }
}

/** Empty when the secret is in this form itself. */
function inForm(secret: string, form: SecretForm): string {
  if (form === 'with_newline') return `${secret}\n`
  const bare = secret.replace(/^whsec_/, '')
  if (form === 'without_prefix') return bare
  return bare === secret && secret !== '' ? `whsec_${secret}` : ''
}

/** The signatures as bare hex, where they are written the way other services write theirs. */
function rewritten(signatures: readonly string[]): Partial<Record<SignatureForm, string[]>> {
  const bare = signatures.map((signature) =>
    signature.trim().replace(/^(?:sha256|hmac-sha256|v\d+)[=,:]/i, ''),
  )
  return {
    prefixed: bare,
    base64: bare.flatMap((value) => hexOfBase64(value) ?? []),
  }
}

function hexOfBase64(text: string): string | undefined {
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Array.from(binary, (unit) => unit.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}

function isHexSha256(signature: string): boolean {
  return /^[0-9a-f]{64}$/i.test(signature)
}

/** U+FFFD in UTF-8: EF BF BD. */
function holdsReplacement(body: Uint8Array): boolean {
  for (let at = body.indexOf(0xef); at !== -1; at = body.indexOf(0xef, at + 1)) {
    if (body[at + 1] === 0xbf && body[at + 2] === 0xbd) return true
  }
  return false
}
