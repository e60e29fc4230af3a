/** One of the processes that keep a mirror on Postgres together: takes the jobs of Clients from their queue until it is stopped. */
import type { Api } from '../../api/api.ts'
import { ApiResponseError } from '../../api/errors.ts'
import type { Clock } from '../../api/options.ts'
import { BankapiError } from '../../errors.ts'
import type { Limiter } from '../../workflows/limiter.ts'
import type { ReportedFailure } from '../client-sync.ts'
import { prepareFolder } from '../files.ts'
import type { Mirror } from '../mirror/mirror.ts'
import { MirrorError } from '../mirror/mirror-error.ts'
import { Reader } from '../reader.ts'
import { Counts, type Kind, type RunContext } from '../run-context.ts'
import { Scopes } from '../scopes.ts'
import { failureOf, freeLeases, keepLeases, StreamTakenError } from '../streams.ts'
import type { ClientJob, JobQueue, QueueName, TakenJob } from './queue.ts'
import { closeRuns, listJob, syncJob } from './run-jobs.ts'

export interface WorkerOptions {
  readonly mirror: Mirror
  readonly queue: JobQueue
  readonly api: Api
  readonly clock: Clock
  /** Ends the worker after the current commit. What it has not done goes to the others. */
  readonly signal: AbortSignal
  readonly limiter: Limiter
  /** Jobs at once. */
  readonly concurrency: number
  readonly heartbeatMs: number
  /** A run in each span of this length, whoever of the workers begins it; none when absent. */
  readonly everyMs?: number | undefined
  /** Ends when no job is left, after asking for a run. */
  readonly once?: boolean | undefined
  readonly only?: readonly Kind[] | undefined
  readonly files?: string | undefined
  readonly onProgress?: ((progress: WorkerProgress) => void) | undefined
  /** A stream that failed, or a job that did. */
  readonly onFailure?: ((failure: ReportedFailure) => void) | undefined
  /** The database was lost; the worker waits until it is back. */
  readonly onTrouble?: ((error: MirrorError) => void) | undefined
}

export interface WorkerProgress {
  /** Clients that were synced. */
  readonly clients: number
  readonly requests: number
  readonly running: number
}

/** What `--json` prints when it ends. */
export interface WorkerSummary {
  readonly mirror: string
  /** Jobs of Clients that this worker did. */
  readonly clients: number
  readonly requests: number
  /** Jobs that it gave back, to be tried again. */
  readonly given_back: number
  readonly failed: readonly ReportedFailure[]
}

/** Without NOTIFY, which starved jobs when it was tried, a worker asks this often. */
const POLL_MS = 500
/** How often a worker asks whether a run is due. */
const ASK_FOR_RUN_MS = 10_000
const MAX_OUTAGE_WAIT_MS = 15_000

