/** Finds, stores and removes the secrets of an environment: environment variable, emulator, keychain or file. */
import { isSameBase } from '../config/base-url.ts'
import type { RunningEmulator } from '../config/emulator-state.ts'
import type { EnvironmentName, Mode } from '../config/environments.ts'
import { type Machine, variable } from '../machine/machine.ts'
import { assertKeyFits, expectedMode, isSendable } from './api-key.ts'
import type { CredentialsFile } from './credentials-file.ts'
import { CredentialError, KeychainError } from './errors.ts'
import { apiKeyAccount, type Keychain, portalSecretAccount } from './keychain.ts'
import { hidden } from './redaction.ts'

export type CredentialSource = 'environment' | 'keychain' | 'file' | 'emulator'

/** A secret, and where it came from. Only `source` is ever shown. */
export interface Credential {
  readonly secret: string
  readonly source: CredentialSource
}

/** The stores of secrets. For an environment whose user chose the file, it replaces the keychain. */
export interface CredentialStores {
  readonly keychain: Keychain
  readonly file: CredentialsFile
}

/** The input of a look-up. */
export interface CredentialLookup extends CredentialStores {
  readonly machine: Machine
  readonly environment: EnvironmentName
  readonly mode: Mode
  /** Where the secret will be sent; a running emulator's keys go to that emulator only. */
  readonly baseUrl?: string | undefined
  readonly emulator?: RunningEmulator | undefined
}

/**
 * The API key: `BANKAPI_API_KEY`, else the running emulator's for `local`, else the keychain, or the credentials file
 * where the user chose that. Throws CredentialError (`missing`; `wrong_environment` or `malformed` when its prefix or
 * form does not fit), KeychainError after 3 s, FileError `unsafe_file`.
 */
export async function findApiKey(lookup: CredentialLookup): Promise<Credential> {
  const { environment, mode, baseUrl, emulator } = lookup
  const found =
    fromEnvironment(lookup, 'BANKAPI_API_KEY') ??
    fromEmulator(lookup, 'api_key') ??
    (await fromStores(lookup, apiKeyAccount(environment)))
  if (found === undefined) throw noApiKey(lookup)
  assertKeyFits(found.secret, environment, expectedMode(mode, baseUrl, emulator))
  return found
}

/** The portal's bootstrap secret: `BANKAPI_PORTAL_SECRET`, then as findApiKey. Throws as it does. */
export async function findPortalSecret(lookup: CredentialLookup): Promise<Credential> {
  const { environment } = lookup
  const found =
    fromEnvironment(lookup, 'BANKAPI_PORTAL_SECRET') ??
    fromEmulator(lookup, 'portal_secret') ??
    (await fromStores(lookup, portalSecretAccount(environment)))
  if (found !== undefined) return found
  throw new CredentialError(
    'missing',
    `No portal secret is known for ${environment}.`,
    `Store it: bankapi login --env ${environment}, or put it in BANKAPI_PORTAL_SECRET`,
  )
}

/**
 * Stores a secret under a keychain account. `file` is `--insecure-storage`: from then on the environment uses the file.
 * `keychain` undoes that choice: the environment's secrets in the file move to the keychain.
 * Throws KeychainError, or FileError and CredentialError `unreadable` for the file; the secret is then not stored.
 */
export async function storeSecret(
  { keychain, file }: CredentialStores,
  environment: EnvironmentName,
  account: string,
  secret: string,
  where: 'keychain' | 'file',
): Promise<void> {
  hidden(secret)
  if (where === 'file') return file.set(account, secret)
  const inFile = accountsOf(environment, file.list())
  await keychain.set(account, secret)
  for (const other of inFile) {
    const moved = file.get(other)
    if (other !== account && moved !== undefined) await keychain.set(other, moved)
    await file.delete(other)
  }
}

/** The store of an environment's secrets: the file if it holds any of them, else the keychain. */
export function chosenStore({ file }: CredentialStores, environment: EnvironmentName): 'keychain' | 'file' {
  return file.isChosen(environment) ? 'file' : 'keychain'
}

