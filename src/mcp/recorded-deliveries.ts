/** Reads the deliveries that this machine recorded, and says what is safe to say of one: a stranger may have sent it. */
import { type EventType, events } from '../contract/events.ts'
import type { Delivery, DeliveryFilter } from '../inbox/delivery-rows.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { bankText, visibleText } from './bank-text.ts'

const BATCH = 100
const MAX_SUBJECTS = 5

/** Those that fit, the newest first, a batch in memory at a time. */
export async function* newestDeliveries(
  { deliveries }: Inbox,
  filter: Omit<DeliveryFilter, 'limit'>,
): AsyncGenerator<Delivery, void, undefined> {
  let { before } = filter
  for (;;) {
    const batch = await deliveries.list({ ...filter, before, limit: BATCH })
    yield* batch.toReversed()
    if (batch.length < BATCH) return
    before = batch[0]?.id
  }
}

/** Whether it is signed and has this id in its body. */
export function names({ verified, body }: Delivery, id: string): boolean {
  return verified && Buffer.from(body).includes(`"${id}"`)
}

/** How it ended: `not verified: …`, `received`, `forwarded: 200`, `forward failed: …`, `forward interrupted`. */
export function outcomeOf({ verified, reason, forwardTo, forwards }: Delivery): string {
  if (!verified) return `not verified: ${reason ?? 'unknown'}`
  const last = forwards.at(-1)
  if (last?.status !== undefined) return `forwarded: ${last.status}`
  if (last !== undefined) return `forward failed: ${last.error ?? 'no answer'}`
  return forwardTo === undefined ? 'received' : 'forward interrupted'
}

/** The event id of what is signed, else the number in the inbox; `bankapi webhooks` takes both. */
export function nameOf({ id, verified, eventId }: Delivery): string {
  return verified && eventId !== undefined ? visibleText(eventId) : String(id)
}

/** A type that the reference lists. */
export function knownType({ type }: Delivery): EventType | undefined {
  return type !== undefined && Object.hasOwn(events, type) ? (type as EventType) : undefined
}

/** What its sender says, where that is not known to be the service. */
export function claimsOf(delivery: Delivery): Record<string, string> | undefined {
  const { verified, eventId, type } = delivery
  return bankText({
    event_id: verified ? undefined : eventId,
    type: knownType(delivery) === undefined ? type : undefined,
  })
}

/** The ids of Clients, Connections, accounts and statements that a verified delivery names. */
export function subjectsOf({ verified, body }: Delivery): string[] {
  if (!verified) return []
  const found = Buffer.from(body)
    .toString()
    .matchAll(/"((?:con|acc|stmt|cli)_[\w-]{1,100})"/g)
  return [...new Set([...found].map(([, id = '']) => id))].slice(0, MAX_SUBJECTS)
}
