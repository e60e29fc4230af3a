/**
 * What the jobs of a run do: the first lists the Clients and makes a job for each, which syncs that Client; when none is left the
 * run is closed.
 */
import {
  type ClientContext,
  type ReportedFailure,
  reported,
  type StreamFailure,
  syncClient,
} from '../client-sync.ts'
import { checkCustomer, listClients } from '../clients.ts'
import type { Mirror } from '../mirror/mirror.ts'
import { type Kind, type KindCounts, kinds, type RunContext } from '../run-context.ts'
import type { Scopes } from '../scopes.ts'
import { recordFailure, StreamTakenError } from '../streams.ts'
import type { JobQueue, TakenJob } from './queue.ts'

/** Begins a run: lists the Clients and makes a job for each. */
export async function listJob(
  context: RunContext,
  queue: JobQueue,
  { id }: Pick<TakenJob, 'id'>,
  now: number,
): Promise<{ readonly clients: number }> {
  const { mirror } = context
  await checkCustomer(context)
  await mirror.transaction((db) =>
    mirror.put(db, 'runs', [{ id, mode: 'worker', started_at: new Date(now).toISOString() }]),
  )
  let clients = 0
  try {
    for await (const ids of listClients(context)) {
      await queue.addClients(ids, id)
      clients += ids.length
    }
  } catch (error) {
    if (!context.reader.signal.aborted && !(error instanceof StreamTakenError)) {
      await recordFailure(context, { kind: 'clients', subject: '', clientId: null }, error)
    }
    throw error
  }
  return { clients }
}

export interface SyncJobOptions {
  readonly only: readonly Kind[] | undefined
  readonly files: string | undefined
  /** Those of its run. */
  readonly scopes: Scopes
}

/** Syncs a Client. @throws StreamTakenError when another sync has a part of it: the job is done when this one could read it. */
export async function syncJob(
  base: RunContext,
  clientId: string,
  { only, files, scopes }: SyncJobOptions,
): Promise<{
  readonly counts: Readonly<Record<Kind, KindCounts>>
  readonly failed: readonly ReportedFailure[]
}> {
  const failures: StreamFailure[] = []
  let taken: StreamTakenError | undefined
  const context: ClientContext = {
    ...base,
    scopes,
    wanted: new Set(only ?? kinds),
    files,
    alreadyRead: new Map(),
    onFailure: (failure) => failures.push(failure),
    onTaken: (key) => {
      taken ??= new StreamTakenError(key)
    },
  }
  await syncClient(context, clientId)
  if (taken !== undefined) throw taken
  base.reader.signal.throwIfAborted()
  return { counts: base.counts.all, failed: failures.map(reported) }
}

/** Writes the outcome of the runs that were under way: no job of them is left. */
export async function closeRuns({ db }: Mirror, queue: JobQueue, now: number): Promise<void> {
  const open = await db
    .selectFrom('runs')
    .select('id')
    .where('mode', '=', 'worker')
    .where('ended_at', 'is', null)
    .execute()
  for (const { id } of open) {
    const summary = await queue.outcomeOf(id)
    await db
      .updateTable('runs')
      .set({
        ended_at: new Date(now).toISOString(),
        outcome: summary.failed > 0 ? 'failed' : 'complete',
        summary: JSON.stringify(summary),
      })
      .where('id', '=', id)
      .execute()
  }
}
