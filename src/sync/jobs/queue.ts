/**
 * The queue of the workers, in the same Postgres as the mirror: pg-boss, in the schema `bankapi_jobs`. A job is the sync of one
 * Client; a Client has at most one that waits or runs. What is left to do when a job fails for good is its dead letter.
 */
import { PgBoss } from 'pg-boss'
import { postgresAddress } from '../../postgres/address.ts'
import { openPool } from '../../postgres/pool.ts'
import { explained } from '../mirror/postgres.ts'
import { DEAD_LETTERS, JOBS_SCHEMA } from './dead-letters.ts'

/** `list` finds the Clients and makes their jobs; `clients` are those. */
export type QueueName = 'list' | 'clients'

export interface ClientJob {
  readonly client_id: string
  /** The run that it belongs to: the id of the job that listed it. */
  readonly run: string
}

/** A job as it was taken: what is said of it counts only while no other worker has taken it since. */
export interface TakenJob {
  readonly id: string
  readonly retryCount: number
  readonly data: unknown
}

export interface QueueOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** A job whose worker says nothing for this long goes to another. At least 10 s. */
  readonly heartbeatMs: number
}

export interface JobQueue {
  /** Asks for a run; with `everyMs` at most one in each span of that length, whoever asks. Returns whether there is one more. */
  requestRun(everyMs?: number): Promise<boolean>
  /** Clients that have a job already are left out. */
  addClients(clientIds: readonly string[], run: string): Promise<void>
  take(queue: QueueName, count: number): Promise<readonly TakenJob[]>
  /** Says that the worker of these jobs lives. Returns the ids of those that it still has. */
  keep(queue: QueueName, jobs: readonly TakenJob[]): Promise<ReadonlySet<string>>
  complete(queue: QueueName, job: TakenJob, outcome: object): Promise<void>
  /** To be tried again, or a dead letter after the last time. */
  fail(queue: QueueName, job: TakenJob, outcome: object): Promise<void>
  /** Whether a job waits or runs. */
  isBusy(): Promise<boolean>
  /** What the jobs of a run came to. */
  outcomeOf(run: string): Promise<RunOutcome>
  close(): Promise<void>
}

export interface RunOutcome {
  readonly clients: number
  readonly requests: number
  /** Clients of which something failed. */
  readonly failed: number
}

/** A job that was given to five workers and came back each time is not given to a sixth. */
const RETRIES = 5
const FINISHED_KEPT_SECONDS = 6 * 3600
/** The bound on a single job that its worker keeps alive. */
const EXPIRES_SECONDS = 23 * 3600
const MAX_INSERTED = 1000

/** @throws MirrorError, PostgresAddressError */
export async function openQueue(url: string, options: QueueOptions): Promise<JobQueue> {
  const address = postgresAddress(url)
  const pool = openPool(address, {
    applicationName: 'bankapi jobs',
    max: 4,
    env: options.env,
    settings: { idle_in_transaction_session_timeout: '10s' },
  })
  const seconds = Math.round(options.heartbeatMs / 1000)
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: JOBS_SCHEMA,
    // Runs are asked for by their span of time, which needs no cron.
    schedule: false,
    superviseIntervalSeconds: Math.max(1, Math.round(seconds / 3)),
    monitorIntervalSeconds: Math.max(1, Math.round(seconds / 3)),
  })
  // Trouble in the background, which the next call meets, too.
  boss.on('error', () => {})
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      throw explained(error, address)
    }
  }
  const terms = {
    retryLimit: RETRIES,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 300,
    heartbeatSeconds: seconds,
    expireInSeconds: EXPIRES_SECONDS,
    deleteAfterSeconds: FINISHED_KEPT_SECONDS,
  }
  try {
    await guarded(async () => {
      await boss.start()
      await boss.createQueue(DEAD_LETTERS)
      for (const name of ['list', 'clients'] satisfies QueueName[]) {
        await boss.createQueue(name, { policy: 'exclusive', deadLetter: DEAD_LETTERS, ...terms })
      }
    })
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    requestRun: (everyMs) =>
      guarded(async () => {
        const every = everyMs === undefined ? undefined : Math.max(1, Math.round(everyMs / 1000))
        const slot =
          every === undefined
            ? {}
            : // A finished one has to be there until its span is over, to be seen by those who ask again.
              { singletonSeconds: every, deleteAfterSeconds: Math.max(FINISHED_KEPT_SECONDS, 2 * every) }
        return (await boss.send('list', {}, { ...terms, ...slot })) !== null
      }),
    addClients: (clientIds, run) =>
      guarded(async () => {
        for (let from = 0; from < clientIds.length; from += MAX_INSERTED) {
          const jobs = clientIds.slice(from, from + MAX_INSERTED).map((client_id) => ({
            data: { client_id, run } satisfies ClientJob,
            singletonKey: client_id,
            ...terms,
          }))
          await boss.insert('clients', jobs)
        }
      }),
    take: (queue, count) => guarded(() => boss.fetch(queue, { batchSize: count })),
    keep: (queue, jobs) =>
      guarded(async () => {
        if (jobs.length === 0) return new Set<string>()
        // The driver says which jobs it touched; its types leave that out.
        const { settled = [] } = (await boss.touch(queue, attempts(jobs))) as { settled?: string[] }
        return new Set(settled)
      }),
    complete: (queue, job, outcome) =>
      guarded(async () => {
        await boss.complete(queue, attempts([job]), outcome)
        const { client_id } = job.data as Partial<ClientJob>
        await pool.query(
          `DELETE FROM ${JOBS_SCHEMA}.job WHERE name = $1 AND state = 'created' AND coalesce(singleton_key, '') = $2`,
          [DEAD_LETTERS, client_id ?? ''],
        )
      }),
    fail: (queue, job, outcome) =>
      guarded(async () => {
        await boss.fail(queue, attempts([job]), outcome)
      }),
    isBusy: () =>
      guarded(async () => {
        const { rows } = await pool.query(
          `SELECT 1 FROM ${JOBS_SCHEMA}.job WHERE name IN ('list', 'clients') AND state < 'completed' LIMIT 1`,
        )
        return rows.length > 0
      }),
    outcomeOf: (run) =>
      guarded(async () => {
        const { rows } = await pool.query<RunOutcome>(
          `SELECT count(*)::int AS clients,
                  coalesce(sum((output->>'requests')::int), 0)::int AS requests,
                  (count(*) FILTER (WHERE state = 'failed' OR output->'failed' <> '[]'))::int AS failed
             FROM ${JOBS_SCHEMA}.job WHERE name = 'clients' AND data->>'run' = $1`,
          [run],
        )
        return rows[0] ?? { clients: 0, requests: 0, failed: 0 }
      }),
    async close() {
      await boss.stop({ graceful: false })
      await pool.end()
    },
  }
}

/** Ids with the number of the attempt: what another worker has taken since is left alone. */
function attempts(jobs: readonly TakenJob[]): { id: string; retryCount: number }[] {
  return jobs.map(({ id, retryCount }) => ({ id, retryCount }))
}
