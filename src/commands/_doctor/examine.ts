/** The checks of `bankapi doctor` in order: what needs something that failed is left out, and says so. */

import type { Session } from '../../cli/command/session.ts'
import type { Machine } from '../../machine/machine.ts'
import { attempt, type Check, type CheckName, failed, ok, skipped, warning } from './check.ts'
import { checkEmulator, checkInbox, checkKeychain, checkNode } from './machine-checks.ts'
import { checkClock, checkKey, checkScopes, checkService } from './service-checks.ts'

export interface Examined {
  readonly machine: Machine
  readonly nodeVersion: string
  /** Opens the session; throws when settings or the environment are unusable. */
  readonly open: () => Promise<Session>
  readonly signal: AbortSignal
}

/** Runs every check and yields each as soon as it is known. */
export async function* examine({ machine, nodeVersion, open, signal }: Examined): AsyncGenerator<Check> {
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
  yield checkSettings(session)
  const address = await attempt('base_url', signal, async () => checkBaseUrl(session))
  yield address
  yield await attempt('keychain', signal, () => checkKeychain(session))
  if (address.status === 'failed') yield* without('an address', ['service', 'clock', 'key', 'scopes'])
  else yield* examineService(session, signal)
  yield await attempt('inbox', signal, () => checkInbox(session))
  yield await attempt('emulator', signal, async () => checkEmulator(machine))
}

async function* examineService(session: Session, signal: AbortSignal): AsyncGenerator<Check> {
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

function* without(what: string, names: readonly CheckName[]): Generator<Check> {
  for (const name of names) yield skipped(name, `Not checked without ${what}`)
}

function checkSettings({ settings }: Session): Check {
  const problems = settings.problems()
  return problems.length === 0
    ? ok('settings', `${Object.keys(settings.list()).length} settings in ${settings.path}`)
    : warning('settings', problems.join(' '), 'What can be set: bankapi config list')
}

function checkBaseUrl({ environment, baseUrl }: Session): Check {
  const { value, source } = baseUrl
  return ok('base_url', `${environment.value} (${environment.source}) is at ${value} (${source})`)
}
