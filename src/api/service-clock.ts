/** The service's clock, as its answers tell it: its rules about days and freshness go by that one. */
import type { ReplyHeaders } from './options.ts'

/** A difference between the clocks that is no delay of the network, in ms. */
const CLOCKS_DIFFER_MS = 60_000

export class ServiceClock {
  readonly #now: () => number
  #ahead = 0

  /** `now` is Unix ms by this machine's clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes the `Date` of an answer. */
  note(headers: ReplyHeaders): void {
    const ahead = Date.parse(String(headers['date'])) - this.#now()
    if (!Number.isNaN(ahead)) this.#ahead = Math.abs(ahead) > CLOCKS_DIFFER_MS ? ahead : 0
  }

  /** Unix ms by the service's clock where it differs, by this machine's otherwise. */
  now(): number {
    return this.#now() + this.#ahead
  }
}
