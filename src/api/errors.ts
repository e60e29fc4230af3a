/**
 * The errors that a call throws. None holds a key, a secret, a body or a query. An aborted call rejects with the
 * `reason` of its own signal, as everywhere in Node.
 */
import type { ApiError } from '../contract/errors.ts'
import { BankapiError, type ExitName } from '../errors.ts'

/** The operation a call was made for. `path` is the template (`/connections/{connection_id}`), so it holds no id. */
export interface OperationRef {
  readonly method: string
  readonly path: string
  /** Absent for a raw request that no operation of the contract matches. */
  readonly area?: string
  readonly name?: string
}

export interface ApiResponseDetails {
  readonly error: ApiError
  readonly httpStatus: number
  readonly traceId: string | undefined
  readonly operation: OperationRef
  readonly envelope: boolean
  readonly assumedEndpoint: boolean
  readonly replayed: boolean
  readonly retryAfterMs: number | undefined
}

/** The service answered with an error status (400 to 599). */
export class ApiResponseError extends BankapiError {
  override readonly name = 'ApiResponseError'
  /** `error.code` is `http_<status>` when the body was no error envelope. */
  readonly error: ApiError
  readonly httpStatus: number
  /** `X-LS-Trace-Id`, else the envelope's `trace_id`. */
  readonly traceId: string | undefined
  readonly operation: OperationRef
  /** Whether the body was the service's error envelope; if not, `error` was made from the status. */
  readonly envelope: boolean
  /** A 404 or 405 from an operation whose method and path are assumed: the assumption may be what is wrong. */
  readonly assumedEndpoint: boolean
  /** The answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
  /** How long the service asked to wait, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(details: ApiResponseDetails) {
    const { code, message } = details.error
    super(message, { code, exit: exitOfCode[code] ?? exitOfStatus(details.httpStatus) })
    this.error = details.error
    this.httpStatus = details.httpStatus
    this.traceId = details.traceId
    this.operation = details.operation
    this.envelope = details.envelope
    this.assumedEndpoint = details.assumedEndpoint
    this.replayed = details.replayed
    this.retryAfterMs = details.retryAfterMs
  }
}

/** Codes that decide the exit code, whatever the status is. */
const exitOfCode: Readonly<Record<string, ExitName>> = {
  unknown_api_key: 'notAuthenticated',
  insufficient_scope: 'notAllowed',
  idempotency_conflict: 'conflict',
  validation_failed: 'rejected',
  invalid_request: 'rejected',
  rate_limit_exceeded: 'rateLimited',
}

function exitOfStatus(status: number): ExitName {
  switch (status) {
    case 401:
      return 'notAuthenticated'
    case 403:
      return 'notAllowed'
    case 404:
    case 405:
      return 'notFound'
    case 409:
      return 'conflict'
    case 429:
      return 'rateLimited'
    default:
      if (status >= 500) return 'unreachable'
      return status >= 400 ? 'rejected' : 'unexpected'
  }
}

/** `network`: no route. `proxy`: the proxy refused, failed or wants other credentials. `reset`: dropped before an answer. */
export type UnreachableReason = 'refused' | 'dns' | 'network' | 'timeout' | 'tls' | 'reset' | 'proxy'

export interface UnreachableDetails {
  readonly reason: UnreachableReason
  /** Origin of what could not be reached: the service, or the proxy. Never with credentials. */
  readonly address: string
  readonly message: string
  readonly hint: string
  readonly operation: OperationRef
  /** The phase that timed out, for `timeout`. */
  readonly phase?: 'connect' | 'headers' | 'body' | undefined
  /** The connection was refused, so the request cannot have been acted on. */
  readonly nothingSent?: boolean | undefined
  readonly cause?: unknown
}

/** No answer came, or it did not arrive in time. */
export class UnreachableError extends BankapiError {
  override readonly name = 'UnreachableError'
  readonly reason: UnreachableReason
  readonly address: string
  readonly operation: OperationRef
  readonly phase: 'connect' | 'headers' | 'body' | undefined
  readonly nothingSent: boolean
  /** How often it was tried. Counted by the retry loop. */
  attempts = 1

  constructor(details: UnreachableDetails) {
    const { message, hint, cause } = details
    super(message, { code: 'unreachable', exit: 'unreachable', hint, cause })
    this.reason = details.reason
    this.address = details.address
    this.operation = details.operation
    this.phase = details.phase
    this.nothingSent = details.nothingSent ?? false
  }
}

/** The connections were closed (`api.close()`) while the call was under way, or before it began. */
export class ClosedError extends BankapiError {
  override readonly name = 'ClosedError'

  constructor(cause: unknown) {
    super('The connections were closed', { code: 'closed', exit: 'unexpected', cause })
  }
}

/**
 * `not_http`: it speaks something else. `redirect`: to another origin, or of something that may not be repeated.
 * `status`: neither success nor error. `not_json`, `wrong_type`, `encoding`: the body is not what was asked for.
 * `too_deep`: nested past the limit. `cut`: the body ended early. `too_large`: past the limit. `paging`: a list that would never end, or ends unsaid.
 */
export type UnreadableReason =
  | 'not_http'
  | 'redirect'
  | 'status'
  | 'not_json'
  | 'wrong_type'
  | 'too_deep'
  | 'encoding'
  | 'cut'
  | 'too_large'
  | 'paging'

export interface UnreadableDetails {
  readonly reason: UnreadableReason
  readonly message: string
  readonly hint: string
  readonly operation: OperationRef | undefined
  readonly httpStatus?: number | undefined
  readonly traceId?: string | undefined
  readonly cause?: unknown
}

/** An answer arrived that cannot be used. The request may have been carried out. */
export class UnreadableResponseError extends BankapiError {
  override readonly name = 'UnreadableResponseError'
  readonly reason: UnreadableReason
  /** Undefined for `paging`, which is about several answers. */
  readonly operation: OperationRef | undefined
  readonly httpStatus: number | undefined
  readonly traceId: string | undefined

  constructor(details: UnreadableDetails) {
    const { message, reason, hint, cause } = details
    // Trying again may help after a cut answer; it does not where the answer has the wrong form.
    // One that is nested too deep was made so: nothing that this service says can be relied on.
    const exit = reason === 'cut' || reason === 'too_deep' ? 'unreachable' : 'unexpected'
    super(message, { code: 'unreadable_response', exit, hint, cause })
    this.reason = reason
    this.operation = details.operation
    this.httpStatus = details.httpStatus
    this.traceId = details.traceId
  }
}

export type InputErrorCode =
  | 'invalid_base_url'
  | 'invalid_proxy'
  | 'invalid_endpoint_override'
  | 'invalid_parameter'
  | 'missing_parameter'
  | 'invalid_path'
  | 'other_origin'
  | 'invalid_header'
  | 'invalid_idempotency_key'
  | 'invalid_body'
  | 'unreadable_upload'
  | 'invalid_credential'
  | 'portal_secret_missing'

/** Refused before a request was sent (an upload that fails half-way aside). */
export class InputError extends BankapiError {
  override readonly name = 'InputError'
  /** Which parameter, header or setting. */
  readonly param: string | undefined

  constructor(
    code: InputErrorCode,
    sentence: string,
    { param, hint, cause }: { param?: string; hint: string; cause?: unknown },
  ) {
    const noCredential = code === 'invalid_credential' || code === 'portal_secret_missing'
    super(sentence, { code, exit: noCredential ? 'notAuthenticated' : 'usage', hint, cause })
    this.param = param
  }
}