/**
 * Works until the signal aborts or, with `once`, until no job is left. Rejects with an error that no other job would escape: the
 * key is refused, or the mirror is of another customer.
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerSummary> {
  if (options.files !== undefined) await prepareFolder(options.files)
  return new Worker(options).run()
}

interface Running {
  readonly queue: QueueName
  readonly job: TakenJob
  readonly lease: string
  readonly clientId: string | undefined
  readonly controller: AbortController
  readonly done: Promise<void>
}

class Worker {
  readonly #options: WorkerOptions
  readonly #reader: Reader
  readonly #running = new Map<string, Running>()
  /** By run: a scope that the key lacks costs a request per run and worker. */
  readonly #scopes = new Map<string, Scopes>()
  readonly #failed: ReportedFailure[] = []
  readonly #ending = new AbortController()
  #clients = 0
  #requests = 0
  #givenBack = 0
  #fatal: unknown
  #mayBeLast = true
  #jobEnded = new AbortController()

  constructor(options: WorkerOptions) {
    this.#options = options
    const { api, clock, limiter } = options
    this.#reader = new Reader({ api, clock, limiter, signal: options.signal })
  }

  async run(): Promise<WorkerSummary> {
    const { mirror, signal } = this.#options
    const stop = () => this.#ending.abort(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    const beats = this.#keepAlive()
    try {
      await this.#work()
    } finally {
      signal.removeEventListener('abort', stop)
      // What still runs ends after its current commit.
      this.#ending.abort(new InterruptedJobError())
      await Promise.all([...this.#running.values()].map(({ done }) => done))
      await beats
    }
    if (this.#fatal !== undefined) throw this.#fatal
    return {
      mirror: mirror.shown,
      clients: this.#clients,
      requests: this.#requests,
      given_back: this.#givenBack,
      failed: this.#failed,
    }
  }

  /** Takes jobs until the worker ends. */
  async #work(): Promise<void> {
    const { queue, clock, everyMs, once = false, concurrency } = this.#options
    const ended = this.#ending.signal
    let askAt = Number.NEGATIVE_INFINITY
    let outageMs = 0
    if (once) await queue.requestRun()
    while (!ended.aborted) {
      this.#jobEnded = new AbortController()
      try {
        if (everyMs !== undefined && clock.now() >= askAt) {
          askAt = clock.now() + ASK_FOR_RUN_MS
          await queue.requestRun(everyMs)
        }
        const taken = await this.#take(concurrency - this.#running.size)
        outageMs = 0
        if (taken > 0) continue
        if (this.#running.size === 0 && (await this.#isDone()) && once) return
      } catch (error) {
        if (!isOutage(error)) throw error
        if (outageMs === 0) this.#options.onTrouble?.(error)
        outageMs = Math.min(MAX_OUTAGE_WAIT_MS, Math.max(POLL_MS, outageMs * 2))
      }
      await this.#sleep(outageMs || POLL_MS, this.#jobEnded.signal)
    }
  }

  /** Whether no job is left. The worker that finds it so first closes the runs that were under way. */
  async #isDone(): Promise<boolean> {
    const { mirror, queue, once = false, clock } = this.#options
    if (!this.#mayBeLast && !once) return false
    if (await queue.isBusy()) return false
    this.#mayBeLast = false
    await closeRuns(mirror, queue, clock.now())
    return true
  }

  /** Takes up to so many jobs and starts them. Returns how many. */
  async #take(free: number): Promise<number> {
    if (free <= 0) return 0
    const lists = await this.#options.queue.take('list', 1)
    for (const job of lists) this.#start('list', job, undefined)
    const clients = await this.#options.queue.take('clients', free)
    for (const job of clients) this.#start('clients', job, (job.data as ClientJob).client_id)
    return lists.length + clients.length
  }

  #start(queue: QueueName, job: TakenJob, clientId: string | undefined): void {
    const controller = new AbortController()
    const lease = `job:${job.id}:${job.retryCount}`
    const done = this.#do(
      queue,
      job,
      lease,
      AbortSignal.any([controller.signal, this.#ending.signal]),
    ).finally(() => {
      this.#running.delete(lease)
      this.#mayBeLast = true
      this.#jobEnded.abort()
    })
    this.#running.set(lease, { queue, job, lease, clientId, controller, done })
  }

  /** Does a job and says how it ended. It never rejects: what nobody hears of is taken over when the heartbeat stops. */
  async #do(name: QueueName, job: TakenJob, lease: string, signal: AbortSignal): Promise<void> {
    const { queue, mirror } = this.#options
    const reader = this.#reader.until(signal)
    try {
      const base: RunContext = {
        mirror,
        reader,
        counts: new Counts(),
        lease,
        leaseMs: this.#options.heartbeatMs,
        takesOver: false,
        full: false,
        acceptGone: false,
      }
      const outcome =
        name === 'list'
          ? await listJob(base, queue, job, this.#options.clock.now())
          : await this.#client(base, job.data as ClientJob)
      await queue.complete(name, job, { ...outcome, requests: reader.requests })
      this.#requests += reader.requests
      this.#report()
    } catch (error) {
      this.#requests += reader.requests
      this.#givenBack += 1
      if (endsTheWorker(error) && !signal.aborted) {
        this.#fatal ??= error
        this.#ending.abort(error)
      }
      const failure = failureOf(error)
      if (!signal.aborted && !(error instanceof StreamTakenError)) {
        const { client_id = null } = job.data as Partial<ClientJob>
        this.#options.onFailure?.({ kind: 'job', subject: client_id ?? '', client_id, ...failure })
      }
      try {
        if (name === 'clients') await freeLeases({ mirror, lease }, (job.data as ClientJob).client_id)
        await queue.fail(name, job, failure)
      } catch {
        // The database is lost: the heartbeat and the leases run out.
      }
    }
  }

  async #client(context: RunContext, { client_id, run }: ClientJob): Promise<object> {
    const { only, files } = this.#options
    const { counts, failed } = await syncJob(context, client_id, { only, files, scopes: this.#scopesOf(run) })
    this.#clients += 1
    for (const failure of failed) {
      this.#failed.push(failure)
      this.#options.onFailure?.(failure)
    }
    return { counts, failed }
  }

  #scopesOf(run: string): Scopes {
    let found = this.#scopes.get(run)
    if (found === undefined) {
      // Of earlier runs few jobs are left.
      if (this.#scopes.size >= 4) this.#scopes.clear()
      found = new Scopes()
      this.#scopes.set(run, found)
    }
    return found
  }

  /** Says that the jobs live, three times per heartbeat, and ends those that others have taken meanwhile. */
  async #keepAlive(): Promise<void> {
    const { queue, mirror, heartbeatMs } = this.#options
    const beat = async (name: QueueName) => {
      const running = [...this.#running.values()].filter((each) => each.queue === name)
      const kept = await queue.keep(
        name,
        running.map(({ job }) => job),
      )
      for (const { job, lease, controller } of running) {
        // One that ended meanwhile is no longer there, either.
        if (!kept.has(job.id) && this.#running.has(lease)) controller.abort(new TakenOverError())
      }
    }
    for (;;) {
      await this.#sleep(heartbeatMs / 3)
      if (this.#ending.signal.aborted) return
      try {
        await beat('list')
        await beat('clients')
        const leases = [...this.#running.values()].flatMap(({ lease, clientId }) =>
          clientId === undefined ? [] : [[lease, clientId] as const],
        )
        await keepLeases({ mirror, reader: this.#reader, leaseMs: heartbeatMs }, new Map(leases))
      } catch {
        // The database is lost. The next beat tries again; until then nobody else can take the jobs, either.
      }
    }
  }

  async #sleep(ms: number, until?: AbortSignal): Promise<void> {
    const ended = this.#ending.signal
    const signal = until === undefined ? ended : AbortSignal.any([ended, until])
    await this.#options.clock.sleep(ms, signal).catch(() => undefined)
  }

  #report(): void {
    this.#options.onProgress?.({
      clients: this.#clients,
      requests: this.#requests,
      running: this.#running.size,
    })
  }
}

/** Another worker has the job: this one said nothing for longer than its heartbeat. */
class TakenOverError extends BankapiError {
  override readonly name = 'TakenOverError'

  constructor() {
    super('Another worker has taken the job over', { code: 'taken_over', exit: 'conflict' })
  }
}

/** The worker ends, and gives the job back. */
class InterruptedJobError extends BankapiError {
  override readonly name = 'InterruptedJobError'

  constructor() {
    super('The worker ended before the job', { code: 'interrupted', exit: 'interrupted' })
  }
}

/** Whether the database is away for a while, which a worker outlasts. */
function isOutage(error: unknown): error is MirrorError {
  return (
    error instanceof MirrorError && (error.code === 'postgres_unreachable' || error.code === 'postgres_busy')
  )
}

/** Whether every other job would meet the same failure. */
function endsTheWorker(error: unknown): boolean {
  if (error instanceof MirrorError) return !isOutage(error)
  return (
    error instanceof ApiResponseError &&
    (error.exit === 'notAuthenticated' || error.code === 'insufficient_scope')
  )
}
