/** Opens mirrors for tests, on both databases, and syncs an emulator into them. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { undiciTransport } from '../../src/api/undici-transport.ts'
import type { Emulator } from '../../src/emulator.ts'
import { systemClock } from '../../src/machine/machine.ts'
import type { Mirror } from '../../src/sync/mirror/mirror.ts'
import { openMirror } from '../../src/sync/mirror/open.ts'
import { runSync, type SyncOptions, type SyncSummary } from '../../src/sync/run.ts'
import { postgresServer, whyNoPostgres } from './postgres.ts'

export interface MirrorStore {
  readonly name: 'SQLite' | 'Postgres'
  /** Why its tests cannot run here. */
  readonly missing: string | undefined
  /** The address of a mirror that is not there yet; gone after the test. */
  place(): Promise<string>
}

/** For describe.each. Postgres starts when its first mirror is asked for. */
export const mirrorStores: readonly MirrorStore[] = [
  {
    name: 'SQLite',
    missing: undefined,
    async place() {
      const folder = mkdtempSync(join(tmpdir(), 'bankapi-mirror-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      return join(folder, 'mirror.sqlite')
    },
  },
  {
    name: 'Postgres',
    missing: whyNoPostgres(),
    place: async () => (await postgresServer()).database(),
  },
]

/** Opens a mirror that is closed after the test. */
export async function openedMirror(
  to: string,
  options: { readonly readOnly?: boolean; readonly connections?: number } = {},
): Promise<Mirror> {
  const mirror = await openMirror({ to, env: {}, ...options })
  onTestFinished(() => mirror.close())
  return mirror
}

export function apiOf({ baseUrl, apiKey }: Pick<Emulator, 'baseUrl' | 'apiKey'>): Api {
  const api = createApi(
    {
      baseUrl,
      credential: async () => apiKey,
      userAgent: 'bankapi-test',
      clock: systemClock,
      random: { fraction: Math.random, uuid: randomUUID },
    },
    undiciTransport,
  )
  onTestFinished(() => api.close())
  return api
}

/** One run. */
export function synced(
  mirror: Mirror,
  emulator: Pick<Emulator, 'baseUrl' | 'apiKey'>,
  options: Partial<SyncOptions> = {},
): Promise<SyncSummary> {
  return runSync({
    mirror,
    api: apiOf(emulator),
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
    takesOver: mirror.kind === 'sqlite',
    ...options,
  })
}
