import { headers as names } from '../contract/service.ts'
import type { HeaderPair } from '../inbox/private-headers.ts'
import { signWebhook } from '../signing/webhook.ts'

/** What a delivery is signed as. */
export interface ToSign {
  secret: string
  /** Unix seconds of this attempt. */
  at: number
  eventId: string | undefined
  type: string | undefined
  body: Uint8Array
}

/** The headers that the service gives a delivery. An id or type that fits into no header is left out. */
export async function signedHeaders({ secret, at, eventId, type, body }: ToSign): Promise<HeaderPair[]> {
  const timestamp = String(Math.floor(at))
  const all: [string, string | undefined][] = [
    [names.webhookEventId, eventId],
    [names.webhookEventType, type],
    [names.webhookTimestamp, timestamp],
    [names.webhookSignature, await signWebhook({ secret, timestamp, body })],
  ]
  return all.flatMap(([name, value]) =>
    value !== undefined && /^[\x20-\x7e]+$/.test(value) ? [[name, value] as const] : [],
  )
}
