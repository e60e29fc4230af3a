/** A signal that fires when the caller's does, or when the time allowed runs out. */

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

  /** Whether it was the time that ran out. */
  get expired(): boolean {
    return this.#expired
  }

  /** Starts the time anew: from now on `ms` milliseconds are left. */
  allow(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#expired = true
      this.#controller.abort(new Error('the time allowed ran out'))
    }, ms)
    // What is waited for holds the process by its socket; a download that nobody reads shall not.
    this.#timer.unref()
  }

  /** Forgets the timer and the caller's signal. */
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
