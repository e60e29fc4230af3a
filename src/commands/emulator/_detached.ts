/** Starts an emulator as a process of its own that goes on when the command that started it has ended. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningEmulator, readEmulatorState } from '../../config/emulator-state.ts'
import { programArguments } from '../../machine/executable.ts'
import { type Machine, systemClock } from '../../machine/machine.ts'
import { emulatorFolder } from './_running-emulator.ts'

/** Either it runs, or it ended with this code and these words on stderr. */
export type Detached =
  | { readonly running: RunningEmulator }
  | { readonly running: undefined; readonly code: number; readonly stderr: string }

/** Between two looks at whether it is ready. */
const LOOK_MS = 50

/**
 * Runs `emulator start` with these arguments, and waits until it is ready. What it writes on stderr goes to `detached.log`
 * in its folder, 0600. Aborted, it is ended first; then this rejects with the signal's reason.
 */
export async function startDetached(
  machine: Machine,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<Detached> {
  const log = join(emulatorFolder(machine), 'detached.log')
  const stderr = openSync(log, 'w', 0o600)
  const program = [...programArguments(), 'emulator', 'start', ...argv]
  const child = spawn(process.execPath, program, {
    detached: true,
    env: { ...process.env, BANKAPI_DEBUG: undefined },
    stdio: ['ignore', 'ignore', stderr],
    windowsHide: true,
  })
  closeSync(stderr)
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
  let code: number | undefined
  void ended.then((exitCode) => {
    code = exitCode
  })
  try {
    for (;;) {
      const { running } = readEmulatorState(machine)
      if (running !== undefined && running.pid === child.pid) {
        child.unref()
        return { running }
      }
      if (code !== undefined) return { running: undefined, code, stderr: readFileSync(log, 'utf8') }
      await systemClock.sleep(LOOK_MS, signal)
    }
  } catch (error) {
    child.kill()
    await ended
    throw error
  }
}
