/**
 * Finds the subscription for a listener's address, or makes one. One that a listener made is removed at the end, also by a
 * later listener when the first was killed: its undelivered events come to the later one.
 */
import { ApiResponseError } from '../../api/errors.ts'
import type { Session } from '../../cli/command/session.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { EventType } from '../../contract/events.ts'
import type { Subscription, SubscriptionWithSecret } from '../../contract/webhooks.ts'
import { BankapiError } from '../../errors.ts'
import { systemClock } from '../../machine/machine.ts'
import {
  forgetListenerSubscription,
  type ListenerSubscription,
  listenerSubscriptions,
  noteListenerSubscription,
} from '../../secrets/listener-subscriptions.ts'
import { findSubscription, setEventTypes, subscribe, unsubscribe } from '../../workflows/own-subscription.ts'

export interface HeldSubscription {
  readonly id: string
  readonly signingSecret: string
  /** Removes it if a listener made it. If it stays, returns why; never rejects. */
  release(): Promise<string | undefined>
}

/** Prints everything of an answer in which a secret that is shown once is missing. */
export type PrintWhole = (answer: object | string) => Promise<void>

export interface HoldOptions {
  readonly url: string
  readonly eventTypes: readonly EventType[]
  /** Rotate the secret of an existing subscription if it is not known here. */
  readonly rotate: boolean
  readonly signal: AbortSignal
  readonly onWarning: (warning: string) => void
  readonly printWhole: PrintWhole
}

/** @throws UsageError when its secret is not known here and must not be rotated, and the errors of the calls. */
export async function holdSubscription(session: Session, options: HoldOptions): Promise<HeldSubscription> {
  const context = { api: session.api, clock: systemClock, signal: options.signal }
  const found = await findSubscription(context, options.url)
  if (found === undefined) {
    const made = await subscribe(context, { ...options, onUnreadable: options.printWhole })
    const secret = await subscribedSecret(session, made, options)
    await keep(session, made, { secret, made: true }, options)
    return held(session, made.id, secret, true)
  }
  const noted = listenerSubscriptions(session.machine).find(
    (one) =>
      one.subscription_id === found.id &&
      one.created_at === found.created_at &&
      one.environment === session.environment.value,
  )
  const made = noted?.made ?? false
  const secret =
    noted?.signing_secret ??
    (await storedSecret(session, found.id)) ??
    (await rotate(session, found, made, options))
  if (made) await setEventTypes(context, found, options.eventTypes)
  return held(session, found.id, secret, made)
}

function held(session: Session, id: string, signingSecret: string, made: boolean): HeldSubscription {
  return {
    id,
    signingSecret,
    async release() {
      if (!made) return `${id} stays subscribed: it was there before, and no listener made it.`
      try {
        await unsubscribe(session, id)
      } catch (error) {
        const isGone = error instanceof ApiResponseError && error.httpStatus === 404
        if (!isGone) {
          return `${id}, made for this listener, could not be removed: ${(error as Error).message}`
        }
      }
      await forget(session, id)
      return undefined
    },
  }
}

/** The stored secret; undefined when it is not known, also when the keychain does not answer. */
async function storedSecret(session: Session, id: string): Promise<string | undefined> {
  try {
    return (await session.signingSecrets.valid(id))[0]
  } catch {
    return undefined
  }
}

async function rotate(
  session: Session,
  subscription: Subscription,
  made: boolean,
  options: HoldOptions,
): Promise<string> {
  const { id, url } = subscription
  if (!options.rotate) {
    throw new UsageError(`${id} delivers to ${url} already, and its signing secret is not known here`, {
      code: 'secret_unknown',
      hint:
        'Give the secret with --secret-stdin or BANKAPI_WEBHOOK_SECRET, or replace it with --rotate: ' +
        'the old one stays valid for 24 hours',
    })
  }
  // The new secret of a user's own subscription must not be lost with this process.
  if (!made && session.environment.mode !== 'local') await session.secrets.assertCanStore()
  const secret = await rotatedSecret(session, id, options)
  await keep(session, subscription, { secret, made }, options)
  return secret
}

/**
 * Replaces the secret of a subscription and returns the new one. An answer that has none is printed: rotating again would
 * end the old secret, which still verifies for 24 hours.
 * @throws BankapiError when the answer has none.
 */
export async function rotatedSecret(
  session: Session,
  id: string,
  { signal, printWhole }: Pick<HoldOptions, 'signal' | 'printWhole'>,
): Promise<string> {
  const rotated = await session.api.webhooks.rotateSecret(
    { subscription_id: id },
    { signal, onUnreadable: printWhole },
  )
  if (hasSecret(rotated)) return rotated.signing_secret
  await printWhole(rotated)
  throw withoutSecret(
    'Everything that came is printed above. Give the secret in it with --secret-stdin or BANKAPI_WEBHOOK_SECRET; ' +
      'the old one stays valid for 24 hours',
  )
}

/**
 * The secret of a new subscription. An answer that has none is printed, and the subscription removed again: it would be of no
 * use.
 * @throws BankapiError when the answer has none.
 */
async function subscribedSecret(
  session: Session,
  made: SubscriptionWithSecret,
  { url, printWhole }: Pick<HoldOptions, 'url' | 'printWhole'>,
): Promise<string> {
  if (hasSecret(made)) return made.signing_secret
  await printWhole(made)
  const isRemoved = await unsubscribe(session, made.id).then(
    () => true,
    () => false,
  )
  throw withoutSecret(
    isRemoved
      ? 'Everything that came is printed above; the subscription is removed again. Make one that stays: ' +
          `bankapi webhooks create --url ${url} --print-secret\n` +
          'The listener takes the secret with --secret-stdin or BANKAPI_WEBHOOK_SECRET'
      : `Everything that came is printed above; the subscription could not be removed again. Give the secret in it with ` +
          '--secret-stdin or BANKAPI_WEBHOOK_SECRET',
  )
}

/** Answers are passed on as they came: what the contract assumes may be missing. */
function hasSecret({ signing_secret: secret }: { readonly signing_secret: unknown }): boolean {
  return typeof secret === 'string' && secret !== ''
}

function withoutSecret(hint: string): BankapiError {
  return new BankapiError('The answer has no field signing_secret, so that deliveries cannot be verified', {
    code: 'secret_missing',
    exit: 'unexpected',
    hint,
  })
}

/** Notes the subscription for the next start, in case this listener is killed. */
async function keep(
  session: Session,
  { id, created_at }: Pick<Subscription, 'id' | 'created_at'>,
  { secret, made }: { secret: string; made: boolean },
  { onWarning }: HoldOptions,
): Promise<void> {
  const { value: environment, mode } = session.environment
  const key = { environment, base_url: session.baseUrl.value, subscription_id: id }
  const noted: ListenerSubscription = { ...key, created_at, made }
  if (mode === 'local') {
    await noteListenerSubscription(session.machine, { ...noted, signing_secret: secret })
    return
  }
  await noteListenerSubscription(session.machine, noted)
  try {
    await session.signingSecrets.store(id, secret)
  } catch (error) {
    onWarning(
      `the signing secret of ${id} is not stored (${(error as Error).message}) ` +
        'Should this listener be killed, start the next one with --rotate.',
    )
  }
}

async function forget(session: Session, id: string): Promise<void> {
  const { value: environment, mode } = session.environment
  const key = { environment, base_url: session.baseUrl.value, subscription_id: id }
  try {
    await forgetListenerSubscription(session.machine, key)
    if (mode !== 'local') await session.signingSecrets.forget(id)
  } catch {
    // A note on a removed subscription does no harm.
  }
}
