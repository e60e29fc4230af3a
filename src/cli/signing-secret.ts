/** Where a listener's signing secret comes from: stdin, the environment, the keychain, or a subscription of its own. */
import type { EventType } from '../contract/events.ts'
import { subscribe } from '../workflows/own-subscription.ts'
import { systemClock } from './clock.ts'
import { readSecret } from './secret-input.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export interface SecretSources {
  readonly fromStdin: boolean
  readonly subscription: string | undefined
  readonly publicUrl: string | undefined
  /** What a subscription of its own asks for. */
  readonly eventTypes: readonly EventType[]
  readonly signal: AbortSignal
}

export interface SigningSecret {
  /** The subscription it belongs to, as far as it is known. */
  readonly subscription: string | undefined
  readonly current: () => Promise<readonly string[]>
  /** Given when the listener has to subscribe itself: called with its address once it can be reached. */
  readonly subscribe: ((listenerUrl: string) => Promise<string>) | undefined
  /** Removes what `subscribe` made. */
  remove(): Promise<void>
}

/** @throws UsageError when there is no way to a secret; what reading it throws. */
export async function signingSecret(
  session: Session,
  terminal: Terminal,
  sources: SecretSources,
): Promise<SigningSecret> {
  const { fromStdin, subscription, publicUrl, signal } = sources
  if (fromStdin) {
    const question = 'Signing secret:'
    const secret = await readSecret(terminal, { question, fromStdin, flag: '--secret-stdin', signal })
    return known(secret, subscription)
  }
  const given = subscription !== undefined || session.machine.env['BANKAPI_WEBHOOK_SECRET']
  if (given) return known((await session.webhookSecret(subscription)).secret, subscription)
  if (session.environment.value === 'local' || publicUrl !== undefined) return own(session, sources)
  throw new UsageError('Which signing secret? This listener has none to verify with', {
    code: 'secret_missing',
    hint:
      'Give --subscription whk_… (its secret is in the keychain), --secret-stdin or BANKAPI_WEBHOOK_SECRET, ' +
      'or --public-url https://… to subscribe this listener while it runs',
  })
}

function known(secret: string, subscription: string | undefined): SigningSecret {
  return {
    subscription,
    current: async () => [secret],
    subscribe: undefined,
    remove: async () => {},
  }
}

/** Deliveries that come before the subscription's secret is here wait for it. */
function own(session: Session, { publicUrl, eventTypes, signal }: SecretSources): SigningSecret {
  const made = Promise.withResolvers<Awaited<ReturnType<typeof subscribe>>>()
  // Nobody may be waiting for it when it fails: `subscribe` below rejects as well.
  made.promise.catch(() => {})
  let id: string | undefined
  return {
    get subscription() {
      return id
    },
    current: async () => [(await made.promise).signingSecret],
    async subscribe(listenerUrl) {
      try {
        const context = { api: session.api, clock: systemClock, signal }
        const subscription = await subscribe(context, { url: publicUrl ?? listenerUrl, eventTypes })
        id = subscription.id
        made.resolve(subscription)
        return id
      } catch (error) {
        made.reject(error)
        throw error
      }
    },
    async remove() {
      if (id !== undefined) await (await made.promise).remove()
    },
  }
}
