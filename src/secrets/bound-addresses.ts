/**
 * Binds stored keys and portal secrets to the address they were stored for, so that an address left in a variable, or
 * given by mistake, gets none of them. `addresses.json` in the config folder, 0600: the keychain's entries stay as they
 * are.
 */
import { isSameBase } from '../config/base-url.ts'
import type { Environment, EnvironmentName } from '../config/environments.ts'
import type { Machine } from '../machine/machine.ts'
import { FileError } from '../machine/private-folder.ts'
import { type AccountsFile, openAccountsFile } from './accounts-file.ts'
import { CredentialError } from './errors.ts'
import { apiKeyAccount, portalSecretAccount } from './keychain.ts'

export interface BoundAddressesOptions {
  readonly machine: Machine
  /** Every environment there is. */
  readonly environments: readonly Environment[]
  /** The base URL that the settings have for an environment; undefined when they have none. */
  readonly configured: (environment: EnvironmentName) => string | undefined
  readonly onWarning: (warning: string) => void
}

/** Where a stored secret is about to be sent. */
interface Use {
  readonly environment: EnvironmentName
  /** Its account in the keychain or the credentials file. */
  readonly account: string
  readonly baseUrl: string
}

export class BoundAddresses {
  readonly #file: AccountsFile
  readonly #environments: readonly Environment[]
  readonly #configured: BoundAddressesOptions['configured']

  constructor({ machine, environments, configured, onWarning }: BoundAddressesOptions) {
    this.#environments = environments
    this.#configured = configured
    this.#file = openAccountsFile(machine, {
      name: 'addresses.json',
      repair: () => 'Store the keys again, which says what their addresses are: bankapi login',
      onWarning,
    })
  }

  /** Binds a secret that was just stored to its address. @throws FileError when the file cannot be written. */
  bind(account: string, baseUrl: string): Promise<void> {
    return this.#file.set(account, baseUrl)
  }

  /** Forgets the addresses of an environment. @throws FileError when the file cannot be written. */
  async forget(environment: EnvironmentName): Promise<void> {
    for (const account of this.#file.list()) {
      if (account.startsWith(`${environment}/`)) await this.#file.delete(account)
    }
  }

  /**
   * The address that a stored secret is bound to, which is the one of this use. A secret that an earlier version stored
   * is bound now: to the address in the settings, never to one of a flag or a variable.
   * @throws CredentialError `other_address` when it is bound to another one, or cannot be bound.
   */
  async assertBound({ environment, account, baseUrl }: Use): Promise<string> {
    const bound = this.#file.get(account) ?? (await this.#bindToSettings(environment, account))
    // Another name of this machine may be another program's socket.
    if (bound === baseUrl) return bound
    const belongs = bound === undefined ? 'was stored without an address' : `belongs to ${bound}`
    throw new CredentialError(
      'other_address',
      `The stored secret ${account} ${belongs}, and would go to ${baseUrl}. Nothing was sent.`,
      'Without --base-url and BANKAPI_BASE_URL the address is that of the settings. For another one, give its key in ' +
        'BANKAPI_API_KEY (a portal secret in BANKAPI_PORTAL_SECRET), or store it: ' +
        `bankapi login --env ${environment} --base-url ${baseUrl}`,
    )
  }

  /** The accounts whose stored secret is bound to an address. @throws CredentialError `unreadable`. */
  accounts(): string[] {
    return this.#file.list()
  }

  /**
   * Refuses an address that environments of both modes share: a service has one for each, so one of them is a mistake.
   * Profiles of the same mode may be customers of the same service.
   * @throws CredentialError `shared_address`.
   */
  assertOwn(environment: Environment, baseUrl: string): void {
    if (environment.mode === 'local') return
    const other = this.#environments.find(
      ({ name, mode }) =>
        mode !== 'local' &&
        mode !== environment.mode &&
        this.#addressesOf(name).some((one) => isSameBase(one, baseUrl)),
    )
    if (other === undefined) return
    throw new CredentialError(
      'shared_address',
      `${baseUrl} is the address of ${other.name}; ${environment.name} has another one. Nothing was sent.`,
      `Set the address of each: bankapi config set environments.${environment.name}.base_url https://…/v3. ` +
        `If ${other.name} is the wrong one, also: bankapi logout --env ${other.name}`,
    )
  }

  #addressesOf(environment: EnvironmentName): string[] {
    const known = [
      this.#configured(environment),
      this.#file.get(apiKeyAccount(environment)),
      this.#file.get(portalSecretAccount(environment)),
    ]
    return known.filter((address) => address !== undefined)
  }

  async #bindToSettings(environment: EnvironmentName, account: string): Promise<string | undefined> {
    const address = this.#configured(environment)
    if (address === undefined) return undefined
    try {
      await this.bind(account, address)
    } catch (error) {
      // Where nothing can be written the settings do not change either.
      if (!(error instanceof FileError)) throw error
    }
    return address
  }
}
