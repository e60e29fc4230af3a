/** The options of `createApi` and of a call: address, credentials, clock, randomness, limits and callbacks. */

export interface Clock {
  /** Milliseconds since 1970, by the clock of this machine, which may be set back or forth. */
  now(): number
  /** Milliseconds since an arbitrary moment; never set back, for measuring how long something takes. */
  elapsed(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Random {
  /** At least 0, below 1. */
  fraction(): number
  uuid(): string
}

/** Limits in milliseconds. They run on real timers, because what they guard is a real socket. */
export interface Timeouts {
  /** TCP and TLS, and the proxy's tunnel. Default 10 s. */
  readonly connectMs: number
  /** From the last byte sent to the first of the answer. Default 30 s. */
  readonly headersMs: number
  /** Without a single byte, while a body arrives. Default 30 s. */
  readonly idleMs: number
  /** For the whole of a JSON body: ends a slow drip. Default 60 s. */
  readonly bodyMs: number
  /** For the whole of a file, in either direction. Default 30 min. */
  readonly fileMs: number
}

export interface Retries {
  /** How often one request is sent at most, the first time included. Default 4. */
  readonly attempts: number
  /** The longest single wait, in ms. For a longer Retry-After the call fails. Default 60 s. */
  readonly maxDelayMs: number
  /** No attempt begins later than this after the first one, in ms. Default 120 s. */
  readonly withinMs: number
}

export interface Limits {
  /** Largest JSON body after decompression, in bytes. Default 64 MB. */
  readonly bodyBytes: number
}

/** The answer does not fit the contract; it was passed on as it came. `at` is a path such as `data[].type`. */
export interface ContractWarning {
  /** `accounts.list` */
  readonly operation: string
  readonly at: string
  readonly problem: 'unknown_value' | 'missing' | 'unexpected'
  /** One sentence, for a reader. */
  readonly message: string
}

/** A wait before the next attempt. */
export interface Wait {
  readonly reason: 'rate_limited' | 'unavailable' | 'unreachable' | 'in_progress'
  readonly delayMs: number
  /** The attempt that failed, from 1. */
  readonly attempt: number
  readonly operation: string
}

export interface ApiOptions {
  /** Ends in `/v3`. */
  readonly baseUrl: string
  /** Asked once per call that needs it, never for one that does not. */
  readonly credential: () => Promise<string>
  readonly portalSecret?: (() => Promise<string>) | undefined
  readonly userAgent: string
  /** Environment variables: HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly clock: Clock
  readonly random: Random
  /** Takes the lines of `--debug`, already redacted. */
  readonly log?: ((line: string) => void) | undefined
  /** Called with every reply, an error's too. */
  readonly onReply?: ((reply: Reply) => void) | undefined
  /** Called with the data of every success. */
  readonly onData?: ((data: unknown) => void) | undefined
  /** Called once per distinct warning. */
  readonly onWarning?: ((warning: ContractWarning) => void) | undefined
  readonly onWait?: ((wait: Wait) => void) | undefined
  /**
   * Method and path of assumed operations: `{ 'webhooks.test': 'POST /webhooks/{subscription_id}/fire' }`. A path that begins with
   * `{root}` is beside the `/v3` of the base URL: `{ 'health.check': 'GET {root}/healthz' }`.
   */
  readonly overrides?: Readonly<Record<string, string>> | undefined
  /** How a file is sent, which the reference does not show: as a multipart field, which is the default, or as it is. */
  readonly uploadEncoding?: 'multipart' | 'raw' | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  readonly retries?: Partial<Retries> | undefined
  readonly limits?: Partial<Limits> | undefined
}

/** Status and headers of an answer. */
export interface Reply {
  readonly status: number
  readonly traceId: string | undefined
  readonly headers: ReplyHeaders
}

/** Names are lower case. */
export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface CallOptions {
  /** Ends every wait and the request itself; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** For operations that honour one; made once per call when none is given. */
  readonly idempotencyKey?: string | undefined
  /** Portal calls: the exact bytes to sign and send, instead of the body fields of the input. */
  readonly rawBody?: Uint8Array | undefined
  /** Called with the last reply, an error's too, before the call settles. */
  readonly onReply?: ((reply: Reply) => void) | undefined
  /**
   * Called with the body of a success that is not what the operation answers, before the call rejects. The error does not
   * hold it, and it may have what the service gives only once.
   */
  readonly onUnreadable?: ((body: string) => Promise<void>) | undefined
}

export function timeoutsOf({ timeouts }: Pick<ApiOptions, 'timeouts'>): Timeouts {
  const defaults = {
    connectMs: 10_000,
    headersMs: 30_000,
    idleMs: 30_000,
    bodyMs: 60_000,
    fileMs: 30 * 60_000,
  }
  return { ...defaults, ...given(timeouts) }
}

export function retriesOf({ retries }: Pick<ApiOptions, 'retries'>): Retries {
  return { attempts: 4, maxDelayMs: 60_000, withinMs: 120_000, ...given(retries) }
}

export function limitsOf({ limits }: Pick<ApiOptions, 'limits'>): Limits {
  return { bodyBytes: 64 * 2 ** 20, ...given(limits) }
}

/** Without what is undefined, which would take the place of a default. */
function given<T extends object>(values: T = {} as T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}
