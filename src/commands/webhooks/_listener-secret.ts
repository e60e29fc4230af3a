/** Finds the secret that a listener verifies with: one that the user named, or that of a subscription to its address. */
import type { Session } from '../../cli/command/session.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { EventType } from '../../contract/events.ts'
import { CredentialError } from '../../secrets/errors.ts'
import {
  type HeldSubscription,
  holdSubscription,
  type PrintWhole,
  rotatedSecret,
} from './_listener-subscription.ts'
import { namedSecrets, namesSecret, type SecretFlags } from './_signing-secret.ts'

export interface ListenerSecretOptions {
  readonly flags: SecretFlags & { readonly rotate?: boolean; readonly 'public-url'?: string | undefined }
  /** The event types of a subscription that the listener makes. */
  readonly eventTypes: readonly EventType[]
  readonly signal: AbortSignal
  readonly onWarning: (warning: string) => void
  readonly printWhole: PrintWhole
}

export interface ListenerSecret {
  /** The subscription that the user named, if any. */
  readonly subscription: string | undefined
  /** The secrets to accept now. */
  readonly accepted: () => Promise<readonly string[]>
  /** Finds or makes a subscription; undefined when the user named a secret. Call it once the listener can be reached. */
  readonly subscribe: ((listenerUrl: string) => Promise<string>) | undefined
  /** Removes the subscription that `subscribe` made. If it stays, returns why. */
  release(): Promise<string | undefined>
}

/** After this time a stored secret is looked up again: another process may have rotated it. */
const MAX_SECRET_AGE_MS = 10 * 60_000

/** @throws UsageError when there is no secret, and the errors of reading it. */
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
      return rotateStored(session, subscription, options)
    })
    const reread = flags['secret-stdin'] ? undefined : () => session.signingSecrets.valid(subscription)
    return {
      subscription,
      accepted: kept(secrets, reread),
      subscribe: undefined,
      release: async () => undefined,
    }
  }
  if (session.environment.mode === 'local' || publicUrl !== undefined) return ofSubscription(session, options)
  throw new UsageError('Which signing secret? This listener has none to verify with', {
    code: 'secret_missing',
    hint:
      'Give --subscription whk_… (its secret is stored here), --secret-stdin or BANKAPI_WEBHOOK_SECRET, ' +
      'or --public-url https://… to subscribe this listener while it runs',
  })
}

/** Rotates the secret of a subscription that is not known on this machine, if the new one can be stored. */
async function rotateStored(
  session: Session,
  subscription: string,
  options: ListenerSecretOptions,
): Promise<readonly string[]> {
  await session.secrets.assertCanStore()
  const secret = await rotatedSecret(session, subscription, options)
  await session.signingSecrets.store(subscription, secret)
  return [secret]
}

/** Returns the secrets, and reads them again in the background from time to time; no delivery waits for that. */
function kept(
  first: readonly string[],
  reread: (() => Promise<readonly string[]>) | undefined,
): () => Promise<readonly string[]> {
  let secrets = first
  let readAt = performance.now()
  return async () => {
    if (reread !== undefined && performance.now() - readAt > MAX_SECRET_AGE_MS) {
      readAt = performance.now()
      // The earlier secrets are used until the store answers.
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

/** The secret of a subscription; deliveries wait until it is known. */
function ofSubscription(session: Session, options: ListenerSecretOptions): ListenerSecret {
  const held = Promise.withResolvers<HeldSubscription>()
  // `subscribe` below rejects as well; this one must not count as unhandled.
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
