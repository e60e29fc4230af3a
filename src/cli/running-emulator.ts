/** How commands find the emulator: what a running one leaves in the data folder. */
import { join } from 'node:path'
import {
  type RunningEmulator,
  readEmulatorState,
  removeEmulatorState,
  writeEmulatorState,
} from '../config/emulator-state.ts'
import type { Machine } from '../config/machine.ts'
import { dataDir } from '../config/paths.ts'
import { ensurePrivateFolder } from '../config/private-folder.ts'

/** The emulator's own folder, made if it is missing. @throws ConfigError when it cannot be used. */
export function emulatorFolder(machine: Machine): string {
  const folder = join(dataDir(machine), 'emulator')
  ensurePrivateFolder(machine, dataDir(machine))
  ensurePrivateFolder(machine, folder)
  return folder
}

/** The one that runs, if one does. */
export function runningEmulator(machine: Machine): RunningEmulator | undefined {
  return readEmulatorState(machine).running
}

/** Leaves an emulator's address and keys for `--env local`, 0600. Returns how to take them back. */
export async function announceEmulator(
  machine: Machine,
  emulator: RunningEmulator,
): Promise<() => Promise<unknown>> {
  await writeEmulatorState(machine, emulator)
  return () => removeEmulatorState(machine, emulator.pid)
}
