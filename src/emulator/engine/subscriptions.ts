/** Webhook subscriptions and their signing secrets. */
import { eventTypes } from '../../contract/events.ts'
import { signingSecretPrefix } from '../../contract/service.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'
import { type Engine, isoNow } from './engine.ts'
import { invalidFields } from './errors.ts'

/** Stores a new one and returns its id. */
export function subscribe(engine: Engine, tenant: number, url: string, types: readonly string[]): string {
  checkUrl(url)
  checkEventTypes(types)
  const id = `whk_${engine.ids.hex('subscription', 24)}`
  engine.store.subscriptions.add({
    tenant,
    id,
    url,
    event_types: JSON.stringify([...new Set(types)]),
    signing_secret: newSecret(engine),
    created_at: isoNow(engine),
  })
  return id
}

export function changeSubscription(
  engine: Engine,
  { seq }: SubscriptionRow,
  url: string | undefined,
  types: readonly string[] | undefined,
): void {
  if (url !== undefined) checkUrl(url)
  if (types !== undefined) checkEventTypes(types)
  engine.store.subscriptions.change(seq, {
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { event_types: JSON.stringify([...new Set(types)]) }),
  })
}

/** The secret it replaces stays valid 24 hours; one replaced before that is over at once. */
export function rotateSecret(engine: Engine, { seq, signing_secret }: SubscriptionRow): void {
  engine.store.subscriptions.change(seq, {
    signing_secret: newSecret(engine),
    previous_secret: signing_secret,
    rotated_at: isoNow(engine),
  })
}

function newSecret({ ids }: Engine): string {
  return `${signingSecretPrefix}${ids.secret('signing-secret', 32)}`
}

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '') return
  throw invalidFields([
    { param: 'url', message: 'has to be an http or https address without a user', code: 'invalid_url' },
  ])
}

/** An unknown event type is rejected. `webhook.test` may be named; a test fire ignores the filter anyway. */
function checkEventTypes(types: readonly string[]): void {
  const errors = types.flatMap((type, index) =>
    (eventTypes as readonly string[]).includes(type)
      ? []
      : [
          {
            param: `event_types.${index}`,
            message: 'is not an event type',
            code: 'unknown_event_type',
          },
        ],
  )
  if (types.length === 0) errors.push({ param: 'event_types', message: 'is empty', code: 'too_small' })
  if (errors.length > 0) throw invalidFields(errors)
}
