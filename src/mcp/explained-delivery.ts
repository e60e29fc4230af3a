/** What happened to one webhook event on this machine: whether it verified, who answered what, and what to do. */
import * as z from 'zod'
import { BankapiError } from '../errors.ts'
import type { Delivery, HeaderPair, RecordedForward } from '../inbox/delivery-rows.ts'
import type { Call } from './assistant.ts'
import { BankText, visibleText } from './bank-text.ts'
import { claimsOf, knownType, nameOf, outcomeOf, subjectsOf } from './recorded-deliveries.ts'
import { shownBody } from './shown-body.ts'
import type { OrNull } from './tool.ts'

/** Of an event that came again and again, the newest. */
const MAX_DELIVERIES = 3
const MAX_FORWARDS = 5
const MAX_BODY_CHARACTERS = 1000
const MAX_HEADERS_CHARACTERS = 600

const Received = z.object({
  number: z.int(),
  at: z.string(),
  outcome: z.string(),
  why: z.string().optional(),
  repeat: z.boolean(),
  replay_of: z.int().optional(),
  forwards: z.array(
    z.object({
      to: z.string(),
      status: z.int().optional(),
      ms: z.int(),
      error: z.string().optional(),
    }),
  ),
})

export const Explained = z.object({
  id: z.string(),
  type: z.string().optional(),
  about: z.array(z.string()),
  received: z.int(),
  deliveries: z.array(Received).describe('Newest first'),
  next: z.string().optional().describe('Command for a person to run'),
  bank_text: BankText.optional(),
})

/** By the id of the event, or the number of a delivery. @throws BankapiError when there is none. */
export async function explainDelivery(call: Call, id: string): Promise<OrNull<z.input<typeof Explained>>> {
  const found = await deliveriesOf(call, id)
  const newest = found[0] as Delivery
  return {
    id: nameOf(newest),
    type: knownType(newest),
    about: subjectsOf(newest),
    received: found.length,
    deliveries: found.slice(0, MAX_DELIVERIES).map(receivedOf),
    next: nextOf(call, found),
    bank_text: {
      ...claimsOf(newest),
      path: visibleText(newest.path.replace(/[?#].*$/s, '')),
      headers: headersOf(newest.headers),
      body: shownBody(newest.body, { pii: call.pii, maxCharacters: MAX_BODY_CHARACTERS }),
      ...answerOf(newest, call.pii),
    },
  }
}

/** Newest first, of this environment alone. @throws BankapiError when there is none. */
async function deliveriesOf({ environment, openInbox, command }: Call, id: string): Promise<Delivery[]> {
  const inbox = await openInbox()
  let found = await inbox.deliveries.get(id)
  if (found.length === 0 && /^\d{1,15}$/.test(id)) {
    const { deliveryOf } = await import('../inbox/watch-deliveries.ts')
    const delivery = await deliveryOf(inbox, Number(id))
    found = delivery === undefined ? [] : [delivery]
  }
  const own = found.filter((delivery) => delivery.environment === environment.name)
  if (own.length > 0) return own.toReversed()
  throw new BankapiError('No delivery with this id was recorded here', {
    code: 'not_in_inbox',
    exit: 'notFound',
    hint: `list_deliveries has what is there. To record: ${command('webhooks', 'listen')}`,
  })
}

function receivedOf(delivery: Delivery): OrNull<z.input<typeof Received>> {
  const { detail, forwards, replayOf } = delivery
  return {
    number: delivery.id,
    at: new Date(delivery.receivedAt).toISOString(),
    outcome: outcomeOf(delivery),
    why: detail && visibleText(detail),
    repeat: delivery.duplicate,
    replay_of: replayOf,
    forwards: forwards.slice(-MAX_FORWARDS).map(({ url, status, durationMs, error }) => ({
      to: withoutSecrets(url),
      status,
      ms: Math.round(durationMs),
      error: error && visibleText(error),
    })),
  }
}

/** A target's user name, password and query may be secrets. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: '', pathname: '' }
  return visibleText(`${origin}${pathname}`)
}

/** Headers whose values are neither secrets nor signatures. Of all others the name is shown. */
const harmless =
  /^(?:accept|content-(?:type|length|encoding)|date|host|user-agent|x-ls-webhook-(?:event-id|event-type|timestamp))$/i

function headersOf(headers: readonly HeaderPair[]): string {
  const shown = headers.map(([name, value]) => `${name}: ${harmless.test(name) ? value : '[masked]'}`)
  return visibleText(shown.join('; '), MAX_HEADERS_CHARACTERS)
}

/** The target's last answer that has a body, in words of its own: shown where personal data may be. */
function answerOf({ forwards }: Delivery, pii: boolean): { target_answered?: string } {
  const last = forwards.findLast(({ body }: RecordedForward) => body.byteLength > 0)
  if (last === undefined) return {}
  const { body } = last
  return {
    target_answered: pii
      ? shownBody(body, { pii, maxCharacters: 300 })
      : `(${body.byteLength} bytes: shown with --pii)`,
  }
}

/** Undefined where nothing is left to do. */
function nextOf({ command }: Call, found: readonly Delivery[]): string | undefined {
  const newest = found[0] as Delivery
  const verified = found.find((delivery) => delivery.verified)
  if (verified === undefined) {
    // Another secret may verify it; nothing makes an old timestamp new.
    const isOld = newest.reason === 'timestamp_too_old' || newest.reason === 'bad_timestamp'
    return command('webhooks', isOld ? 'show' : 'reverify', nameOf(newest))
  }
  const accepted = found.some(({ forwards }) =>
    forwards.some(({ status = 0 }) => status >= 200 && status < 300),
  )
  const wanted = found.some(({ forwardTo, forwards }) => forwardTo !== undefined || forwards.length > 0)
  return accepted || !wanted ? undefined : command('webhooks', 'replay', nameOf(verified))
}
