/** The checks of `bankapi doctor`, in order: a check whose precondition failed is skipped, and its message says so. */
import { ApiResponseError } from '../api/errors.ts'
import type { Reply } from '../api/options.ts'
import { writableInbox } from '../cli/command/inbox.ts'
import type { Session } from '../cli/command/session.ts'
import type { CommandContext } from '../cli/errors/errors.ts'
import { describeFailure } from '../cli/errors/report.ts'
import { readEmulatorState } from '../config/emulator-state.ts'
import { remoteEmulator } from '../config/remote-emulator.ts'
import { allows, scopes as everyScope } from '../contract/scopes.ts'
import { exitCodes } from '../errors.ts'
import { type Machine, systemClock, variable } from '../machine/machine.ts'
import { currentScopes, findKey } from '../workflows/rotate-scopes.ts'

export interface Examined {
  readonly machine: Machine
  readonly nodeVersion: string
  /** Opens the session; throws when settings or the environment are unusable. */
  readonly open: () => Promise<Session>
  readonly signal: AbortSignal
}

/** Runs every check and yields each as soon as it is known. */
export async function* examine({ machine, nodeVersion, open, signal }: Examined): AsyncGenerator<Finding> {
  yield checkNode(nodeVersion)
  let session: Session
  try {
    session = await open()
  } catch (error) {
    yield failed('settings', error)
    yield* without('the settings', ['base_url', 'keychain', 'service', 'clock', 'key', 'scopes', 'inbox'])
    yield await attempt('emulator', signal, async () => checkEmulator(machine))
    return
  }
  yield await checkSettings(session)
  const address = await attempt('base_url', signal, async () => checkBaseUrl(session))
  yield address
  yield await attempt('keychain', signal, () => checkKeychain(session))
  if (address.status === 'failed') yield* without('an address', ['service', 'clock', 'key', 'scopes'])
  else yield* examineService(session, signal)
  yield await attempt('inbox', signal, () => checkInbox(session))
  yield await attempt('emulator', signal, async () => checkEmulator(machine))
}

async function* examineService(session: Session, signal: AbortSignal): AsyncGenerator<Finding> {
  let skewSeconds: number | undefined
  const service = await attempt('service', signal, async () => {
    const found = await checkService(session, signal)
    skewSeconds = found.skewSeconds
    return found.check
  })
  yield service
  if (service.status === 'failed') return yield* without('the service', ['clock', 'key', 'scopes'])
  yield checkClock(skewSeconds)
  const key = await attempt('key', signal, () => checkKey(session, signal))
  yield key
  if (key.status === 'failed') yield* without('a key that works', ['scopes'])
  else yield await attempt('scopes', signal, () => checkScopes(session, signal))
}

function* without(what: string, names: readonly CheckName[]): Generator<Finding> {
  for (const name of names) yield skipped(name, `Not checked without ${what}`)
}

async function checkSettings({ settings }: Session): Promise<Finding> {
  const problems = await settings.problems()
  return problems.length === 0
    ? ok('settings', `${Object.keys(settings.list()).length} settings in ${settings.path}`)
    : warning('settings', problems.join(' '), 'What can be set: bankapi config list')
}

function checkBaseUrl(session: Session): Finding {
  const { environment, baseUrl } = session
  const { value, source } = baseUrl
  session.secrets.assertOwnAddress()
  return ok('base_url', `${shown(environment)} is at ${value} (${source})`)
}

/** `sandbox (default)`; of a profile with its mode: `acme, live (flag)`. */
function shown({ value, mode, source }: Session['environment']): string {
  return `${value === mode ? value : `${value}, ${mode}`} (${source})`
}

export type CheckName =
  | 'node'
  | 'settings'
  | 'base_url'
  | 'keychain'
  | 'service'
  | 'clock'
  | 'key'
  | 'scopes'
  | 'inbox'
  | 'emulator'
  | 'updates'

/** `skipped`: there was nothing to check, and the message says why. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Finding {
  readonly name: CheckName
  readonly status: CheckStatus
  /** What was found, one sentence. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string | null
  /** The exit code of this failure alone; null unless failed. */
  readonly exit_code: number | null
}

export function ok(name: CheckName, message: string): Finding {
  return { name, status: 'ok', message, hint: null, exit_code: null }
}

export function skipped(name: CheckName, message: string): Finding {
  return { name, status: 'skipped', message, hint: null, exit_code: null }
}

export function warning(name: CheckName, message: string, hint: string): Finding {
  return { name, status: 'warning', message, hint, exit_code: null }
}

/** A failed check, with the message, hint and exit code that any other command would give. */
export function failed(name: CheckName, error: unknown, context: CommandContext = {}): Finding {
  const { message, hint, exit_code } = describeFailure(error, context)
  return { name, status: 'failed', message, hint: hint ?? null, exit_code }
}

/** Runs a check; an error it throws becomes a failed check, unless the command was interrupted. */
export async function attempt(
  name: CheckName,
  signal: AbortSignal,
  look: () => Promise<Finding>,
): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return failed(name, error)
  }
}

/** The MIN_NODE_MAJOR major version of Node that bin/run.js runs on. */
const MIN_NODE_MAJOR = 24

export function checkNode(version: string): Finding {
  const major = Number(version.replace(/^v/, '').split('.')[0])
  return major >= MIN_NODE_MAJOR
    ? ok('node', `Node.js ${version}`)
    : warning(
        'node',
        `Node.js ${version} is older than what bankapi is made for`,
        `Install Node.js ${MIN_NODE_MAJOR} or newer`,
      )
}

