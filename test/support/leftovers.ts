/** What a program that was started with a mark in its environment has left: processes, and files below its folder. */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export interface Marked {
  /** To add to the environment of the program. */
  readonly env: Readonly<Record<string, string>>
  /** Ids of the processes that are running with it. */
  processes(): number[]
}

/** Linux only: elsewhere `processes` throws. */
export function marked(): Marked {
  const mark = `BANKAPI_TEST_MARK=${randomUUID()}`
  return {
    env: { BANKAPI_TEST_MARK: mark.slice('BANKAPI_TEST_MARK='.length) },
    processes: () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => environmentOf(pid).includes(mark))
        .map(Number),
  }
}

/** Empty for a process that has ended, a zombie, and one of another user. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

/** Every file and folder below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort()
}
