/**
 * Calls the service from a program: `import { createApi } from 'bankapi'`.
 *
 *     const api = createApi({ baseUrl: 'https://api.example.com/v3', apiKey: process.env.BANKAPI_API_KEY ?? '' })
 *     const page = await api.accounts.list({ client_id })
 *     for await (const row of api.transactions.list.all({ client_id, account_id })) use(row.amount)
 *
 * Needs `fetch` and the modules of Node that Deno and Bun have, too. It writes no log and keeps nothing on disk.
 */
import { type Api as Core, createApi as createCore } from './api/api.ts'
import { ApiResponseError, InputError } from './api/errors.ts'
import { fetchTransport } from './api/fetch-transport.ts'
import type { ApiOptions, Clock, Random } from './api/options.ts'
import type {
  AssumedOperation,
  Connection,
  ErrorCode,
  Operation,
  OperationAccepted,
  Operations,
} from './client/service.ts'
import { version } from './client/version.ts'
import type { WorkflowContext } from './workflows/context.ts'
import { type LinkProgress, linkBank as link } from './workflows/link-bank.ts'
import { type WaitProgress, waitForOperation as wait } from './workflows/operations.ts'

export {
  ApiResponseError,
  ClosedError,
  InputError,
  type OperationRef,
  UnreachableError,
  UnreadableResponseError,
} from './api/errors.ts'
export type {
  CallOptions,
  Clock,
  ContractWarning,
  Limits,
  Random,
  Reply,
  Retries,
  Timeouts,
  Wait,
} from './api/options.ts'
export type * from './client/calls.ts'
export type * from './client/events.ts'
export type * from './client/service.ts'
export type { Download, Page, Upload } from './contract/values.ts'
export { BankapiError } from './errors.ts'
export { OperationFailedError, WaitTimeoutError } from './workflows/operation-errors.ts'

/** A secret, or where it comes from: asked once for each call that needs it. */
export type Secret = string | (() => string | Promise<string>)

export interface CreateApiOptions
  extends Pick<
    ApiOptions,
    'limits' | 'onReply' | 'onWait' | 'onWarning' | 'retries' | 'timeouts' | 'uploadEncoding'
  > {
  /** Ends in `/v3`. */
  readonly baseUrl: string
  readonly apiKey: Secret
  /** The bootstrap secret of the developer portal, for `api.portal`. */
  readonly portalSecret?: Secret | undefined
  /** In place of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * A Dispatcher, passed on to `fetch`: for a proxy, or certificates. It has to be of the undici that `fetch` is of: Node's own
   * is `process.versions.undici`; with a newer package give its `fetch`, too.
   */
  readonly dispatcher?: object | undefined
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
  /** Method and path of assumed operations, `{ 'webhooks.test': 'POST /webhooks/{subscription_id}/fire' }`. */
  readonly overrides?: { readonly [Operation in AssumedOperation]?: string } | undefined
  /** The program that calls, `acme-sync/2.1`. Named before this package in User-Agent. */
  readonly userAgent?: string | undefined
}

export interface Api extends Operations {
  /** The clock that it was made with. */
  readonly clock: Clock
  /** Ends every call under way. Calls after it fail with ClosedError. */
  close(): Promise<void>
}

/**
 * Creates the API. Nothing is sent, and no secret asked for, before the first call.
 * @throws InputError for an unusable base URL, key or name of the program.
 */
export function createApi(options: CreateApiOptions): Api {
  const {
    apiKey,
    portalSecret,
    fetch = globalThis.fetch,
    dispatcher,
    clock = systemClock,
    random = systemRandom,
    userAgent,
    ...settings
  } = options
  assertUsable(options)
  const core = createCore(
    {
      ...settings,
      clock,
      random,
      credential: async () => secretOf(apiKey),
      ...(portalSecret === undefined ? {} : { portalSecret: async () => secretOf(portalSecret) }),
      userAgent: [...(userAgent === undefined ? [] : [userAgent]), `bankapi-client/${version}`].join(' '),
    },
    (transport) => fetchTransport({ ...transport, fetch, dispatcher }),
  )
  const { request: _, close, ...areas } = core
  // service.ts is made from the contract that types the core.
  return { ...(areas as unknown as Operations), clock, close }
}

