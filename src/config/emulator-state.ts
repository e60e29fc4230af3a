/** Stores where an emulator runs on this machine, and finds it. */
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { withFolderLock } from '../machine/folder-lock.ts'
import type { Machine } from '../machine/machine.ts'
import { dataDir } from '../machine/paths.ts'
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../machine/private-file.ts'

/** A function, so that the schema is made only when a state file is read or written. */
const RunningEmulator = () => {
  const environment = z.object({ base_url: z.string(), api_key: z.string(), portal_secret: z.string() })
  return z.object({
    pid: z.int().positive(),
    /** ISO 8601 */
    started_at: z.string(),
    sandbox: environment,
    live: environment,
    control_url: z.string(),
    /** Opens its console in a browser; an emulator of an earlier version has none. */
    console_url: z.string().optional(),
    /** `emulator exec` runs it around a command, and ends it when the command has ended. */
    ends_with_command: z.literal(true).optional(),
  })
}

/** The addresses and keys of a running emulator, stored in the data folder so that `local` needs no login. */
export type RunningEmulator = z.infer<ReturnType<typeof RunningEmulator>>

/** A running emulator, or none; `ignored` says in a sentence why an existing file is ignored. */
export interface EmulatorState {
  readonly running: RunningEmulator | undefined
  readonly ignored: string | undefined
}

/** Where the state file is, or would be: `<data>/emulator/running.json`. */
export function emulatorStatePath(machine: Machine): string {
  return join(dataDir(machine), 'emulator', 'running.json')
}

/**
 * The emulator that runs on this machine. A file left by one that was killed, or an unreadable one, is ignored and left in
 * place; the next emulator overwrites it.
 * Throws FileError `unsafe_file` when others can read or change it.
 */
export function readEmulatorState(machine: Machine): EmulatorState {
  const path = emulatorStatePath(machine)
  const text = readPrivateFile(machine, path, { secret: true })
  if (text === undefined) return { running: undefined, ignored: undefined }
  const state = RunningEmulator().safeParse(parsed(text))
  if (!state.success)
    return { running: undefined, ignored: `${path} is not what an emulator writes; ignored.` }
  const { pid, started_at } = state.data
  if (machine.isAlive(pid)) return { running: state.data, ignored: undefined }
  return {
    running: undefined,
    ignored: `The emulator started at ${started_at} (process ${pid}) no longer runs; what it left in ${path} is ignored.`,
  }
}

/** Stores the addresses and keys of an emulator, 0600. Throws FileError as writePrivateFile does. */
export async function writeEmulatorState(machine: Machine, state: RunningEmulator): Promise<void> {
  const path = emulatorStatePath(machine)
  await withFolderLock(machine, dirname(path), () => {
    writePrivateFile(machine, path, `${JSON.stringify(RunningEmulator().parse(state), null, 2)}\n`)
  })
}

/**
 * Removes the state file if the emulator with this process id wrote it; that of another one stays.
 * Returns whether it was removed.
 */
export async function removeEmulatorState(machine: Machine, pid: number): Promise<boolean> {
  const path = emulatorStatePath(machine)
  return withFolderLock(machine, dirname(path), () => {
    const state = RunningEmulator().safeParse(parsed(readPrivateFile(machine, path) ?? ''))
    return state.success && state.data.pid === pid && removePrivateFile(path)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
