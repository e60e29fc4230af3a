/** Sends a delivery of the inbox again, and records it as a replay. */
import type { Delivery } from '../inbox/delivery-rows.ts'
import { type HeaderPair, withValues } from '../inbox/delivery-rows.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { webhookHeaderNames } from '../signing/webhook-headers.ts'
import { signedHeaders, withExtra } from './delivery-headers.ts'
import type { ForwardOutcome } from './events.ts'
import type { Forwarder } from './forward.ts'

export interface ReplayOptions {
  inbox: Pick<Inbox, 'deliveries'>
  forwarder: Forwarder
  url: string
  /** Sign again with this secret and the current time; otherwise the recorded signature and timestamp are sent. */
  resignWith?: string | undefined
  clock: { now: () => number }
}

/** Sends the exact bytes and headers received, except for a new signature. Never rejects because of the target. */
export async function replay(delivery: Delivery, options: ReplayOptions): Promise<ForwardOutcome> {
  const { inbox, forwarder, url, resignWith, clock } = options
  const { id, method, body } = delivery
  const receivedAt = clock.now()
  const headers =
    resignWith === undefined
      ? withValues(delivery.headers)
      : await resigned(delivery, resignWith, receivedAt / 1000)
  const verdict =
    resignWith === undefined ? {} : ({ verified: true, reason: undefined, detail: undefined } as const)
  const replayed = await inbox.deliveries.record({
    ...delivery,
    ...verdict,
    headers,
    receivedAt,
    forwardTo: url,
    replayOf: id,
  })
  const outcome = await forwarder.forward({ url, method, headers, body })
  await inbox.deliveries.recordForward(replayed.id, outcome)
  return outcome
}

/** Without the header for the previous secret: it signs another timestamp. */
async function resigned(delivery: Delivery, secret: string, at: number): Promise<readonly HeaderPair[]> {
  const { headers, eventId, type, body } = delivery
  const without = withValues(headers).filter(
    ([name]) => name.toLowerCase() !== webhookHeaderNames.signaturePrev.toLowerCase(),
  )
  return withExtra(without, await signedHeaders({ secret, at, eventId, type, body }))
}