/** @throws InputError for what would look like a fault of the network, or of the service, at the first call. */
function assertUsable({ baseUrl, apiKey, userAgent }: CreateApiOptions): void {
  if (!/\/v3\/?$/.test(baseUrl)) {
    throw new InputError('invalid_base_url', 'The base URL does not end in /v3', {
      param: 'baseUrl',
      hint: 'It looks like https://api.example.com/v3',
    })
  }
  if (typeof apiKey !== 'function' && (typeof apiKey !== 'string' || apiKey === '')) {
    throw new InputError('invalid_credential', 'The API key is missing', {
      param: 'apiKey',
      hint: 'Give a text that is not empty, or a function that returns one',
    })
  }
  if (userAgent !== undefined && !/^[\x20-\x7e]+$/.test(userAgent)) {
    throw new InputError('invalid_header', 'userAgent cannot be sent as a header', {
      param: 'userAgent',
      hint: 'A header is one line of printable ASCII',
    })
  }
}

function secretOf(secret: Secret): string | Promise<string> {
  return typeof secret === 'string' ? secret : secret()
}

const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    }),
}

const systemRandom: Random = { fraction: Math.random, uuid: () => crypto.randomUUID() }

/**
 * Whether the service answered with one of these codes, or with any error without one.
 *
 *     if (isApiError(error, 'rate_limit_exceeded')) await later(error.retryAfterMs)
 */
export function isApiError<C extends ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is ApiResponseError & { readonly code: C } {
  return (
    error instanceof ApiResponseError &&
    (codes.length === 0 || (codes as readonly string[]).includes(error.code))
  )
}

interface Waiting {
  /** Gives up after this many milliseconds, while the service goes on. Default 5 minutes. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface WaitForOperationOptions extends Waiting {
  /** Called each time it was read. */
  readonly onProgress?: ((operation: Operation) => void) | undefined
}

/**
 * Polls an operation until it is settled, and returns it `succeeded`. Takes the answer that started it, which says how long it
 * may take: `waitForOperation(api, await api.connections.refresh({ connection_id }))`.
 * @throws OperationFailedError, WaitTimeoutError, what the read throws, or the signal's reason.
 */
export async function waitForOperation(
  api: Api,
  started: Pick<OperationAccepted, 'operation_id' | 'estimated_seconds'>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal, onProgress }: WaitForOperationOptions = {},
): Promise<Operation> {
  const context = contextOf<WaitProgress>(api, signal, ({ operation }) =>
    onProgress?.(operation as Operation),
  )
  const { operation_id: operationId, estimated_seconds: estimatedSeconds } = started
  return (await wait(context, { operationId, estimatedSeconds, timeoutMs })) as Operation
}

export interface LinkBankOptions extends Waiting {
  readonly client_id: string
  readonly institution_id: string
  /** Where the user is sent afterwards; it must be on the allowlist. */
  readonly redirect_url?: string | undefined
  /**
   * Called once with the address at which the user signs in. It is a secret of that user: do not log it. The linking ends with
   * what it throws or rejects with.
   */
  readonly onWidgetUrl: (url: string) => unknown
}

/**
 * Links a bank: initiates the Connection, gives the address at which the user signs in, and returns the Connection once it is
 * active, with its canonical id. The time is that of the service to give the address, and again that of the user. The service
 * does not say which link a new Connection is of: of two of the same Client and bank that are open at once, either may be
 * returned.
 * @throws OperationFailedError, WaitTimeoutError, BankapiError `link_failed`, `link_expired` or `still_running`, or the signal's
 * reason.
 */
export async function linkBank(api: Api, options: LinkBankOptions): Promise<Connection> {
  const { client_id: clientId, institution_id: institutionId, redirect_url: redirectUrl } = options
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal, onWidgetUrl } = options
  if (typeof onWidgetUrl !== 'function') throw new TypeError('onWidgetUrl is missing')
  const failing = new AbortController()
  const ending = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal])
  let given: string | undefined
  const context = contextOf<LinkProgress>(api, ending, ({ widgetUrl }) => {
    if (widgetUrl === undefined || widgetUrl === given) return
    given = widgetUrl
    const told = async () => onWidgetUrl(widgetUrl)
    told().catch((error: unknown) => failing.abort(error))
  })
  const { connection } = await link(context, {
    clientId,
    institutionId,
    redirectUrl,
    timeoutMs,
    untilActive: true,
  })
  return connection as Connection
}

function contextOf<Progress>(
  api: Api,
  signal: AbortSignal = new AbortController().signal,
  onProgress: (progress: Progress) => void,
): WorkflowContext<Progress> {
  // The calls are the core's, with the types of service.ts.
  return { api: api as unknown as Core, clock: api.clock, signal, onProgress }
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000
