/** One run: brings the mirror up to date, whole or for some Clients, and says what it came to. */
import { randomUUID } from 'node:crypto'
import type { Api } from '../api/api.ts'
import type { Clock } from '../api/options.ts'
import { Limiter, type SharedPause } from '../workflows/limiter.ts'
import { findClients } from './chosen-clients.ts'
import {
  type ClientContext,
  type ReportedFailure,
  reported,
  type StreamFailure,
  syncClient,
} from './client-sync.ts'
import { checkCustomer, listClients } from './clients.ts'
import { prepareFolder } from './files.ts'
import type { Mirror } from './mirror/mirror.ts'
import { Reader } from './reader.ts'
import { Counts, type Kind, type KindCounts, kinds } from './run-context.ts'
import { Scopes } from './scopes.ts'
import { RUN_LEASE, recordFailure } from './streams.ts'

export interface SyncOptions {
  readonly mirror: Mirror
  readonly api: Api
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Only these Clients; every Client when absent. */
  readonly clients?: readonly string[] | undefined
  /** Whether it is no failure when the service does not list one of `clients`. */
  readonly mayBeUnknown?: boolean | undefined
  /** Only these kinds; Clients, Connections and accounts are always read. */
  readonly only?: readonly Kind[] | undefined
  readonly files?: string | undefined
  readonly full?: boolean | undefined
  readonly acceptGone?: boolean | undefined
  /** Requests at once. */
  readonly concurrency?: number | undefined
  readonly limiter?: Limiter | undefined
  readonly sharedPause?: SharedPause | undefined
  readonly mode?: 'once' | 'watch' | 'worker' | undefined
  /** Whether this process has the mirror to itself, and takes what a killed one held. */
  readonly takesOver: boolean
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined
  /** Runs the sync of one Client, when nothing else of this process reads it. */
  readonly alone?: ((clientId: string, run: () => Promise<void>) => Promise<void>) | undefined
}

export interface SyncProgress {
  readonly clients: number
  readonly clientsDone: number
  /** Whether every Client was listed, so that `clients` is all of them. */
  readonly listed: boolean
  readonly rows: number
  readonly requests: number
}

/** What `--json` prints. Durations in ms. */
export interface SyncSummary {
  readonly outcome: 'complete' | 'failed'
  readonly mirror: string
  readonly started_at: string
  readonly duration_ms: number
  readonly requests: number
  readonly clients: number
  readonly counts: Readonly<Record<Kind, KindCounts>>
  /** Streams that were left to the next run. */
  readonly failed: readonly ReportedFailure[]
  /** Kinds that the key has no scope for. */
  readonly missing_scopes: readonly { readonly kind: string; readonly message: string }[]
}

const CONCURRENCY = 8

/**
 * Runs one sync. Rejects with MirrorError for another customer's mirror and for what its database refuses, with the service's
 * error when the Clients cannot be listed, and with the signal's reason. Whatever it rejects with, what was committed stays, and
 * the next run goes on there.
 */
