/** The error envelope, and every code the reference lists with its condition and hint. */
import * as z from 'zod'

/** One field-level problem of a `validation_failed` error. */
const FieldError = z.looseObject({
  param: z.string().optional(),
  message: z.string(),
  code: z.string().optional(),
})

/** An account that did not report, as a refresh failure lists it. Its fields are assumed: the reference names only `accounts[]`. */
const AccountError = z.looseObject({
  id: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
})

/** `error` of the envelope; also `last_error` of a Connection and `error` of an Operation. */
export const ApiError = z.looseObject({
  code: z.string(),
  message: z.string(),
  type: z.string().optional(),
  doc_url: z.string().optional(),
  category: z.string().optional(),
  is_user_actionable: z.boolean().optional(),
  source_diagnostic_code: z.string().optional(),
  param: z.string().optional(),
  trace_id: z.string().optional(),
  errors: z.array(FieldError).optional(),
  accounts: z.array(AccountError).optional(),
})
export type ApiError = z.infer<typeof ApiError>

export const ErrorEnvelope = z.looseObject({ error: ApiError })

export interface ErrorCode {
  /** HTTP status when it answers a request; null for codes seen only inside an Operation, a Connection or the desktop app. */
  readonly status: number | null
  /** Whether the reference states that status; otherwise it is assumed. */
  readonly statusOrigin: 'documented' | 'assumed'
  readonly type: string
  readonly userActionable: boolean
  readonly condition: string
  /** What to do next, for a reader. */
  readonly hint: string
}

const operationOnly = { status: null, statusOrigin: 'assumed' } as const

