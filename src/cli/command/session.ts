/** Resolves what a command needs to call the service: the environment, the base URL, the key and the API itself. */
import { type Api, createApi } from '../../api/api.ts'
import { ApiResponseError } from '../../api/errors.ts'
import type { Wait } from '../../api/options.ts'
import { ServiceClock } from '../../api/service-clock.ts'
import { undiciTransport } from '../../api/undici-transport.ts'
import { normalizeBaseUrl } from '../../config/base-url.ts'
import { type EmulatorState, readEmulatorState } from '../../config/emulator-state.ts'
import {
  type Environment,
  environmentsWith,
  type Resolved,
  type ResolvedEnvironment,
  resolveBaseUrl,
  resolveClientId,
  resolveEnvironment,
} from '../../config/environments.ts'
import { askRemoteEmulator, remoteEmulator } from '../../config/remote-emulator.ts'
import { openSettings, type Settings } from '../../config/settings.ts'
import type { Machine } from '../../machine/machine.ts'
import { systemClock, variable } from '../../machine/machine.ts'
import { displayedKey } from '../../secrets/api-key.ts'
import { BoundAddresses } from '../../secrets/bound-addresses.ts'
import type { CredentialStores, StoredAccounts } from '../../secrets/credentials.ts'
import { openCredentialsFile } from '../../secrets/credentials-file.ts'
import { type BoundCredential, EnvironmentSecrets } from '../../secrets/environment-secrets.ts'
import { openKeychain } from '../../secrets/keychain.ts'
import { forgetListenerSubscriptions } from '../../secrets/listener-subscriptions.ts'
import { redacted } from '../../secrets/redaction.ts'
import { SigningSecrets } from '../../secrets/signing-secrets.ts'
import { UsageError } from '../errors/errors.ts'
import { KnownIds } from './known-ids.ts'

export interface SessionOptions {
  readonly machine: Machine
  /** The file of the keychain process. */
  readonly keychainProgram: URL
  readonly userAgent: string
  /** `--env`, `--base-url` and `--debug`. */
  readonly flags: {
    readonly env?: string | undefined
    readonly 'base-url'?: string | undefined
    readonly debug?: boolean | undefined
  }
  /** Where nothing is configured and an emulator runs, the environment is local; without it, sandbox. */
  readonly prefersEmulator: boolean
  /** Called with a sentence for stderr. */
  readonly onWarning: (warning: string) => void
  /** Called before a retry. */
  readonly onWait: (wait: Wait) => void
  /** Called with a redacted line of the --debug log. */
  readonly onDebug: (line: string) => void
}

/** Variables that say which service is meant: where one is set, something is configured. */
const variablesOfService = ['BANKAPI_BASE_URL', 'BANKAPI_API_KEY']

/** Each value is looked up once, when first used: a command that needs no key never opens the keychain. */
export class Session {
  readonly #options: SessionOptions
  /** The settings as they are for the environment. */
  readonly settings: Settings
  readonly environment: ResolvedEnvironment
  /** The ids that the completion of the shell offers in this environment. */
  readonly knownIds: KnownIds
  /** Ages are told by it. */
  readonly serviceClock = new ServiceClock(Date.now)
  #emulator: EmulatorState | undefined
  #stores: CredentialStores | undefined
  #secrets: EnvironmentSecrets | undefined
  #api: Api | undefined
  #key: Promise<BoundCredential> | undefined
  #keyInUse: string | undefined
  #addresses: BoundAddresses | undefined

