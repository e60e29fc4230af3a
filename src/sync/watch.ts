/**
 * Keeps a mirror up to date for as long as it runs: deliveries say what to read again (rule 7), and a schedule covers what no
 * delivery told. A delivery that is late, comes twice, out of order or never leaves the same mirror.
 */
import { BankapiError } from '../errors.ts'
import { Limiter } from '../workflows/limiter.ts'
import type { Parts } from './client-sync.ts'
import { MirrorError } from './mirror/mirror-error.ts'
import { Reader } from './reader.ts'
import { type ClientReread, Rereads, retryDelay } from './rereads.ts'
import { runSync, type SyncOptions, type SyncSummary } from './run.ts'
import { merged, namedClients, type Signal, signalOf } from './signals.ts'
import { failureOf } from './streams.ts'

export interface WatchOptions extends Omit<SyncOptions, 'mode' | 'alone' | 'onProgress'> {
  /** From the start of one whole run to that of the next. */
  readonly everyMs: number
  /** Whether others may watch into the same mirror: the schedule then runs once for all of them. */
  readonly shared?: boolean | undefined
  /** What comes within this time for one Client is one reading. Default 300 ms. */
  readonly debounceMs?: number | undefined
  /** At least so long between the reconciliations that deliveries without usable ids ask for. Default 5 minutes. */
  readonly reconcileEveryMs?: number | undefined
  /** Called for what happened; it must not throw. */
  readonly onEvent: (event: WatchEvent) => void
}

export type WatchEvent =
  /** A Client was read again. */
  | ({ readonly kind: 'reread'; readonly at: number } & ClientReread)
  /** A run over all Clients, or those that deliveries named and the mirror did not have. */
  | { readonly kind: 'run'; readonly at: number; readonly why: RunReason; readonly summary: SyncSummary }
  /** Something keeps everything from being read. Said once; it is tried again. */
  | { readonly kind: 'trouble'; readonly at: number; readonly message: string }
  | { readonly kind: 'well'; readonly at: number }

export type RunReason = 'schedule' | 'unknown ids' | 'new Clients'

const DEBOUNCE_MS = 300
const RECONCILE_EVERY_MS = 5 * 60_000
/** Between two listings of the Clients for new ones: this, or ten times as long as a listing takes. */
const MIN_LISTING_GAP_MS = 1000
const CONCURRENCY = 8
/** While another process runs the schedule: when it fails, this one runs it. */
const BUSY_RETRY_MS = 60_000
/** The name in the table mirror of when the schedule last ran. */
const RAN_AT = 'scheduled_run_at'

export class Watch {
  readonly #options: WatchOptions
  readonly #limiter: Limiter
  readonly #rereads: Rereads
  /** Deliveries whose Clients are looked up. */
  readonly #taking = new Set<Promise<void>>()
  /** Clients that deliveries named and the mirror does not have. */
  readonly #unlisted = new Map<string, Parts>()
  #reconcile = false
  #wake: () => void = () => undefined
  #trouble: string | undefined

  constructor(options: WatchOptions) {
    const { api, clock, signal, concurrency = CONCURRENCY, debounceMs = DEBOUNCE_MS } = options
    this.#limiter = options.limiter ?? new Limiter({ clock, concurrency, shared: options.sharedPause })
    this.#rereads = new Rereads({
      ...options,
      concurrency,
      debounceMs,
      reader: new Reader({ api, clock, limiter: this.#limiter, signal }),
      onReread: (reread) => options.onEvent({ kind: 'reread', at: clock.now(), ...reread }),
      onAway: (error) => this.#say(error),
      onAnswer: () => this.#well(),
    })
    this.#options = options
  }

