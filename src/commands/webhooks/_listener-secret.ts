/** What a listener verifies with: a secret that the user named, or that of a subscription which delivers to it. */

import type { Session } from '../../cli/command/session.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { EventType } from '../../contract/events.ts'
import { CredentialError } from '../../secrets/errors.ts'
import { type HeldSubscription, holdSubscription } from './_listener-subscription.ts'
import { namedSecrets, namesSecret, type SecretFlags } from './_signing-secret.ts'

export interface ListenerSecretOptions {
  readonly flags: SecretFlags & { readonly rotate?: boolean; readonly 'public-url'?: string | undefined }
  /** What a subscription of its own asks for. */
  readonly eventTypes: readonly EventType[]
  readonly signal: AbortSignal
  readonly onWarning: (warning: string) => void
}

export interface ListenerSecret {
  /** The subscription it belongs to, as far as the user named it. */
  readonly subscription: string | undefined
  /** Those to accept now. */
  readonly accepted: () => Promise<readonly string[]>
  /** Given when the listener has to find or make a subscription: called with its address once it can be reached. */
  readonly subscribe: ((listenerUrl: string) => Promise<string>) | undefined
  /** Gives back what `subscribe` took. Returns why a subscription stays, where one does. */
  release(): Promise<string | undefined>
}

/** Milliseconds after which a stored secret is looked up again: another process may have rotated it. */
const FRESH = 10 * 60_000

/** @throws UsageError when there is no way to a secret; what reading it throws. */
export async function listenerSecret(
  session: Session,
  terminal: Terminal,
  options: ListenerSecretOptions,
): Promise<ListenerSecret> {
  const { flags, signal } = options
  const { subscription, rotate, 'public-url': publicUrl } = flags
  if (namesSecret(session, flags)) {
    const secrets = await namedSecrets(session, terminal, flags, signal).catch((error: unknown) => {
      const isUnknown = error instanceof CredentialError && error.code === 'missing'
      if (!isUnknown || !rotate || subscription === undefined) throw error
      return rotateStored(session, subscription, signal)
    })
    const reread = flags['secret-stdin'] ? undefined : () => session.signingSecrets.valid(subscription)
    return {
      subscription,
      accepted: kept(secrets, reread),
      subscribe: undefined,
      release: async () => undefined,
    }
  }
  if (session.environment.value === 'local' || publicUrl !== undefined)
    return ofSubscription(session, options)
  throw new UsageError('Which signing secret? This listener has none to verify with', {
    code: 'secret_missing',
    hint:
      'Give --subscription whk_… (its secret is stored here), --secret-stdin or BANKAPI_WEBHOOK_SECRET, ' +
      'or --public-url https://… to subscribe this listener while it runs',
  })
}

/** Replaces the secret of a subscription which nobody here knows. Nothing is done when the new one has no place. */
async function rotateStored(
  session: Session,
  subscription: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await session.assertCanStoreSecrets()
  const { signing_secret: secret } = await session.api.webhooks.rotateSecret(
    { subscription_id: subscription },
    { signal },
  )
  await session.signingSecrets.store(subscription, secret)
  return [secret]
}

/** The secrets as first read, and as read again in the background from time to time: no delivery waits for it. */
function kept(
  first: readonly string[],
  reread: (() => Promise<readonly string[]>) | undefined,
): () => Promise<readonly string[]> {
  let secrets = first
  let readAt = performance.now()
  return async () => {
    if (reread !== undefined && performance.now() - readAt > FRESH) {
      readAt = performance.now()
      // What was read before counts until the store answers again.
      void reread().then(
        (found) => {
          secrets = found
        },
        () => {},
      )
    }
    return secrets
  }
}

/** Deliveries that come before the subscription's secret is here wait for it. */
function ofSubscription(session: Session, options: ListenerSecretOptions): ListenerSecret {
  const held = Promise.withResolvers<HeldSubscription>()
  // Nobody may be waiting for it when it fails: `subscribe` below rejects as well.
  held.promise.catch(() => {})
  let holds = false
  return {
    subscription: undefined,
    accepted: async () => [(await held.promise).signingSecret],
    async subscribe(listenerUrl) {
      try {
        const url = options.flags['public-url'] ?? listenerUrl
        const { rotate = false } = options.flags
        const subscription = await holdSubscription(session, { ...options, url, rotate })
        holds = true
        held.resolve(subscription)
        return subscription.id
      } catch (error) {
        held.reject(error)
        throw error
      }
    },
    async release() {
      return holds ? (await held.promise).release() : undefined
    },
  }
}
