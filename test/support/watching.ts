/** Runs a watch over a mirror of an emulator in the test's process, on a clock that can be moved on, and compares the two. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createApi } from '../../src/api/api.ts'
import type { Clock } from '../../src/api/options.ts'
import { undiciTransport } from '../../src/api/undici-transport.ts'
import type { Emulator } from '../../src/emulator.ts'
import type { Mirror } from '../../src/sync/mirror/mirror.ts'
import { assertMark, openMirror } from '../../src/sync/mirror/open.ts'
import { Watch, type WatchEvent, type WatchOptions } from '../../src/sync/watch.ts'
import { walkAll } from './independent-walk.ts'
import { temporaryFolder } from './machine.ts'
import { until } from './until.ts'

export interface Watching {
  readonly watch: Watch
  readonly mirror: Mirror
  readonly events: WatchEvent[]
  of<K extends WatchEvent['kind']>(kind: K): Extract<WatchEvent, { kind: K }>[]
  /** Lets so much time pass for schedules and waits. */
  moveOn(ms: number): void
  /** Resolves when so many runs are over. */
  runs(count: number): Promise<void>
  /** Ends the watch, and resolves or rejects as it does. */
  stop(): Promise<void>
  readonly ended: Promise<void>
}

/** Real time, which can be moved on. */
function movableClock(): Clock & { moveOn(ms: number): void } {
  let ahead = 0
  const sleeping = new Set<() => void>()
  return {
    now: () => Date.now() + ahead,
    elapsed: () => performance.now() + ahead,
    moveOn(ms) {
      ahead += ms
      for (const look of sleeping) look()
    },
    sleep(ms, signal) {
      const until = performance.now() + ahead + ms
      return new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout
        const done = (settle: () => void) => {
          clearTimeout(timer)
          sleeping.delete(look)
          signal?.removeEventListener('abort', abort)
          settle()
        }
        const abort = () => done(() => reject(signal?.reason))
        const look = () => {
          clearTimeout(timer)
          const left = until - performance.now() - ahead
          if (left <= 0) done(resolve)
          else timer = setTimeout(look, Math.min(left, 1_000_000))
        }
        if (signal?.aborted) return reject(signal.reason)
        signal?.addEventListener('abort', abort)
        sleeping.add(look)
        look()
      })
    },
  }
}

/** Starts a watch; with `first: false` it does not wait for the first run. */
export async function startWatch(
  emulator: Emulator,
  {
    first = true,
    to = join(temporaryFolder(), 'mirror.sqlite'),
    ...options
  }: Partial<WatchOptions> & { readonly first?: boolean; readonly to?: string } = {},
): Promise<Watching> {
  const clock = movableClock()
  const api = createApi(
    {
      baseUrl: emulator.baseUrl,
      credential: async () => emulator.apiKey,
      userAgent: 'test',
      clock,
      random: { fraction: () => 0.5, uuid: () => crypto.randomUUID() },
      retries: { attempts: 1 },
    },
    undiciTransport,
  )
  const mirror = await openMirror({ to, env: {} })
  await assertMark(mirror, { environment: 'local', baseUrl: emulator.baseUrl })
  const events: WatchEvent[] = []
  const controller = new AbortController()
  const watch = new Watch({
    mirror,
    api,
    clock,
    takesOver: true,
    everyMs: 3_600_000,
    debounceMs: 50,
    onEvent: (event) => events.push(event),
    ...options,
    signal: controller.signal,
  })
  const ended = watch.run()
  ended.catch(() => undefined)
  const of: Watching['of'] = (kind) => events.filter((event) => event.kind === kind) as never
  const watching: Watching = {
    ...{ watch, mirror, events, of, ended },
    moveOn: clock.moveOn,
    runs: async (count) => {
      await until(() => of('run').length >= count, `${count} runs of ${JSON.stringify(events)}`)
    },
    async stop() {
      controller.abort()
      await ended
    },
  }
  onTestFinished(async () => {
    controller.abort()
    await ended.catch(() => undefined)
    await mirror.close()
    await api.close()
  })
  if (first) await watching.runs(1)
  return watching
}

/** What a mirror and a walk by independent code have in common, for `toEqual`. */
export async function contentOf({ db }: Mirror): Promise<Readonly<Record<string, unknown>>> {
  const content: Record<string, unknown> = {}
  for (const table of ['clients', 'connections', 'accounts'] as const) {
    const rows = await db.selectFrom(table).select(['id', 'raw']).where('gone_at', 'is', null).execute()
    for (const { id, raw } of rows) content[`${table} ${id}`] = JSON.parse(raw)
  }
  for (const table of ['transactions', 'statements', 'checks'] as const) {
    const rows = await db
      .selectFrom(table)
      .select(['account_id', 'id', 'raw'])
      .where('gone_at', 'is', null)
      .execute()
    for (const { account_id, id, raw } of rows) {
      content[`${table} ${account_id} ${id}`] = { ...JSON.parse(raw), account_id }
    }
  }
  return sorted(content)
}

export async function walked(emulator: Emulator): Promise<Readonly<Record<string, unknown>>> {
  const { clients, connections, accounts } = await walkAll(emulator)
  const content: Record<string, unknown> = {}
  for (const [id, client] of clients) content[`clients ${id}`] = client
  for (const [id, connection] of connections) content[`connections ${id}`] = connection
  for (const [id, { account, ...listed }] of accounts) {
    content[`accounts ${id}`] = account
    for (const kind of ['transactions', 'statements', 'checks'] as const) {
      for (const [rowId, row] of listed[kind]) content[`${kind} ${id} ${rowId}`] = { ...row, account_id: id }
    }
  }
  return sorted(content)
}

/** The keys in which two contents differ: short enough to be read in a report. */
export function differences(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): string[] {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].filter((key) => canonical(one[key]) !== canonical(other[key]))
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function sorted(content: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1)))
}