  /** Takes in the body of a verified delivery, as JSON. It never throws, and nothing waits for it. */
  deliver(event: unknown): void {
    const signal = signalOf(event)
    if (signal === undefined || this.#stopped) return
    const taking = this.#take(signal)
      .catch((error: unknown) => {
        // Which Client it is about could not be looked up: a whole run reads it, too.
        this.#say(error)
        this.#askToReconcile()
      })
      .finally(() => this.#taking.delete(taking))
    this.#taking.add(taking)
  }

  /**
   * Runs until the signal is aborted, and resolves after what was being committed then. Rejects with what no further attempt
   * can pass: another customer's mirror, Clients that nobody knows and, in the first run, what the user gave: a key that is
   * refused, a folder that cannot be used.
   */
  async run(): Promise<void> {
    try {
      await this.#runs()
    } finally {
      await this.#rereads.end()
      await Promise.all(this.#taking)
    }
  }

  get #stopped(): boolean {
    return this.#options.signal.aborted
  }

  /** Finds the Clients of a signal: named, or by a Connection or account that the mirror has. */
  async #take(signal: Signal): Promise<void> {
    const found = await namedClients(this.#options.mirror, signal)
    if (found.size === 0) return this.#askToReconcile()
    const chosen = this.#options.clients
    const wanted = [...found].filter((id) => chosen?.includes(id) ?? true)
    const known = await this.#known(wanted)
    for (const id of wanted) {
      if (known.has(id)) this.#rereads.plan(id, signal.parts)
      else if (!(await this.#isForgotten(id))) {
        this.#unlisted.set(id, merged(this.#unlisted.get(id) ?? signal.parts, signal.parts))
        this.#wake()
      }
    }
  }

  async #known(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { db } = this.#options.mirror
    const found = await db
      .selectFrom('clients')
      .select('id')
      .where('id', 'in', ['', ...ids])
      .execute()
    return new Set(found.map(({ id }) => id))
  }

  async #isForgotten(id: string): Promise<boolean> {
    const { db } = this.#options.mirror
    const found = await db
      .selectFrom('forgotten_clients')
      .select('client_id')
      .where('client_id', '=', id)
      .execute()
    return found.length > 0
  }

  #askToReconcile(): void {
    this.#reconcile = true
    this.#wake()
  }

