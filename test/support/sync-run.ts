/** Runs a sync as the command does, but with pages of any size, and without waiting where the service asks to wait. */
import { createApi } from '../../src/api/api.ts'
import type { Clock } from '../../src/api/options.ts'
import { undiciTransport } from '../../src/api/undici-transport.ts'
import { assertMark, openMirror } from '../../src/sync/mirror/open.ts'
import { runSync, type SyncOptions, type SyncSummary } from '../../src/sync/run.ts'

export interface SyncRun {
  readonly baseUrl: string
  readonly apiKey: string
  /** The mirror: a path, or the address of a database. */
  readonly to: string
  readonly pageSize?: number
  /** How often one request is sent at most. */
  readonly attempts?: number
  readonly options?: Pick<SyncOptions, 'acceptGone' | 'clients' | 'concurrency' | 'full' | 'only'>
}

/** A clock on which waiting takes no time. */
function hurried(): Clock {
  let skipped = 0
  return {
    now: () => Date.now() + skipped,
    elapsed: () => performance.now() + skipped,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      skipped += ms
    },
  }
}

export async function syncOnce({
  baseUrl,
  apiKey,
  to,
  pageSize = 500,
  attempts = 2,
  options = {},
}: SyncRun): Promise<SyncSummary> {
  const clock = hurried()
  const api = createApi(
    {
      baseUrl,
      credential: async () => apiKey,
      userAgent: 'test',
      clock,
      random: { fraction: () => 0.5, uuid: () => crypto.randomUUID() },
      retries: { attempts },
    },
    undiciTransport,
  )
  const { transactions, statements, checks } = api
  const paged = {
    ...api,
    transactions: {
      get: transactions.get,
      list: (input, more) => transactions.list({ ...input, limit: pageSize }, more),
    },
    statements,
    checks,
  } as typeof api
  const mirror = await openMirror({ to, env: process.env })
  try {
    await assertMark(mirror, { environment: 'local', baseUrl })
    return await runSync({
      mirror,
      api: paged,
      clock,
      signal: new AbortController().signal,
      takesOver: true,
      ...options,
    })
  } finally {
    await mirror.close()
    await api.close()
  }
}
