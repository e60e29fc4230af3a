/** Reads the service for a sync: every request through the limiter, counted, and the service's clock from its answers. */
import type { Api } from '../api/api.ts'
import { ApiResponseError } from '../api/errors.ts'
import type { CallOptions, Clock } from '../api/options.ts'
import { pages } from '../api/pages.ts'
import { ServiceClock } from '../api/service-clock.ts'
import { pageSize } from '../contract/service.ts'
import type { Page } from '../contract/values.ts'
import type { Limiter } from '../workflows/limiter.ts'
import { atMost } from './parallel.ts'

type ListCall<I, T> = (input: I, options?: CallOptions) => Promise<Page<T>>

export class Reader {
  readonly api: Api
  readonly signal: AbortSignal
  /**
   * Reads accounts: as many at once as requests, whatever Client they are of. More would only hold more pages in memory, and
   * send the mirror from place to place.
   */
  readonly walks: <T>(walk: () => Promise<T>) => Promise<T>
  readonly #clock: Clock
  readonly #limiter: Limiter
  readonly #service: ServiceClock
  requests = 0

  constructor(options: {
    readonly api: Api
    readonly clock: Clock
    readonly limiter: Limiter
    readonly signal: AbortSignal
    /** A reader of the same service. */
    readonly like?: Reader
  }) {
    this.api = options.api
    this.signal = options.signal
    this.#clock = options.clock
    this.#limiter = options.limiter
    this.#service =
      options.like === undefined ? new ServiceClock(() => options.clock.now()) : options.like.#service
    this.walks = options.like?.walks ?? atMost(options.limiter.concurrency)
  }

  /** One that ends with another signal, and counts its own requests. */
  until(signal: AbortSignal): Reader {
    return new Reader({ api: this.api, clock: this.#clock, limiter: this.#limiter, signal, like: this })
  }

  /** Now, in Unix ms, by the service's clock where it differs: its rules about days and freshness go by that one. */
  now(): number {
    return this.#service.now()
  }

  /** Runs one call. Rejects as the call does, but for a 429, after which it waits and repeats it. */
  call<T>(run: (options: CallOptions) => Promise<T>): Promise<T> {
    const { signal } = this
    const onReply: CallOptions['onReply'] = ({ headers }) => {
      this.requests += 1
      this.#service.note(headers)
    }
    return this.#limiter.run(() => run({ signal, onReply }), signal)
  }

  /** Every page of a list from a cursor on. With `ahead` the next one is read while this one is used. */
  async *pages<I extends { cursor?: string | undefined; limit?: number | undefined }, T>(
    list: ListCall<I, T>,
    input: I,
    { ahead = false }: { readonly ahead?: boolean } = {},
  ): AsyncGenerator<Page<T>> {
    const each = pages((from: I) => this.call((options) => list(from, options)), {
      ...input,
      limit: pageSize.max,
    })
    if (!ahead) return yield* each
    let next = each.next()
    try {
      for (;;) {
        const { done, value } = await next
        if (done) return
        next = each.next()
        // It is awaited above; until then its rejection must not count as unhandled.
        next.catch(() => undefined)
        yield value
      }
    } finally {
      next.catch(() => undefined)
      void each.return(undefined)
    }
  }

  /** Every item of a list that fits in memory: of the Connections or accounts of one Client. */
  async all<I extends { cursor?: string | undefined }, T>(list: ListCall<I, T>, input: I): Promise<T[]> {
    const found: T[] = []
    for await (const { data } of this.pages(list, input)) found.push(...data)
    return found
  }

  /** One resource by its id; undefined for the service's own 404. Any other 404, such as a proxy's, rejects. */
  async byId<T>(get: (options: CallOptions) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.call(get)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}

/** The service's own answer that there is no such thing: proof, which a 404 of something in between is not. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiResponseError && error.httpStatus === 404 && error.envelope
}