  /** One run after another: at once, by the schedule, and when deliveries name what the mirror does not have. */
  async #runs(): Promise<void> {
    const { clock, signal, everyMs, reconcileEveryMs = RECONCILE_EVERY_MS } = this.#options
    let scheduled = clock.elapsed()
    let reconciled = Number.NEGATIVE_INFINITY
    let listed = Number.NEGATIVE_INFINITY
    let failures = 0
    let passed = false
    while (!signal.aborted) {
      const due: [number, RunReason][] = [[scheduled, 'schedule']]
      if (this.#reconcile) due.push([reconciled + reconcileEveryMs, 'unknown ids'])
      if (this.#unlisted.size > 0 && passed) due.push([listed, 'new Clients'])
      const [at, why] = due.toSorted(([a], [b]) => a - b)[0] as [number, RunReason]
      const now = clock.elapsed()
      if (at > now) {
        await this.#sleep(at - now)
        continue
      }
      const unlisted = new Map(this.#unlisted)
      this.#unlisted.clear()
      if (why !== 'new Clients') {
        scheduled = now + everyMs
        reconciled = now
        this.#reconcile = false
      }
      try {
        const nextInMs = await this.#runOnce(why, unlisted)
        if (nextInMs !== undefined) scheduled = now + nextInMs
        failures = 0
        passed = true
        this.#well()
      } catch (error) {
        if (signal.aborted) return
        if (isFinal(error, passed)) throw error
        this.#say(error)
        for (const [id, parts] of unlisted) this.#unlisted.set(id, parts)
        scheduled = Math.min(scheduled, clock.elapsed() + retryDelay(failures))
        failures += 1
      }
      const ended = clock.elapsed()
      if (why === 'new Clients') listed = ended + Math.max(MIN_LISTING_GAP_MS, 10 * (ended - now))
    }
  }

  /** Returns in how many ms the schedule is due again, when another process has run it. */
  async #runOnce(why: RunReason, unlisted: ReadonlyMap<string, Parts>): Promise<number | undefined> {
    const { clients } = this.#options
    const known = await this.#known([...unlisted.keys()])
    // A run may have found them since.
    for (const [id, parts] of unlisted) if (known.has(id)) this.#rereads.plan(id, parts)
    if (why === 'new Clients') {
      const chosen = [...unlisted.keys()].filter((id) => !known.has(id))
      if (chosen.length > 0) await this.#sync(why, chosen)
      return undefined
    }
    this.#rereads.forgetScopes()
    if (this.#options.shared !== true) {
      await this.#sync(why, clients)
      return undefined
    }
    return this.#inTurn(why)
  }

  /** Runs the schedule unless another process is running it, or has within `everyMs`. */
  async #inTurn(why: RunReason): Promise<number | undefined> {
    const { mirror, clock, clients, everyMs } = this.#options
    const claim = await mirror.claim().catch((error: unknown) => {
      if (error instanceof MirrorError && error.code === 'busy') return undefined
      throw error
    })
    if (claim === undefined) return Math.min(everyMs, BUSY_RETRY_MS)
    try {
      const started = clock.now()
      const last = await mirror.db
        .selectFrom('mirror')
        .select('value')
        .where('name', '=', RAN_AT)
        .executeTakeFirst()
      const nextInMs = last === undefined ? 0 : Date.parse(last.value) + everyMs - started
      if (why === 'schedule' && nextInMs > 0) return nextInMs
      await this.#sync(why, clients, claim.lost)
      await mirror.transaction((db) =>
        mirror.put(db, 'mirror', [{ name: RAN_AT, value: new Date(started).toISOString() }]),
      )
      return undefined
    } finally {
      claim.release()
    }
  }

  async #sync(why: RunReason, clients: readonly string[] | undefined, lost?: AbortSignal): Promise<void> {
    const { signal } = this.#options
    const summary = await runSync({
      ...this.#options,
      signal: lost === undefined ? signal : AbortSignal.any([signal, lost]),
      limiter: this.#limiter,
      clients,
      mayBeUnknown: why === 'new Clients',
      mode: 'watch',
      alone: (id, run) => this.#rereads.alone(id, run),
    })
    this.#options.onEvent({ kind: 'run', at: this.#options.clock.now(), why, summary })
  }

  async #sleep(ms: number): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    // Timers of Node end at once beyond 24 days.
    await this.#options.clock
      .sleep(Math.min(ms, 86_400_000), AbortSignal.any([this.#options.signal, woken.signal]))
      .catch(() => undefined)
    this.#wake = () => undefined
  }

  #say(error: unknown): void {
    if (this.#stopped) return
    const { message } = failureOf(error)
    if (this.#trouble === message) return
    this.#trouble = message
    this.#options.onEvent({ kind: 'trouble', at: this.#options.clock.now(), message })
  }

  /** The service answers again: what waits for a further attempt need not wait longer. */
  #well(): void {
    if (this.#trouble === undefined) return
    this.#trouble = undefined
    this.#options.onEvent({ kind: 'well', at: this.#options.clock.now() })
    this.#rereads.retryNow()
  }
}

const lasting: readonly string[] = ['other_customer', 'unknown_client', 'client_forgotten']

/**
 * Whether no further attempt can pass. What a run has passed with may come back while the watch runs: a key is replaced, the
 * disk of `--files` mounted again. Before that it is what the user gave.
 */
function isFinal(error: unknown, passed: boolean): boolean {
  if (!(error instanceof BankapiError)) return false
  if (error instanceof MirrorError && lasting.includes(error.code)) return true
  return !passed && ['usage', 'notAuthenticated', 'notAllowed', 'notFound'].includes(error.exit)
}