/** Removes one secret from where it is kept. Returns whether there was one. Throws as storeSecret does. */
export async function forgetSecret(
  stores: CredentialStores,
  environment: EnvironmentName,
  account: string,
): Promise<boolean> {
  return chosenStore(stores, environment) === 'file'
    ? stores.file.delete(account)
    : stores.keychain.delete(account)
}

/** The secrets of an environment: those that are stored, or those that a logout removed. */
export interface StoredAccounts {
  /** The accounts that have or had a secret, sorted. */
  readonly accounts: string[]
  /** Why the keychain could not be read, where the user had chosen the file. */
  readonly keychain: KeychainError | undefined
}

/** The accounts of an environment. A keychain that does not answer is reported in the result. */
export async function storedAccounts(
  { keychain, file }: CredentialStores,
  environment: EnvironmentName,
): Promise<StoredAccounts> {
  const fromFile = accountsOf(environment, file.list())
  try {
    const all = new Set([...fromFile, ...accountsOf(environment, await keychain.list())])
    return { accounts: [...all].sort(), keychain: undefined }
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error
    return { accounts: fromFile, keychain: error }
  }
}

/**
 * Removes every secret of an environment, from the file and from the keychain. Where the user had chosen the file,
 * a keychain that does not answer is reported in the result. Otherwise throws KeychainError.
 */
export async function forgetEnvironment(
  { keychain, file }: CredentialStores,
  environment: EnvironmentName,
): Promise<StoredAccounts> {
  const fromFile = accountsOf(environment, file.list())
  for (const account of fromFile) await file.delete(account)
  const forgotten = new Set(fromFile)
  let failure: KeychainError | undefined
  try {
    for (const account of accountsOf(environment, await keychain.list())) {
      if (await keychain.delete(account)) forgotten.add(account)
    }
  } catch (error) {
    if (!(error instanceof KeychainError) || fromFile.length === 0) throw error
    failure = error
  }
  return { accounts: [...forgotten].sort(), keychain: failure }
}

/** The accounts among these that are of an environment. */
export function accountsOf(environment: EnvironmentName, accounts: readonly string[]): string[] {
  return accounts.filter((account) => account.startsWith(`${environment}/`))
}

function fromEnvironment({ machine }: CredentialLookup, name: string): Credential | undefined {
  const secret = variable(machine, name)
  return secret === undefined ? undefined : { secret: assertSendable(name, secret), source: 'environment' }
}

/** The value of an environment variable, as a secret. @throws CredentialError `malformed`, without repeating it. */
export function assertSendable(name: string, secret: string): string {
  if (isSendable(secret)) return hidden(secret)
  throw new CredentialError(
    'malformed',
    `${name} has spaces, line breaks or other characters in it that no secret has.`,
    'Copy it again, whole and on one line.',
  )
}

/** The emulator's secret for its own base URL; undefined for any other address. */
function fromEmulator(
  { mode, baseUrl, emulator }: CredentialLookup,
  which: 'api_key' | 'portal_secret',
): Credential | undefined {
  if (mode !== 'local' || emulator === undefined || baseUrl === undefined) return undefined
  const base = [emulator.sandbox, emulator.live].find((one) => isSameBase(one.base_url, baseUrl))
  return base === undefined ? undefined : { secret: hidden(base[which]), source: 'emulator' }
}

async function fromStores(lookup: CredentialLookup, account: string): Promise<Credential | undefined> {
  const secret = await readSecret(lookup, lookup.environment, account)
  return secret === undefined ? undefined : { secret, source: chosenStore(lookup, lookup.environment) }
}

/** A secret from the store of its environment; undefined when there is none. */
export async function readSecret(
  { keychain, file }: CredentialStores,
  environment: EnvironmentName,
  account: string,
): Promise<string | undefined> {
  const secret = file.isChosen(environment) ? file.get(account) : await keychain.get(account)
  return secret === undefined ? undefined : hidden(secret)
}

function noApiKey({ environment, mode }: CredentialLookup): CredentialError {
  return new CredentialError(
    'missing',
    `No API key is known for ${environment}.`,
    mode === 'local'
      ? 'Start the emulator, which brings its own: bankapi emulator start. For another address: BANKAPI_API_KEY'
      : `Store one: bankapi login --env ${environment}, or put it in BANKAPI_API_KEY`,
  )
}