/** Every code the reference lists. `type` and `status` are assumed where it does not give them. */
export const errorCodes = {
  unknown_api_key: {
    status: 401,
    statusOrigin: 'assumed',
    type: 'auth_error',
    userActionable: true,
    condition: 'the key matches no active key',
    hint: 'Check which key is in use: bankapi whoami. Store another: bankapi login',
  },
  insufficient_scope: {
    status: 403,
    statusOrigin: 'assumed',
    type: 'auth_error',
    userActionable: true,
    condition: 'the key lacks a required scope',
    hint: 'Add the scope to the key: bankapi keys rotate-scopes --add <scope>',
  },
  live_key_not_allowed: {
    status: 403,
    statusOrigin: 'documented',
    type: 'auth_error',
    userActionable: true,
    condition:
      'a live key called a sandbox helper (the code itself is assumed; the reference gives only 403)',
    hint: 'Use a sandbox key: --env sandbox',
  },
  not_found: {
    status: 404,
    statusOrigin: 'documented',
    type: 'invalid_request_error',
    userActionable: false,
    condition:
      'no such resource for this customer, or a transaction the source retracted (the code itself is assumed)',
    hint: 'Check the id, the Client and the environment; an id of another customer or environment reads as not found',
  },
  validation_failed: {
    status: 400,
    statusOrigin: 'assumed',
    type: 'invalid_request_error',
    userActionable: true,
    condition: 'invalid input, including an unknown webhook event type',
    hint: 'Correct the fields named above',
  },
  invalid_request: {
    status: 400,
    statusOrigin: 'documented',
    type: 'invalid_request_error',
    userActionable: true,
    condition: 'the request cannot be served as sent, for example a cursor reused against a different query',
    hint: 'A cursor belongs to the exact query that made it: start again without --cursor',
  },
  idempotency_conflict: {
    status: 409,
    statusOrigin: 'documented',
    type: 'idempotency_error',
    userActionable: true,
    condition: 'the Idempotency-Key was used for a different request',
    hint: 'Use a new --idempotency-key, or repeat the first request exactly',
  },
  request_in_progress: {
    status: 409,
    statusOrigin: 'documented',
    type: 'idempotency_error',
    userActionable: false,
    condition:
      'the first request with this Idempotency-Key is still running (the code itself is assumed; the reference gives only 409 and Retry-After)',
    hint: 'Send the same request again after the time that Retry-After gives',
  },
  connection_deleted: {
    status: 409,
    statusOrigin: 'assumed',
    type: 'invalid_request_error',
    userActionable: false,
    condition:
      'a deleted Connection was to be reauthorized (assumed; the reference shows no way back from deleted)',
    hint: 'Link the bank again: bankapi connections initiate',
  },
  rate_limit_exceeded: {
    status: 429,
    statusOrigin: 'documented',
    type: 'rate_limit_error',
    userActionable: false,
    condition: 'request rate or daily refresh budget exceeded; a budget refusal does not touch the bank',
    hint: 'Wait and try again; the daily refresh budget is separate from the request rate limit',
  },
  length_required: {
    status: 411,
    statusOrigin: 'documented',
    type: 'invalid_request_error',
    userActionable: false,
    condition:
      'an empty POST without Content-Length: 0 (the code itself is assumed; the reference gives only 411)',
    hint: 'Send Content-Length: 0 with an empty POST',
  },
  payload_too_large: {
    status: 413,
    statusOrigin: 'assumed',
    type: 'invalid_request_error',
    userActionable: true,
    condition:
      'the body is larger than the service takes (assumed; the reference gives only the 30 MB limit)',
    hint: 'Send a smaller body; a statement upload may have up to 30 MB',
  },
  refresh_partially_failed: {
    ...operationOnly,
    type: 'refresh_error',
    userActionable: false,
    condition: 'aggregation ran but at least one account did not report',
    hint: 'See which accounts failed in error.accounts; refresh again later or reauthorize the connection',
  },
  refresh_timed_out: {
    ...operationOnly,
    type: 'refresh_error',
    userActionable: false,
    condition: 'no account reported within the time-out',
    hint: 'The bank did not answer in time: refresh again later',
  },
  refresh_outcome_not_observable: {
    ...operationOnly,
    type: 'refresh_error',
    userActionable: false,
    condition: 'the outcome of the refresh cannot be observed',
    hint: 'Read the accounts: last_refreshed_at says whether new data arrived',
  },
  no_refreshable_accounts: {
    status: 400,
    statusOrigin: 'assumed',
    type: 'refresh_error',
    userActionable: false,
    condition: 'the connection has no refreshable accounts',
    hint: 'Share accounts of the bank again: bankapi connections reauthorize <connection>',
  },
  refresh_not_supported: {
    status: 400,
    statusOrigin: 'assumed',
    type: 'refresh_error',
    userActionable: false,
    condition: 'refresh is unsupported for the source',
    hint: 'This source delivers data by itself; read accounts and transactions instead',
  },
  credentials_invalid: {
    ...operationOnly,
    type: 'connection_error',
    userActionable: true,
    condition: 'credentials were rejected or locked out',
    hint: 'Let the user sign in again: bankapi connections reauthorize <connection>',
  },
  account_locked_by_institution: {
    ...operationOnly,
    type: 'connection_error',
    userActionable: false,
    condition: 'the bank locked the account',
    hint: 'Only the bank can unlock it: the user has to contact the bank',
  },
  institution_unavailable: {
    ...operationOnly,
    type: 'institution_error',
    userActionable: false,
    condition: 'the bank is unavailable',
    hint: 'Nothing to do here: the daily refresh tries again and reports when the bank is back',
  },
  mfa_required: {
    ...operationOnly,
    type: 'connection_error',
    userActionable: true,
    condition: 'the bank asked a security question',
    hint: 'Let the user answer it: bankapi connections reauthorize <connection>',
  },
  source_internal_error: {
    ...operationOnly,
    type: 'source_error',
    userActionable: false,
    condition: 'the source refused for another reason; source_diagnostic_code has the upstream status',
    hint: 'Try again later; give source_diagnostic_code and trace_id to support when it stays',
  },
  desktop_app_required: {
    ...operationOnly,
    type: 'desktop_app_error',
    userActionable: true,
    condition: 'the refresh needs the desktop app and it is not connected; no refresh budget used',
    hint: 'Open the desktop app on the computer it was paired with, then refresh again',
  },
  desktop_app_route_choice: {
    ...operationOnly,
    type: 'desktop_app_error',
    userActionable: true,
    condition: 'the refresh waits for the choice whether to use the desktop app; no refresh budget used',
    hint: 'Choose in the desktop app whether this bank goes through it, then refresh again',
  },
  firm_under_review: {
    status: 403,
    statusOrigin: 'assumed',
    type: 'access_error',
    userActionable: false,
    condition: 'a bank was to be connected while the review of the firm is pending',
    hint: 'Wait for the review: bankapi portal access-request status',
  },
  pairing_code_invalid: {
    ...operationOnly,
    type: 'desktop_app_error',
    userActionable: true,
    condition: 'the desktop app was paired with a wrong code',
    hint: 'Start the pairing again and type the new code',
  },
  desktop_app_session_closed: {
    ...operationOnly,
    type: 'desktop_app_error',
    userActionable: true,
    condition: 'the desktop app closed its session while linking',
    hint: 'Open the desktop app and link the bank again',
  },
  desktop_service_unavailable: {
    ...operationOnly,
    type: 'desktop_app_error',
    userActionable: false,
    condition: 'the desktop service cannot be reached',
    hint: 'Try again later',
  },
  pairing_rate_limited: {
    status: 429,
    statusOrigin: 'assumed',
    type: 'rate_limit_error',
    userActionable: false,
    condition: 'more than 10 pairing tries in an hour or 20 in a day for the account',
    hint: 'Wait before pairing again: 10 tries per hour and 20 per day',
  },
} as const satisfies Record<string, ErrorCode>

export type KnownErrorCode = keyof typeof errorCodes

/** The entry of a known code, or undefined for one the reference does not list. */
export function errorCode(code: string): ErrorCode | undefined {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as KnownErrorCode] : undefined
}
