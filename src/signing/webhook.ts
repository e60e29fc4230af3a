/**
 * Signs and verifies webhook deliveries by the API's rules. Pure: time and secrets are parameters,
 * and nothing here needs Node.
 *
 *     const verdict = await verifyWebhook({ secrets: [secret], headers: request.headers, body, now: Date.now() / 1000 })
 *     if (!verdict.verified) return new Response(verdict.detail, { status: 401 })
 */
import { type HmacMatches, hmacHex, hmacMatches, joinBytes } from './hmac.ts'
import {
  type HeaderSource,
  readSignatureHeaders,
  type SignatureHeaders,
  webhookHeaderNames,
} from './webhook-headers.ts'

/** Seconds a delivery may be old: replay protection of the API. */
export const webhookToleranceSeconds = 300

export type Refusal =
  | 'missing_header'
  | 'bad_timestamp'
  | 'timestamp_too_old'
  | 'signature_mismatch'
  /** The caller gave no secret, so nothing can match. */
  | 'no_secret'

export interface Verified {
  verified: true
  /** Unix seconds of this delivery attempt. */
  timestamp: number
  /** Negative when the sender's clock is ahead. */
  ageSeconds: number
  /** The header that matched, and the index of the secret in `secrets`. */
  header: 'signature' | 'signaturePrev'
  secretIndex: number
}

export interface NotVerified {
  verified: false
  reason: Refusal
  /** A sentence for a person. It quotes only numbers from the request. */
  detail: string
}

export type WebhookVerification = Verified | NotVerified

export type VerifyWebhook = ({ headers: HeaderSource } | SignatureHeaders) & {
  /** Every secret to accept: during a rotation, the new and the old one. Whole, `whsec_` included. */
  secrets: readonly string[]
  /** The exact bytes received: never JSON that was parsed and written again. */
  body: Uint8Array
  /** Unix seconds. */
  now: number
  toleranceSeconds?: number
  /** Another implementation; Web Crypto by default. */
  matches?: HmacMatches
}

/**
 * Hex HMAC-SHA256 over `<timestamp>.<raw body>`, keyed with the whole secret string as UTF-8.
 * `timestamp` is the exact header value: Unix seconds. Throws TypeError for an empty secret.
 */
export function signWebhook(delivery: {
  secret: string
  timestamp: string
  body: Uint8Array
}): Promise<string> {
  return hmacHex(delivery.secret, signedPayload(delivery.timestamp, delivery.body))
}

/**
 * Verifies that a delivery was signed over exactly these bytes, within the tolerance, with one of the secrets. Never
 * throws because of the sender's input.
 *
 * A timestamp in the future is accepted: the API refuses only old ones, and a machine whose clock is late must not
 * lose deliveries. The signature is checked first, so that only genuine deliveries are `timestamp_too_old`.
 */
export async function verifyWebhook(delivery: VerifyWebhook): Promise<WebhookVerification> {
  const { secrets, body, now, toleranceSeconds = webhookToleranceSeconds, matches = hmacMatches } = delivery
  const { timestamp, signature, signaturePrev } = signatureHeadersOf(delivery)

  if (timestamp === undefined) return refuse('missing_header', missing(webhookHeaderNames.timestamp))
  if (signature === undefined && signaturePrev === undefined) {
    return refuse('missing_header', missing(webhookHeaderNames.signature))
  }
  const seconds = unixSeconds(timestamp)
  if (seconds === undefined) {
    return refuse('bad_timestamp', `${webhookHeaderNames.timestamp} is not a number of Unix seconds.`)
  }
  if (!secrets.some((secret) => secret !== '')) {
    return refuse('no_secret', 'No signing secret is known here, so no signature can be verified.')
  }

  const payload = signedPayload(timestamp, body)
  const match = await findMatch(secrets, { signature, signaturePrev }, payload, matches)
  if (match === undefined) {
    return refuse('signature_mismatch', 'No known secret gives this signature over this timestamp and body.')
  }
  const ageSeconds = now - seconds
  if (ageSeconds > toleranceSeconds) {
    return refuse(
      'timestamp_too_old',
      `The timestamp is ${Math.floor(ageSeconds)} s old; more than ${toleranceSeconds} s is refused as a replay.`,
    )
  }
  return { verified: true, timestamp: seconds, ageSeconds, ...match }
}

/** The exact bytes that a delivery's signature covers. */
export function signedPayload(timestamp: string, body: Uint8Array): Uint8Array {
  return joinBytes(`${timestamp}.`, body)
}

/** The signature headers of a delivery, in either form of input. */
export function signatureHeadersOf(delivery: { headers: HeaderSource } | SignatureHeaders): SignatureHeaders {
  return 'headers' in delivery ? readSignatureHeaders(delivery.headers) : delivery
}

/** Plain decimal digits only: the service sends no `1e9`, `0x…`, signs or fractions. */
function unixSeconds(timestamp: string): number | undefined {
  return /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : undefined
}

async function findMatch(
  secrets: readonly string[],
  signatures: { signature: string | undefined; signaturePrev: string | undefined },
  payload: Uint8Array,
  matches: HmacMatches,
): Promise<Pick<Verified, 'header' | 'secretIndex'> | undefined> {
  for (const header of ['signature', 'signaturePrev'] as const) {
    const value = signatures[header]
    if (value === undefined) continue
    for (const [secretIndex, secret] of secrets.entries()) {
      if (secret !== '' && (await matches(secret, value, payload))) return { header, secretIndex }
    }
  }
  return undefined
}

function refuse(reason: Refusal, detail: string): NotVerified {
  return { verified: false, reason, detail }
}

function missing(header: string): string {
  return `The header ${header} is missing.`
}
