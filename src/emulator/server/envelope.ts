/** The error envelope, for refusals of every kind. */
import { apiError, Problem } from '../engine/problem.ts'

export interface Refused {
  readonly status: number
  readonly body: { readonly error: object }
  readonly headers: Readonly<Record<string, string>>
}

/** The envelope of a Problem. */
export function refused(problem: Problem, traceId: string, portalUrl: string): Refused {
  const { retryAfter, allow } = problem.details
  return {
    status: problem.status,
    body: {
      error: { ...apiError(portalUrl, problem.code, problem.message, problem.details), trace_id: traceId },
    },
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(allow === undefined ? {} : { allow }),
    },
  }
}

/** The envelope of a 5xx, which the reference lists no code for: `internal_error` is assumed. */
export function broken(status: number, traceId: string, portalUrl: string): Refused {
  const error = {
    code: 'internal_error',
    message: 'The service failed to answer.',
    type: 'api_error',
    doc_url: `${portalUrl}/errors/internal_error`,
    category: 'API_ERROR',
    is_user_actionable: false,
    trace_id: traceId,
  }
  return { status, body: { error }, headers: {} }
}

/** What Fastify or Node refuses before a handler is reached, as a Problem; undefined for a failure of ours. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  const { statusCode = 500, code } = error as { statusCode?: number; code?: string }
  if (statusCode === 413 || code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem('payload_too_large')
  if (statusCode === 415) {
    return new Problem('invalid_request', 'This media type is not taken here.', { status: 415 })
  }
  if (statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', 'The request could not be read.', { status: statusCode })
  }
  return undefined
}