export async function runSync(options: SyncOptions): Promise<SyncSummary> {
  const { mirror, api, clock, signal, mode = 'once' } = options
  const concurrency = options.concurrency ?? CONCURRENCY
  const limiter = options.limiter ?? new Limiter({ clock, concurrency, shared: options.sharedPause })
  const reader = new Reader({ api, clock, limiter, signal })
  const counts = new Counts()
  const failures: StreamFailure[] = []
  const scopes = new Scopes()
  const started = clock.now()
  const base = {
    mirror,
    reader,
    counts,
    lease: `${RUN_LEASE}${randomUUID()}`,
    takesOver: options.takesOver,
    full: options.full ?? false,
    acceptGone: options.acceptGone ?? false,
  }
  if (options.files !== undefined) await prepareFolder(options.files)
  const alreadyRead = await checkCustomer(base)
  const context: ClientContext = {
    ...base,
    scopes,
    wanted: new Set(options.only ?? kinds),
    files: options.files,
    alreadyRead,
    onFailure: (failure) => failures.push(failure),
  }
  const run = randomUUID()
  await mirror.transaction((db) =>
    mirror.put(db, 'runs', [{ id: run, mode, started_at: new Date(started).toISOString() }]),
  )
  const progress = { clients: 0, clientsDone: 0, listed: false }
  const report = () => {
    const rows = Object.values(counts.all).reduce(
      (sum, each) => sum + each.new + each.changed + each.settled,
      0,
    )
    options.onProgress?.({ ...progress, rows, requests: reader.requests })
  }
  const finish = async (outcome: string, summary: SyncSummary | undefined) => {
    const ended_at = new Date(clock.now()).toISOString()
    await mirror.transaction((db) =>
      db
        .updateTable('runs')
        .set({ ended_at, outcome, summary: summary === undefined ? null : JSON.stringify(summary) })
        .where('id', '=', run)
        .execute(),
    )
  }
  try {
    await forEachClient(context, options, concurrency, {
      onListed: (count, all) => {
        progress.clients += count
        progress.listed ||= all
        report()
      },
      onDone: () => {
        progress.clientsDone += 1
        report()
      },
    })
  } catch (error) {
    // The run's own record must not hide what ended it.
    await finish(signal.aborted ? 'interrupted' : 'failed', undefined).catch(() => undefined)
    signal.throwIfAborted()
    throw error
  }
  const unread = [...scopes.missing].map(([kind, message]) => ({ kind, message }))
  const unreadWanted = unread.some(({ kind }) => options.only?.includes(kind))
  const summary: SyncSummary = {
    outcome: failures.length > 0 || unreadWanted ? 'failed' : 'complete',
    mirror: mirror.shown,
    started_at: new Date(started).toISOString(),
    duration_ms: Math.round(clock.now() - started),
    requests: reader.requests,
    clients: progress.clientsDone,
    counts: counts.all,
    failed: failures.map(reported),
    missing_scopes: unread,
  }
  await finish(summary.outcome, summary)
  return summary
}

interface ClientProgress {
  readonly onListed: (count: number, all: boolean) => void
  readonly onDone: () => void
}

/** Syncs Clients as they are listed, several at once; the limiter bounds the requests of all of them. */
async function forEachClient(
  context: ClientContext,
  {
    clients: chosen,
    mayBeUnknown = false,
    alone = (_id, run) => run(),
  }: Pick<SyncOptions, 'clients' | 'mayBeUnknown' | 'alone'>,
  concurrency: number,
  { onListed, onDone }: ClientProgress,
): Promise<void> {
  const queue: string[] = []
  let listed = false
  let failed: unknown
  let wake: () => void = () => undefined
  let next = new Promise<void>((resolve) => {
    wake = resolve
  })
  const changed = () => {
    wake()
    next = new Promise((resolve) => {
      wake = resolve
    })
  }
  const list = async () => {
    for await (const ids of chosen === undefined
      ? listClients(context)
      : findClients(context, chosen, mayBeUnknown)) {
      queue.push(...ids)
      onListed(ids.length, false)
      changed()
      // Listing far ahead of the work would hold every id in memory.
      while (queue.length > 2000 && failed === undefined) await next
    }
  }
  const work = async () => {
    for (;;) {
      if (failed !== undefined) return
      const id = queue.shift()
      if (id === undefined) {
        if (listed) return
        await next
        continue
      }
      await alone(id, () => syncClient(context, id))
      onDone()
      changed()
    }
  }
  const guarded = async (task: () => Promise<void>) => {
    try {
      await task()
    } catch (error) {
      failed ??= error
      changed()
    }
  }
  const listing = guarded(async () => {
    try {
      await list()
    } catch (error) {
      await recordFailure(context, { kind: 'clients', subject: '', clientId: null }, error).catch(
        () => undefined,
      )
      throw error
    } finally {
      listed = true
      onListed(0, true)
      changed()
    }
  })
  await Promise.all([listing, ...Array.from({ length: concurrency }, () => guarded(work))])
  if (failed !== undefined) throw failed
}
