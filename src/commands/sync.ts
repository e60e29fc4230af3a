import { Flags } from '@oclif/core'
import { duration } from '../cli/command/flags.ts'
import { BankapiError } from '../errors.ts'
import { systemClock } from '../machine/machine.ts'
import { loadPaint } from '../output/palette.ts'
import { createProgress, type Progress } from '../output/progress.ts'
import type { View } from '../output/view.ts'
import type { SyncProgress, SyncSummary } from '../sync/run.ts'
import { MirrorCommand, mirrorFlags } from './sync/_mirror-command.ts'

const readableKinds = ['transactions', 'statements', 'checks'] as const
/** How often progress is written where no line can be redrawn. */
const LOG_EVERY_MS = 60_000

export default class Sync extends MirrorCommand<typeof Sync, SyncSummary> {
  static override summary = "Keep every Client's bank data in a database"
  static override description =
    'Brings the mirror up to date and ends: Clients, Connections, accounts, transactions, statements and checks, with what ' +
    'changed and what is gone. It only reads. Killed at any moment, the next run goes on where this one was. The mirror is ' +
    'a SQLite file per environment, or a Postgres database. Exit 0: everything is fresh; 9: some of it could not be read, and ' +
    'is named; 10: --timeout ran out.'
  static override examples = [
    '<%= config.bin %> sync',
    '<%= config.bin %> sync --client cli_demo --only transactions --to demo.sqlite',
    '<%= config.bin %> sync --to postgres://sync@localhost/bank --concurrency 16 --json',
    "<%= config.bin %> sync && <%= config.bin %> sync query 'select * from ledger limit 10'",
  ]
  static override flags = {
    ...mirrorFlags,
    client: Flags.string({
      summary: 'Only this Client; may be given more than once',
      helpValue: 'cli_…',
      multiple: true,
    }),
    only: Flags.custom<(typeof readableKinds)[number][]>({
      summary: `Only these beside Clients, Connections and accounts: ${readableKinds.join(', ')}`,
      helpValue: 'KIND,KIND',
      parse: async (text) => {
        const names = text.split(',').map((name) => name.trim())
        const unknown = names.find((name) => !readableKinds.includes(name as never))
        if (unknown === undefined) return names as (typeof readableKinds)[number][]
        const { UsageError } = await import('../cli/errors/errors.ts')
        throw new UsageError(`--only does not know "${unknown}"`, {
          hint: `It takes: ${readableKinds.join(', ')}`,
        })
      },
    })(),
    files: Flags.string({
      summary: 'Download PDFs of statements and images of checks into this folder',
      helpValue: 'DIR',
    }),
    full: Flags.boolean({ summary: 'Walk every account to its end, whatever is known of it' }),
    'accept-gone': Flags.boolean({ summary: 'Mark rows as gone even when more than 20 % of them are' }),
    concurrency: Flags.integer({ summary: 'Requests at once', min: 1, max: 256, default: 8 }),
    timeout: duration({ summary: 'End after this long, exit 10; the next run goes on there' }),
  }

  #progress: Progress | undefined
  #logged = 0

  protected override async execute(): Promise<SyncSummary> {
    const { client, only, files, full, 'accept-gone': acceptGone, concurrency, timeout } = this.flags
    const { session } = this
    const [mirror, { assertMark }, { runSync }, { Limiter }, { setFlagsFromString }] = await Promise.all([
      this.openMirror(),
      import('../sync/mirror/open.ts'),
      import('../sync/run.ts'),
      import('../sync/limiter.ts'),
      import('node:v8'),
    ])
    // Reading many pages leaves only garbage, which V8 would otherwise collect late: at twice the memory.
    setFlagsFromString('--heap-growing-percent=20')
    setFlagsFromString('--semi-space-growth-factor=1')
    const release = await mirror.claim()
    try {
      await assertMark(mirror, { environment: session.environment.value, baseUrl: session.baseUrl.value })
      await this.#startProgress()
      const limiter = new Limiter({ clock: systemClock, concurrency })
      this.onWait = ({ reason, delayMs }) => {
        if (reason === 'rate_limited') void limiter.hold(delayMs)
      }
      const end = timeout === undefined ? undefined : AbortSignal.timeout(timeout)
      return await runSync({
        mirror,
        api: this.api,
        clock: systemClock,
        signal: end === undefined ? this.signal : AbortSignal.any([this.signal, end]),
        clients: client,
        only,
        files,
        full,
        acceptGone,
        concurrency,
        limiter,
        takesOver: mirror.kind === 'sqlite',
        onProgress: (progress) => this.#show(progress),
      }).catch((error: unknown) => {
        if (end?.aborted && !this.signal.aborted) throw timedOut()
        throw error
      })
    } finally {
      this.#progress?.stop()
      release()
    }
  }

  protected override async render(summary: SyncSummary): Promise<void> {
    await super.render(summary)
    for (const { kind, subject, code, message } of summary.failed) {
      this.warning(`${kind} of ${subject}: ${message} (${code}); the next run tries again`)
    }
    for (const { kind, message } of summary.missing_scopes) this.warning(`${kind} are not read: ${message}`)
    if (summary.outcome === 'failed') this.leaveWith('operationFailed')
  }

  protected override view(summary: SyncSummary, out: View): string {
    const rows = Object.entries(summary.counts).map(([kind, counts]) => ({ kind, ...counts }))
    const seconds = (summary.duration_ms / 1000).toFixed(1)
    const clients = `${summary.clients} ${summary.clients === 1 ? 'Client' : 'Clients'}`
    return (
      out.table(
        rows,
        ['kind', 'new', 'changed', 'settled', 'gone'].map((key) =>
          key === 'kind' ? { key } : { key, align: 'right' },
        ),
      ) + out.dim(`${clients}, ${summary.requests} requests, ${seconds} s: ${out.text(summary.mirror)}`)
    )
  }

  async #startProgress(): Promise<void> {
    const { stderr, errorColor } = this.terminal
    this.#progress = createProgress(stderr, {
      tty: Boolean(stderr.isTTY),
      width: () => stderr.columns ?? 80,
      paint: await loadPaint(errorColor, 'stderr'),
    })
    this.#logged = systemClock.elapsed()
  }

  #show({ clients, clientsDone, listed, rows, requests }: SyncProgress): void {
    const text = `${clientsDone}${listed ? ` of ${clients}` : ''} Clients, ${rows} rows, ${requests} requests`
    this.#progress?.update({ text, done: clientsDone, ...(listed ? { total: clients } : {}) })
    if (this.terminal.stderr.isTTY || systemClock.elapsed() - this.#logged < LOG_EVERY_MS) return
    this.#logged = systemClock.elapsed()
    this.note(`sync: ${text}`)
  }
}

function timedOut(): BankapiError {
  return new BankapiError('The sync did not end within --timeout', {
    code: 'sync_timed_out',
    exit: 'stillRunning',
    hint: 'What it read is in the mirror; run the same command again to go on',
  })
}
