/** How commands find the emulator: what a running one leaves in the data folder. */
import { join } from 'node:path'
import {
  type RunningEmulator,
  readEmulatorState,
  removeEmulatorState,
  writeEmulatorState,
} from '../../config/emulator-state.ts'
import type { Machine } from '../../machine/machine.ts'
import { systemClock } from '../../machine/machine.ts'
import { dataDir } from '../../machine/paths.ts'
import { ensurePrivateFolder } from '../../machine/private-folder.ts'
import { controlHeader, emulatorNotRunning } from './_emulator-control.ts'

/** The emulator's own folder, made if it is missing. @throws ConfigError when it cannot be used. */
export function emulatorFolder(machine: Machine): string {
  const folder = join(dataDir(machine), 'emulator')
  ensurePrivateFolder(machine, dataDir(machine))
  ensurePrivateFolder(machine, folder)
  return folder
}

/** Milliseconds. One that is stopped in a debugger runs all the same. */
const PATIENCE = 2000

/** The one that runs, if one does. It is asked: the process number of one that was killed may be another's by now. */
export async function runningEmulator(machine: Machine): Promise<RunningEmulator | undefined> {
  const { running } = readEmulatorState(machine)
  return running !== undefined && (await answers(running)) ? running : undefined
}

async function answers({ control_url, pid }: RunningEmulator): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PATIENCE)
    const response = await fetch(`${control_url}/status`, { headers: controlHeader, signal })
    return ((await response.json()) as { pid?: unknown } | null)?.pid === pid
  } catch (error) {
    return (error as Error).name === 'TimeoutError'
  }
}

/** Leaves an emulator's address and keys for `--env local`, 0600. Returns how to take them back. */
export async function announceEmulator(
  machine: Machine,
  emulator: RunningEmulator,
): Promise<() => Promise<unknown>> {
  await writeEmulatorState(machine, emulator)
  return () => removeEmulatorState(machine, emulator.pid)
}

/**
 * Ends the one that runs, in order, and waits until it is gone. Returns its process id.
 * @throws ConfigError `emulator_not_running`, or the signal's reason.
 */
export async function stopEmulator(machine: Machine, signal: AbortSignal): Promise<number> {
  const running = await runningEmulator(machine)
  if (running === undefined) throw emulatorNotRunning(readEmulatorState(machine).ignored)
  process.kill(running.pid, 'SIGTERM')
  while (machine.isAlive(running.pid)) await systemClock.sleep(50, signal)
  return running.pid
}
