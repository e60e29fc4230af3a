/** The API key and the portal secret of one environment: found and checked for the address in use, stored, listed, forgotten. */
import type { RunningEmulator } from '../config/emulator-state.ts'
import type { Environment, EnvironmentName } from '../config/environments.ts'
import type { Machine } from '../machine/machine.ts'
import { assertKeyFits, expectedMode, isSendable } from './api-key.ts'
import type { BoundAddresses } from './bound-addresses.ts'
import {
  accountsOf,
  type Credential,
  type CredentialLookup,
  type CredentialStores,
  chosenStore,
  findApiKey,
  findPortalSecret,
  forgetEnvironment,
  type StoredAccounts,
  storedAccounts,
  storeSecret,
} from './credentials.ts'
import { CredentialError } from './errors.ts'
import { apiKeyAccount, portalSecretAccount } from './keychain.ts'
import { hidden } from './redaction.ts'

/** The secrets that `login` stores. */
type StoredSecret = 'api-key' | 'portal-secret'

/** A secret, and the address that it is bound to; undefined for one that is not stored. */
export interface BoundCredential extends Credential {
  readonly boundTo: string | undefined
}

export interface EnvironmentSecretsOptions {
  readonly machine: Machine
  readonly stores: CredentialStores
  readonly addresses: BoundAddresses
  readonly environment: Environment
  /** Where they are sent; asked when needed. @throws ConfigError when no address is known. */
  readonly baseUrl: () => string
  /** On this machine; asked for a local environment only. */
  readonly emulator: () => RunningEmulator | undefined
  /** The one that BANKAPI_EMULATOR names, in place of one on this machine. Rejects when it does not answer. */
  readonly remoteEmulator: () => Promise<RunningEmulator | undefined>
}

export class EnvironmentSecrets {
  readonly #options: EnvironmentSecretsOptions

  constructor(options: EnvironmentSecretsOptions) {
    this.#options = options
  }

  /** The secret, where it came from, and the address a stored one is bound to. Throws as findApiKey does. */
  async find(kind: StoredSecret): Promise<BoundCredential> {
    const local = this.#lookup()
    this.assertOwnAddress()
    const remote = local.mode === 'local' ? await this.#options.remoteEmulator() : undefined
    const lookup = remote === undefined ? local : { ...local, emulator: remote }
    const found = await (kind === 'api-key' ? findApiKey(lookup) : findPortalSecret(lookup))
    if (found.source !== 'keychain' && found.source !== 'file') return { ...found, boundTo: undefined }
    const { environment, baseUrl } = lookup
    const account = accountOf(kind, environment)
    return {
      ...found,
      boundTo: await this.#options.addresses.assertBound({ environment, account, baseUrl }),
    }
  }

  /** @throws CredentialError `shared_address` when the address is also that of an environment of the other mode. */
  assertOwnAddress(): void {
    const { addresses, environment, baseUrl } = this.#options
    addresses.assertOwn(environment, baseUrl())
  }

  /** @throws CredentialError when the secret cannot be sent, or is a key of another environment. */
  assertUsable(secret: string, kind: StoredSecret): void {
    const { environment, mode, baseUrl, emulator } = this.#lookup()
    this.assertOwnAddress()
    hidden(secret)
    if (kind === 'api-key') assertKeyFits(secret, environment, expectedMode(mode, baseUrl, emulator))
    else if (!isSendable(secret)) {
      throw new CredentialError(
        'malformed',
        'The portal secret has spaces, line breaks or other characters in it that no secret has.',
        'Copy it again, whole and on one line.',
      )
    }
  }

  /** Stores a secret for the address in use. @throws KeychainError, or FileError when a file cannot be written. */
  async store(kind: StoredSecret, secret: string, where: 'keychain' | 'file'): Promise<void> {
    const { stores, addresses, baseUrl } = this.#options
    const account = accountOf(kind, this.#name)
    await storeSecret(stores, this.#name, account, secret, where)
    // Afterwards: were it not stored, the one before would be bound to this address.
    await addresses.bind(account, baseUrl())
  }

  /** The store of this environment's secrets: the keychain, or the file the user chose. */
  get chosenStore(): 'keychain' | 'file' {
    return chosenStore(this.#options.stores, this.#name)
  }

  /**
   * Checks that a secret can be stored, before a call whose answer shows one only once.
   * @throws KeychainError when the keychain does not answer.
   */
  async assertCanStore(): Promise<void> {
    if (this.chosenStore === 'keychain') await this.#options.stores.keychain.list()
  }

  /**
   * The accounts of the environment that have a secret. A keychain that does not answer is in the result.
   * @throws KeychainError when it does not answer and has a secret of this environment.
   */
  async stored(): Promise<StoredAccounts> {
    const { stores, addresses } = this.#options
    const stored = await storedAccounts(stores, this.#name)
    const bound = accountsOf(this.#name, addresses.accounts())
    if (stored.keychain !== undefined && !bound.every((account) => stored.accounts.includes(account))) {
      throw stored.keychain
    }
    return stored
  }

  /** Removes every secret of the environment. Returns the accounts that had one. Throws as forgetEnvironment does. */
  async forget(): Promise<StoredAccounts> {
    const { stores, addresses } = this.#options
    const forgotten = await forgetEnvironment(stores, this.#name)
    await addresses.forget(this.#name)
    return forgotten
  }

  get #name(): EnvironmentName {
    return this.#options.environment.name
  }

  #lookup(): CredentialLookup & { readonly baseUrl: string } {
    const { machine, stores, environment, baseUrl, emulator } = this.#options
    const { name, mode } = environment
    return {
      ...stores,
      machine,
      environment: name,
      mode,
      baseUrl: baseUrl(),
      emulator: mode === 'local' ? emulator() : undefined,
    }
  }
}

function accountOf(kind: StoredSecret, environment: EnvironmentName): string {
  return kind === 'api-key' ? apiKeyAccount(environment) : portalSecretAccount(environment)
}
