/**
 * Finds, stores and removes signing secrets of webhook subscriptions, in the store of the environment's other secrets:
 * the one in use, and the one that a rotation replaced, with the time of the rotation.
 */
import * as z from 'zod'
import type { EnvironmentName } from '../config/environments.ts'
import { type Machine, variable } from '../machine/machine.ts'
import {
  assertSendable,
  type CredentialStores,
  chosenStore,
  forgetSecret,
  readSecret,
  storeSecret,
} from './credentials.ts'
import { CredentialError, KeychainError } from './errors.ts'
import { listenerSubscriptions } from './listener-subscriptions.ts'
import { hidden } from './redaction.ts'

/** A signing secret that this machine knows. */
export interface KnownSigningSecret {
  readonly environment: EnvironmentName
  readonly subscription: string
  readonly secret: string
  /** Unix seconds at which a rotation replaced it; absent for the one in use. */
  readonly replacedAt?: number | undefined
}

export interface SigningSecretsOptions {
  readonly machine: Machine
  readonly stores: CredentialStores
  readonly environment: EnvironmentName
}

/** How long the service also signs with the replaced secret. */
const OVERLAP_SECONDS = 24 * 60 * 60

/** Made when a secret is read: most starts read none. */
const Replaced = () => z.object({ secret: z.string().min(1), replaced_at: z.number() })

/** The signing secrets of one environment; `known` covers all of them. */
export class SigningSecrets {
  readonly #machine: Machine
  readonly #stores: CredentialStores
  readonly #environment: EnvironmentName

  constructor({ machine, stores, environment }: SigningSecretsOptions) {
    this.#machine = machine
    this.#stores = stores
    this.#environment = environment
  }

