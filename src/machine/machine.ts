/** The facts about this machine: environment variables, user, clock. */
import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

/** Passed as a parameter everywhere, so that a test needs no global state. */
export interface Machine {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homedir: string
  readonly platform: string
  /** The user's id; undefined on Windows, where owners are not checked. */
  readonly uid: number | undefined
  /** The node binary, for the keychain's process. */
  readonly node: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether a process with this id is running. */
  readonly isAlive: (pid: number) => boolean
}

/** The machine that a process runs on. */
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
    // EPERM: it runs, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The value of an environment variable; an empty one counts as not set. */
export function variable(machine: Machine, name: string): string | undefined {
  const value = machine.env[name]?.trim()
  return value === '' ? undefined : value
}

/** The machine's clock. */
export const systemClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  },
}

/** Our environment variables that hold a secret, in any case: Windows ignores the case of their names. */
const secretName = /^BANKAPI_.*(KEY|SECRET|TOKEN|PASSWORD)$/i

/** Environment variables for another program, such as a pager or a browser, without our secrets. */
export function withoutSecrets<T>(env: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secretName.test(name)))
}
