/**
 * Reads Clients of the mirror again, as deliveries ask for it: soon, several Clients at once but each by one reader, and again
 * after a failure that may pass.
 */
import { randomUUID } from 'node:crypto'
import { ApiResponseError, UnreachableError, UnreadableResponseError } from '../api/errors.ts'
import { type Parts, type StreamFailure, syncClient } from './client-sync.ts'
import type { Reader } from './reader.ts'
import type { SyncOptions } from './run.ts'
import { Counts, type Kind, type KindCounts, kinds } from './run-context.ts'
import { Scopes } from './scopes.ts'
import { merged } from './signals.ts'

export interface RereadsOptions
  extends Pick<SyncOptions, 'mirror' | 'clock' | 'signal' | 'only' | 'files' | 'takesOver'> {
  readonly reader: Reader
  /** Clients at once. */
  readonly concurrency: number
  /** What comes within this time for one Client is one reading. */
  readonly debounceMs: number
  readonly onReread: (reread: ClientReread) => void
  /** A reading met what keeps everything from being read; it is planned again. */
  readonly onAway: (error: unknown) => void
  /** The service answered a reading. */
  readonly onAnswer: () => void
}

/** What a reading came to. */
export interface ClientReread {
  readonly clientId: string
  readonly what: readonly string[]
  readonly counts: KindCounts
  readonly failed: readonly StreamFailure[]
  readonly durationMs: number
}

interface Pending {
  parts: Parts
  /** How often it was tried in vain. */
  failures: number
  timer: NodeJS.Timeout | undefined
}

/** After a failure that everything shares: doubled each time. */
const FIRST_RETRY_MS = 2000
const MAX_RETRY_MS = 5 * 60_000

export class Rereads {
  readonly #options: RereadsOptions
  #scopes = new Scopes()
  /** Clients to read again, by id. */
  readonly #pending = new Map<string, Pending>()
  /** Those of them whose time has come, in order. */
  readonly #due = new Set<string>()
  /** Clients that are being read, by a run or again. */
  readonly #reading = new Map<string, Promise<void>>()
  readonly #work = new Set<Promise<void>>()
  #active = 0
  #ended = false

  constructor(options: RereadsOptions) {
    this.#options = options
  }

  /** Plans a reading; what comes until it begins is part of it. */
  plan(
    id: string,
    parts: Parts,
    { afterMs, failures = 0 }: { afterMs?: number; failures?: number } = {},
  ): void {
    if (this.#stopped) return
    const pending = this.#pending.get(id)
    if (pending === undefined) {
      const timer = setTimeout(() => this.#begin(id), afterMs ?? this.#options.debounceMs)
      this.#pending.set(id, { parts, failures, timer })
      return
    }
    pending.parts = merged(pending.parts, parts)
    pending.failures = Math.max(pending.failures, failures)
  }

  /** Reads a Client when nothing else of this process does: two walks of one stream would end each other. */
  async alone(id: string, run: () => Promise<void>): Promise<void> {
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

  /** What waits for a further attempt need not wait longer. */
  retryNow(): void {
    for (const [id, { failures, timer }] of this.#pending)
      if (failures > 0 && timer !== undefined) this.#begin(id)
  }

  /** A scope that the key lacks is asked for again: one request per run. */
  forgetScopes(): void {
    this.#scopes = new Scopes()
  }

  /** Drops what is planned, and resolves after what is under way. */
  async end(): Promise<void> {
    this.#ended = true
    for (const { timer } of this.#pending.values()) clearTimeout(timer)
    this.#pending.clear()
    this.#due.clear()
    await Promise.all(this.#work)
  }

  get #stopped(): boolean {
    return this.#ended || this.#options.signal.aborted
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
      if (this.#active >= this.#options.concurrency || this.#stopped) return
      // A signal that comes while its Client is read is about what that reading may have passed.
      if (this.#reading.has(id)) continue
      const pending = this.#pending.get(id)
      this.#due.delete(id)
      this.#pending.delete(id)
      if (pending === undefined) continue
      this.#active += 1
      const work = this.alone(id, () => this.#reread(id, pending)).finally(() => {
        this.#active -= 1
        this.#work.delete(work)
        this.#pump()
      })
      this.#work.add(work)
    }
  }

  /** Never rejects: a reading that fails is said and, if it may pass, planned again. */
  async #reread(id: string, { parts, failures }: Pending): Promise<void> {
    const { mirror, reader, clock, only, files, takesOver, onReread, onAway, onAnswer } = this.#options
    const started = clock.elapsed()
    const counts = new Counts()
    const failed: StreamFailure[] = []
    let taken = false
    const again = () => this.plan(id, parts, { afterMs: retryDelay(failures), failures: failures + 1 })
    try {
      await syncClient(
        {
          mirror,
          reader,
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
      onAway(error)
      again()
      return
    }
    const away = failed.find(({ error }) => isAway(error))
    if (away === undefined) onAnswer()
    else onAway(away.error)
    // Another process reads it, and may have passed what this signal is about.
    if (away !== undefined || taken) again()
    if (away !== undefined) return
    const sum = { new: 0, changed: 0, settled: 0, gone: 0 }
    for (const each of Object.values(counts.all)) {
      for (const key of Object.keys(sum) as (keyof KindCounts)[]) sum[key] += each[key]
    }
    onReread({
      clientId: id,
      what: whatOf(parts),
      counts: sum,
      failed,
      durationMs: clock.elapsed() - started,
    })
  }
}

/** How long to wait after so many failures in a row. */
export function retryDelay(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS)
}

/** Whether everything else would fail for the same reason now, and may succeed later. */
function isAway(error: unknown): boolean {
  if (error instanceof ApiResponseError) return [502, 503, 504].includes(error.httpStatus)
  return (
    error instanceof UnreachableError || (error instanceof UnreadableResponseError && error.reason === 'cut')
  )
}

function whatOf({ connections, accounts, statements }: Parts): string[] {
  return [
    ...(connections ? ['connections'] : []),
    ...(accounts ? ['accounts', 'transactions'] : []),
    ...(statements === 'all' || statements.size > 0 ? ['statements'] : []),
  ]
}