  private constructor(options: SessionOptions, settings: Settings) {
    this.#options = {
      ...options,
      onWarning: (warning) => options.onWarning(redacted(warning)),
      onDebug: (line) => options.onDebug(redacted(line)),
    }
    this.settings = settings
    this.environment = resolveEnvironment({
      machine: options.machine,
      settings,
      flag: options.flags.env,
      prefersEmulator: () => options.prefersEmulator && !this.#isConfigured() && this.#runsEmulator(),
    })
    this.settings = settings.in(this.environment.value)
    this.knownIds = new KnownIds(options.machine, this.environment.value)
  }

  /** @throws ConfigError when settings or the environment's name are unusable. */
  static async open(options: SessionOptions): Promise<Session> {
    return new Session(options, await openSettings(options.machine, options.onWarning))
  }

  /**
   * Whether an address or a key of any environment is known here, in a variable, the settings or the stores. The keychain is
   * not asked: what `login` put into it is noted with its address.
   */
  #isConfigured(): boolean {
    if (this.#options.flags['base-url'] !== undefined) return true
    if (variablesOfService.some((name) => variable(this.machine, name) !== undefined)) return true
    const { settings } = this
    const addresses = Object.keys(settings.list()).filter((name) => name.endsWith('.base_url'))
    if (settings.profiles.length > 0 || addresses.length > 0) return true
    try {
      return this.#bound.accounts().length > 0 || this.stores.file.list().length > 0
    } catch {
      // A file that cannot be read may hold some.
      return true
    }
  }

  #runsEmulator(): boolean {
    if (remoteEmulator(this.machine) !== undefined) return true
    try {
      return this.emulator.running !== undefined
    } catch {
      // Its file is not trusted; where the emulator is asked for, that is an error.
      return false
    }
  }

  get machine(): Machine {
    return this.#options.machine
  }

  get emulator(): EmulatorState {
    this.#emulator ??= readEmulatorState(this.machine)
    return this.#emulator
  }

  get stores(): CredentialStores {
    this.#stores ??= {
      keychain: openKeychain(this.machine, { program: this.#options.keychainProgram }),
      file: openCredentialsFile(this.machine, this.#options.onWarning),
    }
    return this.#stores
  }

  /** @throws ConfigError when no address is known or the given one is unusable. */
  get baseUrl(): Resolved<string> {
    return resolveBaseUrl(this.#named, {
      machine: this.machine,
      settings: this.settings,
      flag: this.#options.flags['base-url'],
      emulator: () => this.emulator,
    })
  }

  /** The API key and the portal secret of this environment. */
  get secrets(): EnvironmentSecrets {
    this.#secrets ??= new EnvironmentSecrets({
      machine: this.machine,
      stores: this.stores,
      addresses: this.#bound,
      environment: this.#named,
      baseUrl: () => this.baseUrl.value,
      emulator: () => this.emulator.running,
      remoteEmulator: async () => {
        const origin = remoteEmulator(this.machine)
        return origin && askRemoteEmulator(origin, this.machine.now())
      },
    })
    return this.#secrets
  }

  /** The API key, where it came from, and the address a stored one is bound to; looked up once. */
  apiKey(): Promise<BoundCredential> {
    this.#key ??= this.secrets.find('api-key').then((credential) => {
      this.#keyInUse = displayedKey(credential.secret)
      return credential
    })
    return this.#key
  }

  get #named(): Environment {
    return { name: this.environment.value, mode: this.environment.mode }
  }

  get #bound(): BoundAddresses {
    this.#addresses ??= new BoundAddresses({
      machine: this.machine,
      environments: environmentsWith(this.settings.profiles),
      configured: (environment) => {
        const name = `environments.${environment}.base_url`
        const address = this.settings.list()[name]
        return address === undefined ? undefined : normalizeBaseUrl(String(address), name)
      },
      onWarning: this.#options.onWarning,
    })
    return this.#addresses
  }

  /** The first characters of the key that was looked up, safe to display. */
  get keyInUse(): string | undefined {
    return this.#keyInUse
  }

  /** The Client that commands act for without --client, if there is one. */
  get defaultClientId(): string | undefined {
    return resolveClientId(this.environment.value, { machine: this.machine, settings: this.settings })?.value
  }

  /**
   * `--client`, else BANKAPI_CLIENT_ID, else the setting. `orAll`: the command takes --all-clients, too.
   * @throws UsageError when there is none of them.
   */
  clientId(flag: string | undefined, { orAll = false }: { readonly orAll?: boolean } = {}): string {
    const found = resolveClientId(this.environment.value, {
      machine: this.machine,
      settings: this.settings,
      flag,
    })
    if (found) return found.value
    throw new UsageError('Which Client? --client is missing', {
      code: 'client_missing',
      hint: `Give --client cli_…${orAll ? ' or --all-clients' : ''}, or set BANKAPI_CLIENT_ID. Your Clients: bankapi clients list`,
    })
  }

  /** The typed calls. Nothing is sent, and no key looked up, before the first call. */
  get api(): Api {
    this.#api ??= this.#createApi(async () => (await this.apiKey()).secret)
    return this.#api
  }

  /**
   * Checks a key with the service. A key without the scope for the call counts as known.
   * @throws CredentialError when its form does not fit the environment, ApiResponseError when it is unknown.
   */
  async checkKey(secret: string, signal: AbortSignal): Promise<true> {
    this.secrets.assertUsable(secret, 'api-key')
    const api = this.#createApi(async () => secret)
    try {
      await api.clients.list({ limit: 1 }, { signal })
    } catch (error) {
      if (!(error instanceof ApiResponseError && error.code === 'insufficient_scope')) throw error
    } finally {
      await api.close()
    }
    return true
  }

  /** The signing secrets of webhook subscriptions. Needs no base URL. */
  get signingSecrets(): SigningSecrets {
    const { machine, stores } = this
    return new SigningSecrets({ machine, stores, environment: this.environment.value })
  }

  /** Removes every secret of the environment, and the ids known of it. Returns the accounts that had a secret. */
  async forgetSecrets(): Promise<StoredAccounts> {
    const forgotten = await this.secrets.forget()
    this.knownIds.forget()
    return forgotten
  }

  /** Removes a profile from the settings, with what listeners and commands noted of it. Its secrets go before. */
  async removeProfile(): Promise<void> {
    const { value: environment } = this.environment
    await forgetListenerSubscriptions(this.machine, environment)
    await this.#bound.forget(environment)
    this.knownIds.forget()
    await this.settings.removeProfile(environment)
  }

  async close(): Promise<void> {
    await this.#api?.close()
    this.knownIds.save()
  }

  #createApi(credential: () => Promise<string>): Api {
    return createApi(
      {
        baseUrl: this.baseUrl.value,
        credential,
        portalSecret: async () => (await this.secrets.find('portal-secret')).secret,
        userAgent: this.#options.userAgent,
        env: this.machine.env,
        clock: systemClock,
        random: { fraction: Math.random, uuid: () => crypto.randomUUID() },
        overrides: this.settings.overrides(),
        uploadEncoding: this.settings.get('upload.encoding') === 'raw' ? 'raw' : 'multipart',
        onReply: ({ headers }) => this.serviceClock.note(headers),
        onData: (data) => this.knownIds.note(data),
        onWarning: (warning) => this.#options.onWarning(warning.message),
        onWait: (wait) => this.#options.onWait(wait),
        ...(this.#options.flags.debug ? { log: this.#options.onDebug } : {}),
      },
      undiciTransport,
    )
  }
}
