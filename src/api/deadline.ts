/** Time limits: of an attempt, and of whatever else a caller's signal has to end. */

/** Aborts its signal when the time is up, or when the caller's own signal aborts. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  #timer: NodeJS.Timeout | undefined
  #expired = false

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer
    if (outer?.aborted) this.#follow()
    else outer?.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the time ran out, not the caller's signal. */
  get expired(): boolean {
    return this.#expired
  }

  /** Restarts the timer: `ms` milliseconds are left from now. */
  allow(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#expired = true
      this.#controller.abort(new Error('the time allowed ran out'))
    }, ms)
    // The socket keeps the process running; the timer of a download that nobody reads must not. Deno's timers are numbers.
    this.#timer.unref?.()
  }

  /** Clears the timer and stops listening to the caller's signal. */
  end(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#outer?.reason)
  }
}

/** Settles like the promise, or rejects with the signal's reason as soon as it is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
