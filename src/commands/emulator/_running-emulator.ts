/** Finds, announces and stops the emulator that runs on this machine, through its state file in the data folder. */
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

/** The emulator's own folder, made if it is missing. @throws FileError when it cannot be used. */
export function emulatorFolder(machine: Machine): string {
  const folder = join(dataDir(machine), 'emulator')
  ensurePrivateFolder(machine, dataDir(machine))
  ensurePrivateFolder(machine, folder)
  return folder
}

/** How long an emulator may take to answer. One that is stopped in a debugger does not answer, and counts as running. */
const STATUS_TIMEOUT_MS = 2000

/** The emulator that runs, if any. Its control address is called: its process id may belong to another process by now. */
export async function runningEmulator(machine: Machine): Promise<RunningEmulator | undefined> {
  const { running } = readEmulatorState(machine)
  return running !== undefined && (await answers(running)) ? running : undefined
}

async function answers({ control_url, pid }: RunningEmulator): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS)
    const response = await fetch(`${control_url}/status`, { headers: controlHeader, signal })
    return ((await response.json()) as { pid?: unknown } | null)?.pid === pid
  } catch (error) {
    return (error as Error).name === 'TimeoutError'
  }
}

/** Stores an emulator's address and keys for `--env local`, 0600. Returns a function that removes them. */
export async function announceEmulator(
  machine: Machine,
  emulator: RunningEmulator,
): Promise<() => Promise<unknown>> {
  await writeEmulatorState(machine, emulator)
  return () => removeEmulatorState(machine, emulator.pid)
}

/**
 * Stops the running emulator, waits until its process has ended, and returns what ran. One that runs around a command is
 * left: its process is that of `emulator exec`, which would hand the signal on to the command.
 * @throws ConfigError `emulator_not_running`, or the signal's reason.
 */
export async function stopEmulator(machine: Machine, signal: AbortSignal): Promise<RunningEmulator> {
  const running = await runningEmulator(machine)
  if (running === undefined) throw emulatorNotRunning(readEmulatorState(machine).ignored)
  if (running.ends_with_command) return running
  process.kill(running.pid, 'SIGTERM')
  while (machine.isAlive(running.pid)) await systemClock.sleep(50, signal)
  return running
}
