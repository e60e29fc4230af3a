/**
 * Verifies and signs webhook deliveries in servers that receive them: `import { verifyWebhook } from 'bankapi/webhooks'`.
 * Needs only Web Crypto, so it runs in Node, Deno, Bun, browsers and edge runtimes.
 *
 *     const verdict = await verifyWebhook({ secrets: [secret], headers: request.headers, body })
 *     if (!verdict.verified) return new Response(verdict.detail, { status: 401 })
 *     if (verdict.event?.type === 'connection.active') use(verdict.event.data.connection.id)
 */
import type { WebhookEvent } from './contract/events.ts'
import { diagnoseWebhook as diagnose, type KnownSecret } from './signing/diagnose.ts'
import type { Diagnosis } from './signing/diagnosis.ts'
import {
  type NotVerified,
  signWebhook as sign,
  type Verified,
  type VerifyWebhook,
  verifyWebhook as verify,
} from './signing/webhook.ts'
import { webhookHeaderNames } from './signing/webhook-headers.ts'

export type { EventData, EventType, WebhookEvent } from './contract/events.ts'
export type { KnownSecret } from './signing/diagnose.ts'
export type { Diagnosis } from './signing/diagnosis.ts'
export type { NotVerified, Refusal, Verified } from './signing/webhook.ts'
export { webhookToleranceSeconds } from './signing/webhook.ts'
export type { HeaderSource, SignatureHeaders } from './signing/webhook-headers.ts'
export { webhookHeaderNames } from './signing/webhook-headers.ts'

type Simple<T> = T extends unknown ? Omit<T, 'now' | 'matches'> : never

/** A received delivery. `now` in Unix seconds, the machine's clock by default. */
export type ReceivedWebhook = Simple<VerifyWebhook> & { now?: number | undefined }

export type WebhookVerdict =
  | (Verified & {
      /**
       * The event, by its `type`. Undefined when the body, though correctly signed, is not an event. An event type newer
       * than this package is passed through: give your `switch` a default.
       */
      event: WebhookEvent | undefined
    })
  | (NotVerified & { event?: undefined })

/**
 * Verifies that a delivery was signed over exactly these bytes, within five minutes, with one of the secrets, and returns
 * its event. `body` is the exact bytes received, never JSON that was parsed and written again. Never throws because of
 * the sender's input.
 */
export async function verifyWebhook(delivery: ReceivedWebhook): Promise<WebhookVerdict> {
  const verdict = await verify(withNow(delivery))
  return verdict.verified ? { ...verdict, event: eventIn(delivery.body) } : verdict
}

/** Explains why a delivery does not verify, to the developer of the receiver. Not for the sender: it names secrets by label. */
export function explainWebhook(
  delivery: ReceivedWebhook & { known?: readonly KnownSecret[] | undefined },
): Promise<Diagnosis> {
  return diagnose(withNow(delivery))
}

export interface WebhookToSign {
  /** The whole signing secret, `whsec_` included. */
  secret: string
  /** The exact bytes, or text that is sent as UTF-8. */
  body: Uint8Array | string
  /** Unix seconds; the machine's clock by default. */
  timestamp?: number | undefined
}

/** The headers of a delivery that verifies: for tests of a receiver. Throws TypeError for an empty secret. */
export async function signWebhook({
  secret,
  body,
  timestamp,
}: WebhookToSign): Promise<Record<string, string>> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const seconds = String(Math.floor(timestamp ?? Date.now() / 1000))
  const event = eventIn(bytes)
  return {
    ...(event === undefined
      ? {}
      : { 'X-LS-Webhook-Event-Id': event.event_id, 'X-LS-Webhook-Event-Type': event.type }),
    [webhookHeaderNames.timestamp]: seconds,
    [webhookHeaderNames.signature]: await sign({ secret, timestamp: seconds, body: bytes }),
  }
}

function withNow<T extends { now?: number | undefined }>(delivery: T): T & { now: number } {
  return { ...delivery, now: delivery.now ?? Date.now() / 1000 }
}

function eventIn(body: Uint8Array): WebhookEvent | undefined {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return isEnvelope(event) ? event : undefined
  } catch {
    return undefined
  }
}

function isEnvelope(value: unknown): value is WebhookEvent {
  if (typeof value !== 'object' || value === null) return false
  const { event_id, type, data } = value as Partial<Record<string, unknown>>
  return typeof event_id === 'string' && typeof type === 'string' && typeof data === 'object' && data !== null
}