/** Skipped when the key comes from somewhere else. */
export async function checkKeychain(session: Session): Promise<Finding> {
  const { machine, environment } = session
  const elsewhere =
    variable(machine, 'BANKAPI_API_KEY') !== undefined
      ? 'the key comes from BANKAPI_API_KEY'
      : session.secrets.chosenStore === 'file'
        ? `secrets of ${environment.value} are in a file, as chosen with --insecure-storage`
        : environment.mode === 'local' && session.emulator.running !== undefined
          ? 'the running emulator brings its own key'
          : undefined
  if (elsewhere !== undefined) return skipped('keychain', `The keychain is not asked: ${elsewhere}`)
  const accounts = await session.stores.keychain.list()
  const count = accounts.filter((account) => account.startsWith(`${environment.value}/`)).length
  return ok('keychain', `The keychain answers; it has ${count} of the secrets of ${environment.value}`)
}

export async function checkInbox(session: Session): Promise<Finding> {
  return ok('inbox', `The inbox ${await writableInbox(session)} can be written`)
}

export function checkEmulator(machine: Machine): Finding {
  const remote = remoteEmulator(machine)
  if (remote !== undefined)
    return ok('emulator', `local is the emulator at ${remote.origin} (BANKAPI_EMULATOR)`)
  const { running, ignored } = readEmulatorState(machine)
  if (running !== undefined) return ok('emulator', `An emulator runs at ${running.sandbox.base_url}`)
  return ignored === undefined
    ? skipped('emulator', 'No emulator runs on this machine')
    : warning('emulator', ignored, 'The next one replaces it: bankapi emulator start')
}

/** A smaller difference between the clocks is ignored: a Date header has whole seconds. */
const IGNORED_SKEW_SECONDS = 30
/** From this difference on, signed deliveries are refused as too old. */
const MAX_SKEW_SECONDS = 300

/**
 * Calls the health endpoint. An error answer of the service itself counts as reached. `skewSeconds` is how far this
 * machine's clock is ahead of the service's.
 */
export async function checkService(
  { api, baseUrl, machine }: Session,
  signal: AbortSignal,
): Promise<{ readonly check: Finding; readonly skewSeconds: number | undefined }> {
  let reply: Reply | undefined
  const started = machine.now()
  try {
    await api.health.check({}, { signal, onReply: (last) => (reply = last) })
  } catch (error) {
    if (!(error instanceof ApiResponseError && error.httpStatus < 500)) throw error
  }
  const ended = machine.now()
  return {
    check: ok('service', `${baseUrl.value} answers, in ${Math.round(ended - started)} ms`),
    skewSeconds: skewOf(reply?.headers['date'], (started + ended) / 2),
  }
}

/** How far this machine's clock is ahead, in seconds; negative behind. Undefined without a Date header. */
function skewOf(date: string | string[] | undefined, now: number): number | undefined {
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN
  return Number.isNaN(theirs) ? undefined : Math.round((now - theirs) / 1000)
}

export function checkClock(skewSeconds: number | undefined): Finding {
  if (skewSeconds === undefined) return skipped('clock', 'The service did not say what time it has')
  const off = Math.abs(skewSeconds)
  const side = skewSeconds > 0 ? 'ahead of' : 'behind'
  if (off <= IGNORED_SKEW_SECONDS)
    return ok('clock', 'The clock of this machine agrees with that of the service')
  const message = `The clock of this machine is ${off} s ${side} that of the service`
  const hint = 'Set the clock, for example by turning on network time'
  if (off < MAX_SKEW_SECONDS) return warning('clock', message, hint)
  return {
    ...warning('clock', `${message}: webhook signatures do not verify beyond ${MAX_SKEW_SECONDS} s`, hint),
    status: 'failed',
    exit_code: exitCodes.notVerified.code,
  }
}

export async function checkKey(session: Session, signal: AbortSignal): Promise<Finding> {
  const key = await session.apiKey()
  try {
    await session.checkKey(key.secret, signal)
  } catch (error) {
    if (signal.aborted) throw error
    return failed('key', error, { environment: session.environment.value, key: session.keyInUse })
  }
  const from = key.boundTo === undefined ? key.source : `${key.source}, bound to ${key.boundTo}`
  return ok('key', `The key ${session.keyInUse} (${from}) is accepted`)
}

/** The scopes of the key in use, if it may read its own. */
export async function checkScopes(session: Session, signal: AbortSignal): Promise<Finding> {
  const { secret } = await session.apiKey()
  try {
    const key = await findKey({ api: session.api, clock: systemClock, signal }, { secretInUse: secret })
    if (key === undefined) return skipped('scopes', 'Which of the keys is in use cannot be told')
    const current = currentScopes(key)
    if (current === undefined) return skipped('scopes', 'The list of keys has no scopes that can be read')
    const lacking = everyScope.filter((scope) => !allows(current, scope))
    if (lacking.length === 0) return ok('scopes', 'The key has every scope')
    const has = everyScope.length - lacking.length
    return ok('scopes', `The key has ${has} of ${everyScope.length} scopes; it lacks ${lacking.join(', ')}`)
  } catch (error) {
    if (!(error instanceof ApiResponseError)) throw error
    return error.code === 'insufficient_scope'
      ? skipped('scopes', 'The key may not read its own scopes: it lacks read:api-keys')
      : skipped('scopes', `The service does not show the scopes of the key: ${error.message}`)
  }
}
