import { Flags } from '@oclif/core'
import { DEFAULT_TIMEOUT_MS, duration, yesFlag } from '../cli/command/flags.ts'
import { openInboxOf } from '../cli/command/inbox.ts'
import { BankapiError } from '../errors.ts'
import { systemClock } from '../machine/machine.ts'
import type { Progress } from '../output/progress.ts'
import { safeBlock, safeJson } from '../output/safe-text.ts'
import type { View } from '../output/view.ts'
import type { SyncOptions, SyncProgress, SyncSummary } from '../sync/run.ts'
import type { KindCounts } from '../sync/run-context.ts'
import { MirrorCommand, mirrorFlags } from './sync/_mirror-command.ts'
import { type Refreshes, refreshAll, refreshable } from './sync/_refresh.ts'
import { watchLines, watchObject } from './sync/_watch.ts'
import { assembleListener, listenFlags } from './webhooks/_listener.ts'
import { Lines, listenAsLines } from './webhooks/_listening.ts'

const readableKinds = ['transactions', 'statements', 'checks'] as const
/** How often progress is written where no line can be redrawn. */
const LOG_EVERY_MS = 60_000
const WATCH_EVERY_MS = 6 * 60 * 60_000

/** With `--refresh`, what became of the refreshes. */
type Summary = SyncSummary & { readonly refreshes?: Refreshes }

export default class Sync extends MirrorCommand<typeof Sync, Summary | undefined> {
  static override summary = "Keep every Client's bank data in a database"
  static override description =
    'Brings the mirror up to date and ends: Clients, Connections, accounts, transactions, statements and checks, with what ' +
    'changed and what is gone. It only reads, unless --refresh. Killed at any moment, the next run goes on where this one ' +
    'was. The mirror is a SQLite file per environment, or a Postgres database. Exit 0: everything is fresh; 9: some of it ' +
    'could not be read, and is named; 5: no --client is known; 10: --timeout ran out.\n' +
    'With --watch it stays: deliveries say what to read again, within about a second, and a schedule covers what no delivery ' +
    'told. It takes the options of webhooks listen, forwards as that does, and on `local` subscribes by itself. Ctrl-C and ' +
    'SIGTERM end it in order (exit code 0).'
  static override examples = [
    '<%= config.bin %> sync',
    '<%= config.bin %> sync --client cli_demo --only transactions --to demo.sqlite',
    '<%= config.bin %> sync --to postgres://sync@localhost/bank --concurrency 16 --json',
    '<%= config.bin %> sync --watch --every 6h --subscription whk_0a1b --port 4020',
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
    timeout: duration({
      summary: 'End after this long, exit 10; the next run goes on there; not with --watch',
    }),
    refresh: Flags.boolean({
      summary:
        "Refresh every Connection first and wait for it: uses one of each one's daily refresh budget, and asks; not with --watch",
    }),
    yes: yesFlag,
    watch: Flags.boolean({ summary: 'Stay: read again what deliveries name' }),
    every: duration({ summary: 'With --watch: a whole run this often (default 6h)', dependsOn: ['watch'] }),
    ...watchFlags(listenFlags),
  }

  #progress: Progress | undefined
  #logged = 0

  protected override async execute(): Promise<Summary | undefined> {
    const { session } = this
    for (const other of ['timeout', 'refresh'] as const) {
      if (!this.flags.watch || !this.flags[other]) continue
      const { UsageError } = await import('../cli/errors/errors.ts')
      throw new UsageError(`--watch stays until it is stopped: it does not go with --${other}`, {
        hint: 'Leave out one of them',
      })
    }
    const { client: clients, only, files, full, 'accept-gone': acceptGone, concurrency } = this.flags
    if (this.flags.refresh) {
      await this.confirm(
        `Refresh the Connections of ${clients?.join(', ') ?? 'every Client'} in ${session.environment.value}? ` +
          "Each refresh uses one of that Connection's daily budget, and may bill.",
      )
    }
    const [mirror, { assertMark }, { Limiter }, { setFlagsFromString }] = await Promise.all([
      this.openMirror(),
      import('../sync/mirror/open.ts'),
      import('../workflows/limiter.ts'),
      import('node:v8'),
    ])
    // Reading many pages leaves only garbage, which V8 would otherwise collect late: at twice the memory.
    setFlagsFromString('--heap-growing-percent=20')
    setFlagsFromString('--semi-space-growth-factor=1')
    // Many machines may watch into a Postgres: each run of the schedule claims it then.
    const shared = this.flags.watch && mirror.kind === 'postgres'
    const claim = shared ? undefined : await mirror.claim()
    try {
      await assertMark(mirror, { environment: session.environment.value, baseUrl: session.baseUrl.value })
      const { sharedPause } = await import('../sync/jobs/shared-pause.ts')
      const pause = mirror.kind === 'postgres' ? sharedPause(mirror, systemClock) : undefined
      const limiter = new Limiter({ clock: systemClock, concurrency, shared: pause })
      this.onWait = ({ reason, delayMs, operation }) => {
        // A 429 to a refresh is about the budget of its Connection.
        if (reason === 'rate_limited' && operation !== 'connections.refresh') void limiter.hold(delayMs)
      }
      const options = {
        ...{
          mirror,
          api: this.api,
          clock: systemClock,
          clients,
          only,
          files,
          full,
          acceptGone,
          concurrency,
          limiter,
        },
        takesOver: mirror.kind === 'sqlite',
      }
      return this.flags.watch ? await this.#watch(options) : await this.#once(options, claim?.lost)
    } catch (error) {
      await mirror.discard()
      throw error
    } finally {
      claim?.release()
    }
  }

