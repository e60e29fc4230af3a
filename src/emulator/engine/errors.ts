/** Errors of the service, and the Error objects that responses, operations and Connections carry. */
import { type ApiError, errorCodes, type KnownErrorCode } from '../../contract/errors.ts'

/** A field of a request that is not valid; an empty `param` stands for the whole body. */
export type FieldError = {
  param: string
  message: string
  code: string
}

export interface ErrorDetails {
  readonly param?: string
  readonly errors?: readonly FieldError[]
  readonly accounts?: readonly { id: string; code: string; message: string }[]
  readonly source_diagnostic_code?: string
  /** HTTP status, where it is not the code's own. */
  readonly status?: number
  /** Seconds after which to try again. */
  readonly retryAfter?: number
  /** Methods a path takes. */
  readonly allow?: string
}

/** Thrown by rules and handlers; the server turns it into the error envelope. */
export class ServiceError extends Error {
  readonly code: KnownErrorCode
  readonly details: ErrorDetails

  constructor(code: KnownErrorCode, message: string = sentence(code), details: ErrorDetails = {}) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return this.details.status ?? errorCodes[this.code].status ?? 400
  }
}

/** `validation_failed` for these fields; the message names the first. */
export function invalidFields(errors: readonly FieldError[]): ServiceError {
  const [{ param, message } = { param: '', message: 'not understood' }] = errors
  return new ServiceError('validation_failed', `${param || 'body'}: ${message}`, {
    ...(param === '' ? {} : { param }),
    errors,
  })
}

/** `not_found` for something of this kind. It reads the same whether it never was or belongs to somebody else. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `No such ${what}.`)
}

/** An Error object with everything the reference shows. `category` is assumed: the type in capitals, as in AUTH_ERROR. */
export function apiError(
  portalUrl: string,
  code: KnownErrorCode,
  message: string = sentence(code),
  { param, errors, accounts, source_diagnostic_code }: ErrorDetails = {},
): ApiError {
  const { type, userActionable } = errorCodes[code]
  return {
    code,
    message,
    type,
    doc_url: `${portalUrl}/errors/${code}`,
    category: type.toUpperCase(),
    is_user_actionable: userActionable,
    ...(source_diagnostic_code === undefined ? {} : { source_diagnostic_code }),
    ...(param === undefined ? {} : { param }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
    ...(accounts === undefined ? {} : { accounts: [...accounts] }),
  }
}

/** The condition of the code as a sentence, without its remarks about assumptions. */
function sentence(code: KnownErrorCode): string {
  const { condition } = errorCodes[code]
  const plain = condition.replace(/\s*\([^)]*\)/g, '')
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`
}
