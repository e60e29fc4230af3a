/**
 * Bounds the requests of a walk: at most `concurrency` at once, and none while the service asks to wait. A 429 to a read stops
 * all of them for its Retry-After; afterwards one goes at a time, and each answer without a 429 admits one more, up to the bound.
 */
import { ApiResponseError } from '../api/errors.ts'
import type { Clock } from '../api/options.ts'

/** Waits without a Retry-After: this long, doubled for each further 429 in a row. */
const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 60_000

/** Where a pause is kept when several processes read with the same key. */
export interface SharedPause {
  /** Until when everybody waits, in Unix ms; 0 for no pause. */
  until(): Promise<number>
  extend(until: number): Promise<void>
}

export class Limiter {
  /** Requests at once. */
  readonly concurrency: number
  readonly #clock: Clock
  readonly #shared: SharedPause | undefined
  readonly #onHold: ((ms: number) => void) | undefined
  readonly #waiting: (() => void)[] = []
  #running = 0
  #admitted: number
  #until = 0
  #refusals = 0

  constructor({
    clock,
    concurrency,
    shared,
    onHold,
  }: {
    readonly clock: Clock
    readonly concurrency: number
    readonly shared?: SharedPause | undefined
    /** Called when everything stops for so long; once for refusals that come together. */
    readonly onHold?: (ms: number) => void
  }) {
    this.#clock = clock
    this.concurrency = concurrency
    this.#admitted = concurrency
    this.#shared = shared
    this.#onHold = onHold
  }

  /** Runs a read when it may. After a 429 it is run again; only aborting ends that. */
  async run<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      await this.#enter(signal)
      try {
        await this.#pause(signal)
        // Of those that were let in before a 429, one goes on, and the others wait for their turn again.
        if (this.#running > this.#admitted) continue
        const result = await read()
        this.#refusals = 0
        this.#admitted = Math.min(this.concurrency, this.#admitted + 1)
        return result
      } catch (error) {
        if (!(error instanceof ApiResponseError) || error.httpStatus !== 429) throw error
        await this.hold(error.retryAfterMs)
      } finally {
        this.#running -= 1
        this.#admit()
      }
    }
  }

  /** Stops all requests for as long as the service asks; without that, for longer each time. */
  async hold(retryAfterMs: number | undefined): Promise<void> {
    // Reads that were under way together are refused together: that is one refusal.
    if (this.#refusals === 0 || this.#clock.now() >= this.#until) this.#refusals += 1
    const wait = retryAfterMs ?? Math.min(FIRST_WAIT_MS * 2 ** (this.#refusals - 1), MAX_WAIT_MS)
    this.#admitted = 1
    const until = this.#clock.now() + wait
    if (until >= this.#until + FIRST_WAIT_MS) this.#onHold?.(wait)
    this.#until = Math.max(this.#until, until)
    await this.#shared?.extend(this.#until)
  }

  async #pause(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const shared = (await this.#shared?.until()) ?? 0
      // Refused to another process, which is refused to this one, too.
      if (shared > Math.max(this.#until, this.#clock.now())) this.#admitted = 1
      const wait = Math.max(this.#until, shared) - this.#clock.now()
      if (wait <= 0) return
      await this.#clock.sleep(Math.min(wait, MAX_WAIT_MS), signal)
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#running < this.#admitted) {
      this.#running += 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(enter)
    })
  }

  #admit(): void {
    while (this.#running < this.#admitted) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#running += 1
      next()
    }
  }
}
