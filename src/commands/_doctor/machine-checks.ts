/** What can be checked without the service: Node, the keychain, the inbox, the emulator. */

import { assertInboxWritable } from '../../cli/command/inbox.ts'
import type { Session } from '../../cli/command/session.ts'
import { readEmulatorState } from '../../config/emulator-state.ts'
import { type Machine, variable } from '../../machine/machine.ts'
import { dataDir } from '../../machine/paths.ts'
import { type Check, ok, skipped, warning } from './check.ts'

/** The Node that bin/run.js refuses to run without. */
const oldest = 24

export function checkNode(version: string): Check {
  const major = Number(version.replace(/^v/, '').split('.')[0])
  return major >= oldest
    ? ok('node', `Node.js ${version}`)
    : warning(
        'node',
        `Node.js ${version} is older than what bankapi is made for`,
        `Install Node.js ${oldest} or newer`,
      )
}

/** Asked only where a key would come from it. */
export async function checkKeychain(session: Session): Promise<Check> {
  const { machine, environment } = session
  const elsewhere =
    variable(machine, 'BANKAPI_API_KEY') !== undefined
      ? 'the key comes from BANKAPI_API_KEY'
      : session.secretPlace === 'file'
        ? `secrets of ${environment.value} are in a file, as chosen with --insecure-storage`
        : environment.value === 'local' && session.emulator.running !== undefined
          ? 'the running emulator brings its own key'
          : undefined
  if (elsewhere !== undefined) return skipped('keychain', `The keychain is not asked: ${elsewhere}`)
  const accounts = await session.stores.keychain.list()
  const count = accounts.filter((account) => account.startsWith(`${environment.value}/`)).length
  return ok('keychain', `The keychain answers; it has ${count} of the secrets of ${environment.value}`)
}

export async function checkInbox(session: Session): Promise<Check> {
  await assertInboxWritable(session)
  return ok('inbox', `The inbox in ${dataDir(session.machine)} can be written`)
}

export function checkEmulator(machine: Machine): Check {
  const { running, ignored } = readEmulatorState(machine)
  if (running !== undefined) return ok('emulator', `An emulator runs at ${running.sandbox.base_url}`)
  return ignored === undefined
    ? skipped('emulator', 'No emulator runs on this machine')
    : warning('emulator', ignored, 'The next one replaces it: bankapi emulator start')
}
