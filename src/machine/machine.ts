import { homedir } from 'node:os'

/** What this room needs to know of the machine. It comes in as a parameter, so that a test needs no global state. */
export interface Machine {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homedir: string
  readonly platform: string
  /** Who runs this; undefined where the system has no such number (Windows): then owners are not checked. */
  readonly uid: number | undefined
  /** The node binary, for the keychain's process. */
  readonly node: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether a process with this id is running. */
  readonly isAlive: (pid: number) => boolean
}

/** The machine a process runs on. The cli calls this once, with its own `process`. */
export function machineOf(process: NodeJS.Process): Machine {
  return {
    env: process.env,
    homedir: homedir(),
    platform: process.platform,
    uid: process.geteuid?.(),
    node: process.execPath,
    now: Date.now,
    isAlive: (pid) => canSignal(process, pid),
  }
}

function canSignal(process: NodeJS.Process, pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The value of an environment variable; an empty one counts as not set. */
export function variable(machine: Machine, name: string): string | undefined {
  const value = machine.env[name]?.trim()
  return value === '' ? undefined : value
}
