/** Chooses the environment, the base URL and the Client: flag, then environment variable, then setting, then default. */
import { type Machine, variable } from '../machine/machine.ts'
import { normalizeBaseUrl } from './base-url.ts'
import type { EmulatorState } from './emulator-state.ts'
import { ConfigError, closest } from './errors.ts'
import { remoteEmulator } from './remote-emulator.ts'

/** The environments that are always there: the emulator on this machine, the bank's test service, its live service. */
export const builtInEnvironments = ['local', 'sandbox', 'live'] as const

/** The rules that an environment keeps: which keys it takes, whether its data is real, whether it is the emulator. */
export type Mode = (typeof builtInEnvironments)[number]

/** One of the three, whose mode is its name, or a profile of the user. */
export type EnvironmentName = string

export interface Environment {
  readonly name: EnvironmentName
  readonly mode: Mode
}

/** An environment of the user's own. */
export interface Profile extends Environment {
  readonly mode: 'sandbox' | 'live'
}

export function isBuiltIn(name: string): name is Mode {
  return (builtInEnvironments as readonly string[]).includes(name)
}

/** The source of a value, shown by `whoami` and `doctor`. */
export type ValueSource = 'flag' | 'environment' | 'setting' | 'emulator' | 'default'

export interface Resolved<T> {
  readonly value: T
  readonly source: ValueSource
}

export interface ResolvedEnvironment extends Resolved<EnvironmentName> {
  readonly mode: Mode
}

/** The part of Settings that is read here; settings-keys.ts needs the names above. */
interface SettingsReader {
  get(name: string): string | boolean | undefined
}

interface Choice {
  readonly machine: Machine
  readonly settings: SettingsReader
  /** The value of the command-line flag, if given. */
  readonly flag?: string | undefined
}

interface EnvironmentChoice extends Choice {
  readonly settings: SettingsReader & { readonly profiles: readonly Profile[] }
  /** Whether to work with the emulator where nothing says which environment is meant. */
  readonly prefersEmulator: () => boolean
}

/**
 * The environment a command works in: `--env`, else `BANKAPI_ENV`, else the setting `default_environment`, else
 * local or sandbox. Throws ConfigError `unknown_environment`.
 */
export function resolveEnvironment(choice: EnvironmentChoice): ResolvedEnvironment {
  const { machine, settings, flag, prefersEmulator } = choice
  const { profiles } = settings
  if (flag !== undefined) return { ...known(flag, '--env', profiles), source: 'flag' }
  const fromEnvironment = variable(machine, 'BANKAPI_ENV')
  if (fromEnvironment !== undefined) {
    return { ...known(fromEnvironment, 'BANKAPI_ENV', profiles), source: 'environment' }
  }
  const configured = settings.get('default_environment')
  if (configured !== undefined) {
    return { ...known(String(configured), 'default_environment', profiles), source: 'setting' }
  }
  return prefersEmulator()
    ? { value: 'local', mode: 'local', source: 'emulator' }
    : { value: 'sandbox', mode: 'sandbox', source: 'default' }
}

function known(
  name: string,
  from: string,
  profiles: readonly Profile[],
): { value: EnvironmentName; mode: Mode } {
  const found = environmentsWith(profiles).find((one) => one.name === name)
  if (found !== undefined) return { value: name, mode: found.mode }
  const names = environmentsWith(profiles).map((one) => one.name)
  const meant = closest(name, names)
  throw new ConfigError(
    'unknown_environment',
    `The environment given by ${from} is none of ${names.join(', ')}.` +
      (meant === undefined ? '' : ` Did you mean ${meant}?`),
    'Choose one: --env local, --env sandbox or --env live. An environment of your own: bankapi config profile add',
  )
}

/** Every environment: the three, then the profiles. */
export function environmentsWith(profiles: readonly Profile[]): readonly Environment[] {
  return [...builtInEnvironments.map((name) => ({ name, mode: name })), ...profiles]
}

/**
 * The base URL of an environment, ending in `/v3` without a slash: `--base-url`, else `BANKAPI_BASE_URL`, else the
 * setting `environments.<env>.base_url`, else for `local` the sandbox base of the emulator that BANKAPI_EMULATOR names, or
 * that runs on this machine. The reference names no address for sandbox and live, so there is none built in.
 *
 * Throws ConfigError `base_url_invalid`, `base_url_missing`, or for `local` `emulator_not_running` and
 * `emulator_address_invalid`.
 */
export function resolveBaseUrl(
  environment: Environment,
  { machine, settings, flag, emulator }: Choice & { readonly emulator: () => EmulatorState },
): Resolved<string> {
  const remote = environment.mode === 'local' ? remoteEmulator(machine) : undefined
  if (flag !== undefined) {
    return { value: normalizeBaseUrl(flag, '--base-url', remote?.hostname), source: 'flag' }
  }
  const fromEnvironment = variable(machine, 'BANKAPI_BASE_URL')
  if (fromEnvironment !== undefined) {
    const value = normalizeBaseUrl(fromEnvironment, 'BANKAPI_BASE_URL', remote?.hostname)
    return { value, source: 'environment' }
  }
  const name = `environments.${environment.name}.base_url`
  const configured = settings.get(name)
  if (configured !== undefined)
    return { value: normalizeBaseUrl(String(configured), name), source: 'setting' }
  if (environment.mode !== 'local') throw missing(environment.name, emulator)
  if (remote !== undefined) return { value: `${remote.origin}/v3`, source: 'emulator' }
  return { value: emulatorBase(emulator()), source: 'emulator' }
}

function missing(environment: EnvironmentName, emulator: () => EmulatorState): ConfigError {
  return new ConfigError(
    'base_url_missing',
    `No address is known for ${environment}.`,
    `Set it: bankapi config set environments.${environment}.base_url https://…/v3, or BANKAPI_BASE_URL for one command. ` +
      (runs(emulator)
        ? 'For the emulator that runs on this machine: --env local'
        : 'To try without the bank: bankapi emulator start, then --env local'),
  )
}

function runs(emulator: () => EmulatorState): boolean {
  try {
    return emulator().running !== undefined
  } catch {
    // Its file is not trusted; that is an error where the emulator is asked for.
    return false
  }
}

function emulatorBase({ running, ignored }: EmulatorState): string {
  if (running !== undefined) {
    const { base_url: address } = running.sandbox
    // It was bound to this address on purpose.
    return normalizeBaseUrl(address, "the emulator's state file", URL.parse(address)?.hostname)
  }
  throw new ConfigError(
    'emulator_not_running',
    `No emulator is running on this machine.${ignored === undefined ? '' : ` ${ignored}`}`,
    'Start one in another terminal: bankapi emulator start',
  )
}

/** The client a command works for: `--client`, else `BANKAPI_CLIENT_ID`, else `environments.<env>.client_id`. */
export function resolveClientId(
  environment: EnvironmentName,
  { machine, settings, flag }: Choice,
): Resolved<string> | undefined {
  if (flag !== undefined) return { value: flag, source: 'flag' }
  const fromEnvironment = variable(machine, 'BANKAPI_CLIENT_ID')
  if (fromEnvironment !== undefined) return { value: fromEnvironment, source: 'environment' }
  const configured = settings.get(`environments.${environment}.client_id`)
  return configured === undefined ? undefined : { value: String(configured), source: 'setting' }
}
