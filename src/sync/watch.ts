/**
 * Keeps a mirror up to date for as long as it runs: deliveries say what to read again (rule 7), and a schedule covers what no
 * delivery told. A delivery that is late, comes twice, out of order or never leaves the same mirror.
 */
import { randomUUID } from 'node:crypto'
import { ApiResponseError, UnreachableError, UnreadableResponseError } from '../api/errors.ts'
import { BankapiError } from '../errors.ts'
import { type Parts, type StreamFailure, syncClient } from './client-sync.ts'
import { Limiter } from './limiter.ts'
import { MirrorError } from './mirror/mirror-error.ts'
import { Reader } from './reader.ts'
import { runSync, type SyncOptions, type SyncSummary } from './run.ts'
import { Counts, type Kind, type KindCounts, kinds } from './run-context.ts'
import { Scopes } from './scopes.ts'
import { merged, type Signal, signalOf } from './signals.ts'
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
  | {
      readonly kind: 'reread'
      readonly at: number
      readonly clientId: string
      readonly what: readonly string[]
      readonly counts: KindCounts
      readonly failed: readonly StreamFailure[]
      readonly durationMs: number
    }
  /** A run over all Clients, or those that deliveries named and the mirror did not have. */
  | { readonly kind: 'run'; readonly at: number; readonly why: RunReason; readonly summary: SyncSummary }
  /** Something keeps everything from being read. Said once; it is tried again. */
  | { readonly kind: 'trouble'; readonly at: number; readonly message: string }
  | { readonly kind: 'well'; readonly at: number }

export type RunReason = 'schedule' | 'unknown ids' | 'new Clients'

interface Pending {
  parts: Parts
  /** How often it was tried in vain. */
  failures: number
  timer: NodeJS.Timeout | undefined
}

const DEBOUNCE_MS = 300
const RECONCILE_EVERY_MS = 5 * 60_000
/** After a failure that everything shares: doubled each time. */
const FIRST_RETRY_MS = 2000
const MAX_RETRY_MS = 5 * 60_000
/** Between two listings of the Clients for new ones: this, or ten times as long as a listing takes. */
const MIN_LISTING_GAP_MS = 1000
const CONCURRENCY = 8
/** While another process runs the schedule: when it fails, this one runs it. */
const BUSY_RETRY_MS = 60_000
/** The name in the table mirror of when the schedule last ran. */
const RAN_AT = 'scheduled_run_at'

export class Watch {
  readonly #options: WatchOptions
  readonly #reader: Reader
  readonly #limiter: Limiter
  readonly #concurrency: number
  #scopes = new Scopes()
  /** Clients to read again, by id. */
  readonly #pending = new Map<string, Pending>()
  /** Those of them whose time has come, in order. */
  readonly #due = new Set<string>()
  /** Clients that are being read, by a run or again. */
  readonly #reading = new Map<string, Promise<void>>()
  readonly #work = new Set<Promise<void>>()
  #active = 0
  /** Clients that deliveries named and the mirror does not have. */
  readonly #unlisted = new Map<string, Parts>()
  #reconcile = false
  #wake: () => void = () => undefined
  #trouble: string | undefined

  constructor(options: WatchOptions) {
    const { api, clock, signal, concurrency = CONCURRENCY } = options
    this.#concurrency = concurrency
    this.#limiter = options.limiter ?? new Limiter({ clock, concurrency, shared: options.sharedPause })
    this.#reader = new Reader({ api, clock, limiter: this.#limiter, signal })
    this.#options = options
  }

