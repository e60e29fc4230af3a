/**
 * Signing secrets of webhook subscriptions, kept where the environment's other secrets are: the one in use, and the one
 * that a rotation replaced, with the time at which it did.
 */
import * as z from 'zod'
import { type CredentialStores, chosenStore, forgetSecret, storeSecret } from './credentials.ts'
import { type EnvironmentName, environmentNames } from './environment-names.ts'
import { KeychainError } from './errors.ts'
import { webhookSecretAccount } from './keychain.ts'

/** A signing secret that this machine knows. */
export interface StoredWebhookSecret {
  readonly environment: EnvironmentName
  readonly subscription: string
  readonly secret: string
  /** Unix seconds at which a rotation replaced it; absent for the one in use. */
  readonly replacedAt?: number | undefined
}

/** Seconds for which the service signs with the replaced secret as well. */
const OVERLAP = 24 * 60 * 60

/** Made when a secret is read: most starts read none. */
const Replaced = () => z.object({ secret: z.string().min(1), replaced_at: z.number() })

const replacedAccount = (environment: EnvironmentName, subscription: string): string =>
  `${webhookSecretAccount(environment, subscription)}/replaced`

/**
 * The secrets of a subscription that deliveries may be signed with at `now` (Unix seconds): the one in use first, then
 * the one it replaced less than 24 hours ago. Empty when none is stored. Throws KeychainError after 3 s, ConfigError
 * `unsafe_file`.
 */
export async function validWebhookSecrets(
  stores: CredentialStores,
  environment: EnvironmentName,
  subscription: string,
  now: number,
): Promise<string[]> {
  const current = await read(stores, environment, webhookSecretAccount(environment, subscription))
  if (current === undefined) return []
  const replaced = parseReplaced(await read(stores, environment, replacedAccount(environment, subscription)))
  const overlaps = replaced !== undefined && now - replaced.replaced_at < OVERLAP
  return overlaps && replaced.secret !== current ? [current, replaced.secret] : [current]
}

/** Stores the secret that a rotation gave, and keeps the one it replaced. Throws as storeSecret does. */
export async function replaceWebhookSecret(
  stores: CredentialStores,
  environment: EnvironmentName,
  subscription: string,
  { secret, now }: { secret: string; now: number },
): Promise<void> {
  const where = chosenStore(stores, environment)
  const account = webhookSecretAccount(environment, subscription)
  const before = await read(stores, environment, account)
  // The new one first: nobody will show it again.
  await storeSecret(stores, environment, account, secret, where)
  if (before === undefined || before === secret) return
  const replaced = JSON.stringify({ secret: before, replaced_at: Math.floor(now) })
  await storeSecret(stores, environment, replacedAccount(environment, subscription), replaced, where)
}

/** Forgets both secrets of a subscription. Throws as forgetSecret does. */
export async function forgetWebhookSecrets(
  stores: CredentialStores,
  environment: EnvironmentName,
  subscription: string,
): Promise<void> {
  await forgetSecret(stores, environment, webhookSecretAccount(environment, subscription))
  await forgetSecret(stores, environment, replacedAccount(environment, subscription))
}

/**
 * Every signing secret of every environment, to explain a signature with and never to accept one. A keychain that does
 * not answer is reported beside what the file holds. Throws ConfigError `unsafe_file`.
 */
export async function everyWebhookSecret(
  stores: CredentialStores,
): Promise<{ secrets: StoredWebhookSecret[]; keychain: KeychainError | undefined }> {
  const { file, keychain } = stores
  const secrets = file.list().flatMap((account) => labelled(account, file.get(account)))
  try {
    for (const account of await keychain.list()) {
      if (isWebhookAccount(account)) secrets.push(...labelled(account, await keychain.get(account)))
    }
    return { secrets, keychain: undefined }
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error
    return { secrets, keychain: error }
  }
}

function read(
  { file, keychain }: CredentialStores,
  environment: EnvironmentName,
  account: string,
): Promise<string | undefined> {
  return file.isChosen(environment) ? Promise.resolve(file.get(account)) : keychain.get(account)
}

const accountPattern = new RegExp(`^(${environmentNames.join('|')})/webhook/([^/]+)(/replaced)?$`)

function isWebhookAccount(account: string): boolean {
  return accountPattern.test(account)
}

function labelled(account: string, value: string | undefined): StoredWebhookSecret[] {
  const [, environment, subscription, replaced] = accountPattern.exec(account) ?? []
  if (environment === undefined || subscription === undefined || value === undefined) return []
  const label = { environment: environment as EnvironmentName, subscription }
  if (replaced === undefined) return [{ ...label, secret: value }]
  const parsed = parseReplaced(value)
  return parsed === undefined ? [] : [{ ...label, secret: parsed.secret, replacedAt: parsed.replaced_at }]
}

function parseReplaced(text: string | undefined): z.infer<ReturnType<typeof Replaced>> | undefined {
  if (text === undefined) return undefined
  try {
    return Replaced().safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
