/** Chooses the environment, the base URL and the Client: flag, then environment variable, then setting, then default. */
import { type Machine, variable } from '../machine/machine.ts'
import { normalizeBaseUrl } from './base-url.ts'
import type { EmulatorState } from './emulator-state.ts'
import { ConfigError, closest } from './errors.ts'

/** The environments: the emulator on this machine, the bank's test service, the bank's live service. */
export const environmentNames = ['local', 'sandbox', 'live'] as const

export type EnvironmentName = (typeof environmentNames)[number]

function isEnvironmentName(text: string): text is EnvironmentName {
  return (environmentNames as readonly string[]).includes(text)
}

/** The source of a value, shown by `whoami` and `doctor`. */
export type ValueSource = 'flag' | 'environment' | 'setting' | 'emulator' | 'default'

export interface Resolved<T> {
  readonly value: T
  readonly source: ValueSource
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

/**
 * The environment a command works in: `--env`, else `BANKAPI_ENV`, else the setting `default_environment`, else
 * sandbox. Throws ConfigError `unknown_environment`.
 */
export function resolveEnvironment({ machine, settings, flag }: Choice): Resolved<EnvironmentName> {
  if (flag !== undefined) return { value: known(flag, '--env'), source: 'flag' }
  const fromEnvironment = variable(machine, 'BANKAPI_ENV')
  if (fromEnvironment !== undefined) {
    return { value: known(fromEnvironment, 'BANKAPI_ENV'), source: 'environment' }
  }
  const configured = settings.get('default_environment')
  if (configured !== undefined) {
    return { value: known(String(configured), 'default_environment'), source: 'setting' }
  }
  return { value: 'sandbox', source: 'default' }
}

function known(name: string, from: string): EnvironmentName {
  if (isEnvironmentName(name)) return name
  const meant = closest(name, environmentNames)
  throw new ConfigError(
    'unknown_environment',
    `The environment given by ${from} is none of ${environmentNames.join(', ')}.` +
      (meant === undefined ? '' : ` Did you mean ${meant}?`),
    'Choose one: --env local, --env sandbox or --env live',
  )
}

/**
 * The base URL of an environment, ending in `/v3` without a slash: `--base-url`, else `BANKAPI_BASE_URL`, else the
 * setting `environments.<env>.base_url`, else for `local` the running emulator's sandbox base. The reference names no
 * address for sandbox and live, so there is none built in.
 *
 * Throws ConfigError `base_url_invalid`, `base_url_missing`, or `emulator_not_running` for `local`.
 */
export function resolveBaseUrl(
  environment: EnvironmentName,
  { machine, settings, flag, emulator }: Choice & { readonly emulator: () => EmulatorState },
): Resolved<string> {
  if (flag !== undefined) return { value: normalizeBaseUrl(flag, '--base-url'), source: 'flag' }
  const fromEnvironment = variable(machine, 'BANKAPI_BASE_URL')
  if (fromEnvironment !== undefined) {
    return { value: normalizeBaseUrl(fromEnvironment, 'BANKAPI_BASE_URL'), source: 'environment' }
  }
  const name = `environments.${environment}.base_url`
  const configured = settings.get(name)
  if (configured !== undefined)
    return { value: normalizeBaseUrl(String(configured), name), source: 'setting' }
  if (environment !== 'local') throw missing(environment)
  return { value: emulatorBase(emulator()), source: 'emulator' }
}

function missing(environment: EnvironmentName): ConfigError {
  return new ConfigError(
    'base_url_missing',
    `No address is known for ${environment}.`,
    `Set it: bankapi config set environments.${environment}.base_url https://…/v3, or BANKAPI_BASE_URL for one command. ` +
      'To try without the bank: bankapi emulator start, then --env local',
  )
}

function emulatorBase({ running, ignored }: EmulatorState): string {
  if (running !== undefined) return normalizeBaseUrl(running.sandbox.base_url, "the emulator's state file")
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
