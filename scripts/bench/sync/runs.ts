/** Runs the built `bankapi sync` and `transactions list` against a built emulator, each as a process of its own. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CrowdSize } from '../../../src/emulator/catalog/crowd-model.ts'
import type { SyncSummary } from '../../../src/sync/run.ts'
import { seed } from '../emulator/crowd.ts'
import { startBuilt } from '../emulator/processes.ts'
import { type Measured, measure } from '../list/measure.ts'

const bin = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))

export interface SyncRun extends Measured {
  readonly summary: SyncSummary
}

export interface Service {
  readonly env: NodeJS.ProcessEnv
  /** A run into a mirror: a file of this name, which is new when `fresh`, or the address of a Postgres database. */
  sync(mirror: string, flags?: readonly string[], fresh?: boolean): Promise<SyncRun>
  /** Runs a command that prints rows. */
  run(words: readonly string[]): Promise<Measured>
  stop(): Promise<void>
}

/** Starts an emulator over the data in `home`, which is seeded with the crowd when it is new. */
export async function startService(
  home: string,
  crowd: CrowdSize,
  flags: readonly string[] = [],
): Promise<Service> {
  if (!existsSync(home)) {
    mkdirSync(home, { mode: 0o700 })
    await seed(home, crowd)
  }
  const emulator = await startBuilt(home, flags)
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: home,
    PGPASSFILE: process.env['PGPASSFILE'],
    BANKAPI_DATA_DIR: home,
    BANKAPI_CONFIG_DIR: join(home, 'config'),
    BANKAPI_ENV: 'local',
  }
  const run = (words: readonly string[]) => measure([bin, ...words], env)
  return {
    env,
    run,
    async sync(mirror, syncFlags = [], fresh = true) {
      const isFile = !mirror.startsWith('postgres')
      const to = isFile ? join(home, mirror) : mirror
      if (isFile && fresh) for (const end of ['', '-wal', '-shm']) rmSync(`${to}${end}`, { force: true })
      let text = ''
      const measured = await measure([bin, 'sync', '--to', to, '--json', ...syncFlags], env, (chunk) => {
        text += chunk.toString()
      })
      const summary = JSON.parse(text) as SyncSummary
      return { ...measured, rows: summary.counts.transactions.new, summary }
    },
    stop: emulator.stop,
  }
}