  /** Ends as well when the claim on the mirror is `lost`. */
  async #once(common: Omit<SyncOptions, 'signal'>, lost?: AbortSignal): Promise<Summary> {
    const { timeout, refresh } = this.flags
    const end = timeout === undefined ? undefined : AbortSignal.timeout(timeout)
    const signal = AbortSignal.any([this.signal, end, lost].filter((each) => each !== undefined))
    const options = { ...common, signal, onProgress: (progress: SyncProgress) => this.#show(progress) }
    const { runSync } = await import('../sync/run.ts')
    await this.#startProgress()
    try {
      if (!refresh) return await runSync(options)
      // Which Connections there are, and how they are.
      const before = await runSync({ ...options, only: [] })
      const refreshes = await this.#refresh(options)
      return { ...added(before, await runSync(options)), refreshes }
    } catch (error) {
      throw end?.aborted && !this.signal.aborted ? timedOut() : error
    } finally {
      this.#progress?.stop()
    }
  }

  async #refresh({ mirror, clients, concurrency = 1, signal }: SyncOptions): Promise<Refreshes> {
    return refreshAll({ ...this.context, signal }, await refreshable(mirror, clients), {
      concurrency,
      timeoutMs: DEFAULT_TIMEOUT_MS,
      onAccepted: (subject, { operation_id: id, estimated_seconds: estimatedSeconds }) =>
        void this.journal.started({ id, type: 'account.refresh', subject, estimatedSeconds }),
      onDone: (done, total) =>
        this.#progress?.update({ text: `${done} of ${total} Connections refreshed`, done, total }),
    })
  }

  /** Listens and syncs until it is stopped. */
  async #watch(common: Omit<SyncOptions, 'signal'>): Promise<undefined> {
    const { session, terminal, signal, flags, warning: onWarning } = this
    const json = this.format !== undefined
    const inbox = await openInboxOf(session)
    const lines = new Lines(terminal)
    try {
      const printWhole = async (answer: object | string) => {
        await this.print(typeof answer === 'string' ? safeBlock(answer) : safeJson(answer))
      }
      const host = { session, terminal, signal, flags, root: this.config.root, onWarning, printWhole }
      const { listener, secret } = await assembleListener(host, inbox)
      try {
        const { Watch } = await import('../sync/watch.ts')
        const stop = new AbortController()
        const watch = new Watch({
          ...common,
          signal: stop.signal,
          everyMs: flags.every ?? WATCH_EVERY_MS,
          shared: common.mirror.kind === 'postgres',
          onEvent: (event) => {
            const object = json ? watchObject(event) : undefined
            if (!json) lines.print(...watchLines(event))
            else if (object !== undefined) lines.print(object)
            else for (const line of watchLines(event)) this.note(line)
          },
        })
        listener.subscribe((event) => {
          if (event.kind !== 'delivery' || !event.delivery.verified || event.delivery.filtered) return
          watch.deliver(event.delivery.event)
        })
        await listenAsLines({
          ...{ listener, terminal, lines, json, utc: this.utc, signal, onWarning },
          async meanwhile(stopped) {
            stopped.addEventListener('abort', () => stop.abort(stopped.reason), { once: true })
            await watch.run()
          },
        })
      } finally {
        lines.flush()
        const why = await secret.release()
        if (why !== undefined) this.tell(why)
      }
    } finally {
      await inbox.close()
    }
    return undefined
  }

  protected override async render(summary: Summary | undefined): Promise<void> {
    if (summary === undefined) return
    await super.render(summary)
    for (const { connection_id, code, message } of summary.refreshes?.failed ?? []) {
      this.warning(`${connection_id} was not refreshed: ${message} (${code})`)
    }
    for (const { kind, subject, code, message } of summary.failed) {
      this.warning(`${kind} of ${subject}: ${message} (${code}); the next run tries again`)
    }
    for (const { kind, message } of summary.missing_scopes) this.warning(`${kind} are not read: ${message}`)
    const stale = (summary.refreshes?.failed.length ?? 0) > 0
    if (summary.outcome === 'failed' || stale) this.leaveWith('operationFailed')
  }

  protected override view(summary: Summary, out: View): string {
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
    this.#progress = await this.createProgress()
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

/** The listener's flags, as this command has them. One that has a default is always set, and only then heeded. */
function watchFlags<T extends typeof listenFlags>(flags: T): T {
  const entries = Object.entries(flags).map(([name, flag]) => {
    const needed = flag.default === undefined ? { dependsOn: ['watch'] } : {}
    return [name, { ...flag, ...needed, helpGroup: 'WATCH' }]
  })
  return Object.fromEntries(entries) as T
}

/** Two runs as one. */
function added(one: SyncSummary, other: SyncSummary): SyncSummary {
  const counts = structuredClone(one.counts)
  for (const kind of Object.keys(counts) as (keyof typeof counts)[]) {
    for (const what of Object.keys(counts[kind]) as (keyof KindCounts)[]) {
      counts[kind][what] += other.counts[kind][what]
    }
  }
  return {
    ...other,
    started_at: one.started_at,
    duration_ms: Date.parse(other.started_at) - Date.parse(one.started_at) + other.duration_ms,
    requests: one.requests + other.requests,
    counts,
  }
}

function timedOut(): BankapiError {
  return new BankapiError('The sync did not end within --timeout', {
    code: 'sync_timed_out',
    exit: 'stillRunning',
    hint: 'What it read is in the mirror; run the same command again to go on',
  })
}