  /** Takes in the body of a verified delivery, as JSON. It never throws, and nothing waits for it. */
  deliver(event: unknown): void {
    const signal = signalOf(event)
    if (signal === undefined || this.#stopped) return
    this.#track(
      this.#take(signal).catch((error: unknown) => {
        // Which Client it is about could not be looked up: a whole run reads it, too.
        this.#say(error)
        this.#askToReconcile()
      }),
    )
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
      for (const { timer } of this.#pending.values()) clearTimeout(timer)
      this.#pending.clear()
      this.#due.clear()
      while (this.#work.size > 0) await Promise.all(this.#work)
    }
  }

  get #stopped(): boolean {
    return this.#options.signal.aborted
  }

  /** Finds the Clients of a signal: named, or by a Connection or account that the mirror has. */
  async #take(signal: Signal): Promise<void> {
    const { db } = this.#options.mirror
    const { connections, accounts, parts } = signal
    const found = new Set(signal.clients)
    for (const [table, ids] of [
      ['connections', connections],
      ['accounts', accounts],
    ] as const) {
      if (found.size > 0 || ids.size === 0) continue
      const rows = await db
        .selectFrom(table)
        .select('client_id')
        .where('id', 'in', [...ids])
        .execute()
      for (const { client_id } of rows) found.add(client_id)
    }
    if (found.size === 0) return this.#askToReconcile()
    const chosen = this.#options.clients
    const wanted = [...found].filter((id) => chosen?.includes(id) ?? true)
    const known = await this.#known(wanted)
    for (const id of wanted) {
      if (known.has(id)) this.#plan(id, parts)
      else if (!(await this.#isForgotten(id))) {
        this.#unlisted.set(id, merged(this.#unlisted.get(id) ?? parts, parts))
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

  /** Plans a reading; what comes until it begins is part of it. */
  #plan(
    id: string,
    parts: Parts,
    { afterMs, failures = 0 }: { afterMs?: number; failures?: number } = {},
  ): void {
    if (this.#stopped) return
    const pending = this.#pending.get(id)
    if (pending === undefined) {
      const { debounceMs = DEBOUNCE_MS } = this.#options
      const timer = setTimeout(() => this.#begin(id), afterMs ?? debounceMs)
      this.#pending.set(id, { parts, failures, timer })
      return
    }
    pending.parts = merged(pending.parts, parts)
    pending.failures = Math.max(pending.failures, failures)
  }

  #begin(id: string): void {
    const pending = this.#pending.get(id)
    if (pending !== undefined) {
      clearTimeout(pending.timer)
      pending.timer = undefined
      this.#due.add(id)
    }
    this.#pump()
  }

  #pump(): void {
    for (const id of this.#due) {
      if (this.#active >= this.#concurrency || this.#stopped) return
      // A signal that comes while its Client is read is about what that reading may have passed.
      if (this.#reading.has(id)) continue
      const pending = this.#pending.get(id)
      this.#due.delete(id)
      this.#pending.delete(id)
      if (pending === undefined) continue
      this.#active += 1
      this.#track(
        this.#alone(id, () => this.#reread(id, pending)).finally(() => {
          this.#active -= 1
          this.#pump()
        }),
      )
    }
  }

  /** Reads a Client when nothing else of this process does: two walks of one stream would end each other. */
  async #alone(id: string, run: () => Promise<void>): Promise<void> {
    for (let other = this.#reading.get(id); other !== undefined; other = this.#reading.get(id)) await other
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#reading.set(id, promise)
    try {
      await run()
    } finally {
      this.#reading.delete(id)
      resolve()
      this.#pump()
    }
  }

  /** Never rejects: a reading that fails is said and, if it may pass, planned again. */
  async #reread(id: string, { parts, failures }: Pending): Promise<void> {
    const { mirror, clock, only, files, takesOver, onEvent } = this.#options
    const started = clock.elapsed()
    const counts = new Counts()
    const failed: StreamFailure[] = []
    let taken = false
    const again = () => this.#plan(id, parts, { afterMs: retryDelay(failures), failures: failures + 1 })
    try {
      await syncClient(
        {
          mirror,
          reader: this.#reader,
          counts,
          lease: randomUUID(),
          takesOver,
          full: false,
          acceptGone: false,
          scopes: this.#scopes,
          wanted: new Set<Kind>(only ?? kinds),
          files,
          alreadyRead: new Map(),
          onFailure: (failure) => failed.push(failure),
          onTaken: () => {
            taken = true
          },
        },
        id,
        parts,
      )
    } catch (error) {
      if (this.#stopped) return
      this.#say(error)
      again()
      return
    }
    const away = failed.find(({ error }) => isAway(error))
    if (away === undefined) this.#well()
    else this.#say(away.error)
    // Another process reads it, and may have passed what this signal is about.
    if (away !== undefined || taken) again()
    if (away !== undefined) return
    const sum = { new: 0, changed: 0, settled: 0, gone: 0 }
    for (const each of Object.values(counts.all)) {
      for (const key of Object.keys(sum) as (keyof KindCounts)[]) sum[key] += each[key]
    }
    onEvent({
      kind: 'reread',
      at: clock.now(),
      clientId: id,
      what: whatOf(parts),
      counts: sum,
      failed,
      durationMs: clock.elapsed() - started,
    })
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
    for (const [id, parts] of unlisted) if (known.has(id)) this.#plan(id, parts)
    if (why === 'new Clients') {
      const chosen = [...unlisted.keys()].filter((id) => !known.has(id))
      if (chosen.length > 0) await this.#sync(why, chosen)
      return undefined
    }
    this.#scopes = new Scopes()
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
      alone: (id, run) => this.#alone(id, run),
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
    for (const [id, { failures, timer }] of this.#pending)
      if (failures > 0 && timer !== undefined) this.#begin(id)
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked))
    this.#work.add(tracked)
  }
}

function retryDelay(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS)
}

/** Whether everything else would fail for the same reason now, and may succeed later. */
function isAway(error: unknown): boolean {
  if (error instanceof ApiResponseError) return [502, 503, 504].includes(error.httpStatus)
  return (
    error instanceof UnreachableError || (error instanceof UnreadableResponseError && error.reason === 'cut')
  )
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

function whatOf({ connections, accounts, statements }: Parts): string[] {
  return [
    ...(connections ? ['connections'] : []),
    ...(accounts ? ['accounts', 'transactions'] : []),
    ...(statements === 'all' || statements.size > 0 ? ['statements'] : []),
  ]
}
