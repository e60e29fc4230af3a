import { Flags } from '@oclif/core'
import { duration } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { systemClock } from '../../machine/machine.ts'
import type { View } from '../../output/view.ts'
import type { JobQueue } from '../../sync/jobs/queue.ts'
import type { WorkerSummary } from '../../sync/jobs/worker.ts'
import { MirrorCommand, mirrorFlags } from './_mirror-command.ts'

const readableKinds = ['transactions', 'statements', 'checks'] as const
const HOUR_MS = 3_600_000
/** The queue takes no shorter one. */
const MIN_HEARTBEAT_MS = 10_000
const LOG_EVERY_MS = 60_000

export default class SyncWorker extends MirrorCommand<typeof SyncWorker, WorkerSummary> {
  static override summary = 'Keep a mirror on Postgres together with other workers'
  static override description =
    'Takes jobs until it is stopped: each is the sync of one Client. Start as many as you like, on any machine. One of them ' +
    'lists the Clients every --every, however many run. A worker that is killed or says nothing for --heartbeat loses its jobs ' +
    'to the others, and what it still writes is refused. SIGTERM ends it after the current commit.'
  static override examples = [
    '<%= config.bin %> sync worker --to postgres://sync@db.example.com/bank',
    '<%= config.bin %> sync worker --to postgres://sync@localhost/bank --once --json',
  ]
  static override flags = {
    ...mirrorFlags,
    every: duration({ summary: 'Time between two runs; the same for all workers (default 6h)' }),
    once: Flags.boolean({ summary: 'Ask for a run, and end when no job is left', exclusive: ['every'] }),
    heartbeat: duration({ summary: 'A worker that is silent for this long is given up (default 30s)' }),
    only: Flags.option({
      summary: 'Only these beside Clients, Connections and accounts',
      options: readableKinds,
      multiple: true,
      delimiter: ',',
    })(),
    files: Flags.string({
      summary: 'Download PDFs of statements and images of checks into this folder',
      helpValue: 'DIR',
    }),
    concurrency: Flags.integer({ summary: 'Requests and Clients at once', min: 1, max: 256, default: 8 }),
  }

  #queue: JobQueue | undefined
  #logged = 0

  protected override async execute(): Promise<WorkerSummary> {
    const {
      once,
      only,
      files,
      concurrency,
      every = 6 * HOUR_MS,
      heartbeat = MIN_HEARTBEAT_MS * 3,
    } = this.flags
    const { session, destination } = this
    const { destinationOf } = await import('../../sync/mirror/destination.ts')
    if (destinationOf(destination).kind !== 'postgres') {
      throw new UsageError('Workers share a mirror on Postgres, and this one is a file', {
        hint: 'Name it: --to postgres://user@host/database. A file needs no workers: bankapi sync',
      })
    }
    if (heartbeat < MIN_HEARTBEAT_MS) throw new UsageError('--heartbeat is at least 10s')
    const [mirror, { assertMark }, { runWorker }, { openQueue }, { sharedPause }, { Limiter }] =
      await Promise.all([
        this.openMirror(),
        import('../../sync/mirror/open.ts'),
        import('../../sync/jobs/worker.ts'),
        import('../../sync/jobs/queue.ts'),
        import('../../sync/jobs/shared-pause.ts'),
        import('../../workflows/limiter.ts'),
      ])
    await assertMark(mirror, { environment: session.environment.value, baseUrl: session.baseUrl.value })
    const queue = await openQueue(destination, { env: this.machine.env, heartbeatMs: heartbeat })
    this.#queue = queue
    const limiter = new Limiter({ clock: systemClock, concurrency, shared: sharedPause(mirror, systemClock) })
    this.onWait = ({ reason, delayMs }) => {
      if (reason === 'rate_limited') void limiter.hold(delayMs)
    }
    this.note(`sync worker: takes jobs of ${mirror.shown}`)
    this.#logged = systemClock.elapsed()
    return runWorker({
      mirror,
      queue,
      api: this.api,
      clock: systemClock,
      signal: this.signal,
      limiter,
      concurrency,
      heartbeatMs: heartbeat,
      everyMs: once ? undefined : every,
      once,
      only,
      files,
      onProgress: ({ clients, requests, running }) => {
        if (systemClock.elapsed() - this.#logged < LOG_EVERY_MS) return
        this.#logged = systemClock.elapsed()
        this.note(`sync worker: ${clients} Clients, ${requests} requests, ${running} under way`)
      },
      onFailure: ({ kind, subject, code, message }) =>
        this.warning(`${kind}${subject === '' ? '' : ` of ${subject}`}: ${message} (${code})`),
      onTrouble: ({ sentence, hint }) =>
        this.warning(`${sentence} The worker waits until it is back. ${hint ?? ''}`),
    })
  }

  protected override async render(summary: WorkerSummary): Promise<void> {
    await super.render(summary)
    if (this.flags.once && summary.failed.length > 0) this.leaveWith('operationFailed')
  }

  protected override view(
    { mirror, clients, requests, given_back, failed }: WorkerSummary,
    out: View,
  ): string {
    const failures = failed.length === 0 ? '' : `, ${failed.length} streams failed`
    return out.text(
      `${clients} Clients, ${requests} requests, ${given_back} jobs given back${failures}: ${mirror}`,
    )
  }

  protected override async close(): Promise<void> {
    await this.#queue?.close().catch(() => undefined)
    await super.close()
  }
}
