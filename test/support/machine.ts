import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Machine, machineOf } from '../../src/machine/machine.ts'

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A Machine with only the given environment variables, its own home folder and a stopped clock. */
export function testMachine(env: Record<string, string> = {}, changes: Partial<Machine> = {}): Machine {
  return {
    ...machineOf(process),
    env,
    homedir: temporaryFolder(),
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    ...changes,
  }
}

/**
 * Makes files look like another user's: root changes their owner, anybody else pretends to be another user. Returns the
 * machine to use.
 */
export function asAnothersFiles(machine: Machine, give: (uid: number) => void): Machine {
  if (machine.uid !== 0) return { ...machine, uid: (machine.uid ?? 0) + 1 }
  give(54_321)
  return machine
}

/** Gives a file or folder to another user, for `asAnothersFiles`. */
export function giveAway(path: string): (uid: number) => void {
  return (uid) => chownSync(path, uid, uid)
}