  /**
   * The secrets that a subscription's deliveries may be signed with now, the one in use first: BANKAPI_WEBHOOK_SECRET,
   * else what is stored, during a rotation's 24 hours both. Never empty.
   * @throws CredentialError `missing` or `malformed`, KeychainError after 3 s, FileError `unsafe_file`.
   */
  async valid(subscription: string | undefined): Promise<readonly string[]> {
    const given = variable(this.#machine, 'BANKAPI_WEBHOOK_SECRET')
    if (given !== undefined) return [assertSendable('BANKAPI_WEBHOOK_SECRET', given)]
    const stored = subscription === undefined ? [] : await this.#stored(subscription)
    if (stored.length > 0) return stored
    throw new CredentialError(
      'missing',
      'The signing secret of this webhook subscription is not known on this machine.',
      'Put it in BANKAPI_WEBHOOK_SECRET or pipe it with --secret-stdin. Lost: bankapi webhooks rotate-secret whk_…',
    )
  }

  /** Stores the secret in use and keeps the one it replaces. @throws as storeSecret does. */
  async store(subscription: string, secret: string): Promise<void> {
    const where = chosenStore(this.#stores, this.#environment)
    const put = (account: string, value: string) =>
      storeSecret(this.#stores, this.#environment, account, value, where)
    const account = accountOf(this.#environment, subscription)
    const before = await readSecret(this.#stores, this.#environment, account)
    // The new one first: the service does not show it again.
    await put(account, secret)
    if (before === undefined || before === secret) return
    const replaced_at = Math.floor(this.#machine.now() / 1000)
    await put(
      replacedAccountOf(this.#environment, subscription),
      JSON.stringify({ secret: before, replaced_at }),
    )
  }

  /** Removes the secret in use and the one it replaced. @throws as forgetSecret does. */
  async forget(subscription: string): Promise<void> {
    await forgetSecret(this.#stores, this.#environment, accountOf(this.#environment, subscription))
    await forgetSecret(this.#stores, this.#environment, replacedAccountOf(this.#environment, subscription))
  }

  /**
   * Every signing secret of every environment, from the stores and from listeners on `local`. Use it to explain why a
   * signature does not match; only those of a delivery's own environment and subscription may accept it. Never rejects: a
   * store that cannot be read is left out.
   */
  async known(): Promise<readonly KnownSigningSecret[]> {
    const [noted, stored] = await Promise.all([
      attempt(async () => this.#noted()),
      attempt(async () => (await storedSecrets(this.#stores)).secrets),
    ])
    return [...noted, ...stored]
  }

  /**
   * Of known secrets those that the service may have signed a stored delivery with, at the time when it was received: of its
   * environment and, where it is known, its subscription.
   */
  validFor(
    delivery: {
      readonly environment: string
      readonly subscription?: string | undefined
      readonly receivedAt: number
    },
    known: readonly KnownSigningSecret[],
  ): readonly string[] {
    const { environment, subscription, receivedAt } = delivery
    return known
      .filter((one) => one.environment === environment)
      .filter((one) => subscription === undefined || one.subscription === subscription)
      .filter(
        ({ replacedAt }) => replacedAt === undefined || receivedAt / 1000 - replacedAt < OVERLAP_SECONDS,
      )
      .map(({ secret }) => secret)
  }

  async #stored(subscription: string): Promise<string[]> {
    const read = (account: string) => readSecret(this.#stores, this.#environment, account)
    const current = await read(accountOf(this.#environment, subscription))
    if (current === undefined) return []
    const replaced = parseReplaced(await read(replacedAccountOf(this.#environment, subscription)))
    if (replaced === undefined) return [current]
    const isValid = this.#machine.now() / 1000 - replaced.replaced_at < OVERLAP_SECONDS
    return isValid ? [current, replaced.secret] : [current]
  }

  #noted(): KnownSigningSecret[] {
    return listenerSubscriptions(this.#machine).flatMap(({ environment, subscription_id, signing_secret }) =>
      signing_secret === undefined
        ? []
        : [{ environment, subscription: subscription_id, secret: hidden(signing_secret) }],
    )
  }
}

/**
 * Every stored signing secret of every environment. A keychain that does not answer is reported beside what the file
 * holds. @throws FileError `unsafe_file`.
 */
export async function storedSecrets({
  file,
  keychain,
}: CredentialStores): Promise<{ secrets: KnownSigningSecret[]; keychain: KeychainError | undefined }> {
  const secrets = file.list().flatMap((account) => labelled(account, file.get(account)))
  try {
    for (const account of await keychain.list()) {
      if (accountPattern.test(account)) secrets.push(...labelled(account, await keychain.get(account)))
    }
    return { secrets, keychain: undefined }
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error
    return { secrets, keychain: error }
  }
}

function accountOf(environment: EnvironmentName, subscription: string): string {
  return `${environment}/webhook/${subscription}`
}

function replacedAccountOf(environment: EnvironmentName, subscription: string): string {
  return `${accountOf(environment, subscription)}/replaced`
}

const accountPattern = /^(?<environment>[a-z0-9-]+)\/webhook\/(?<subscription>[^/]+)(?<replaced>\/replaced)?$/

function labelled(account: string, value: string | undefined): KnownSigningSecret[] {
  const parts = accountPattern.exec(account)?.groups
  if (parts === undefined || value === undefined) return []
  const { environment, subscription, replaced } = parts as {
    environment: EnvironmentName
    subscription: string
    replaced?: string
  }
  const label = { environment, subscription }
  if (replaced === undefined) return [{ ...label, secret: hidden(value) }]
  const parsed = parseReplaced(value)
  return parsed === undefined ? [] : [{ ...label, secret: parsed.secret, replacedAt: parsed.replaced_at }]
}

function parseReplaced(text: string | undefined): z.infer<ReturnType<typeof Replaced>> | undefined {
  try {
    const replaced = Replaced().parse(JSON.parse(text ?? ''))
    hidden(replaced.secret)
    return replaced
  } catch {
    return undefined
  }
}

async function attempt(
  read: () => Promise<readonly KnownSigningSecret[]>,
): Promise<readonly KnownSigningSecret[]> {
  try {
    return await read()
  } catch {
    return []
  }
}
