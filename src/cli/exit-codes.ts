/** Every exit code with its meaning: the table that scripts, the help topic and docs/exit-codes.md rely on. */
export const exitCodes = {
  done: { code: 0, meaning: 'done' },
  unexpected: { code: 1, meaning: 'unexpected: a bug here, or an answer nobody can classify' },
  usage: {
    code: 2,
    meaning: 'usage: bad flag, argument or input, refused before a request; confirmation missing',
  },
  notAuthenticated: { code: 3, meaning: 'not authenticated: no key, unknown_api_key, 401' },
  notAllowed: { code: 4, meaning: 'not allowed: insufficient_scope, 403' },
  notFound: { code: 5, meaning: 'not found: 404' },
  conflict: { code: 6, meaning: 'conflict: 409, idempotency_conflict' },
  rejected: { code: 7, meaning: 'rejected: 400/422, validation_failed, invalid_request' },
  rateLimited: { code: 8, meaning: 'rate limited: 429, after the allowed retries' },
  operationFailed: { code: 9, meaning: 'the operation failed (status: failed)' },
  stillRunning: {
    code: 10,
    meaning: 'still running when --timeout ran out; the hint names bankapi operations wait op_…',
  },
  unreachable: {
    code: 11,
    meaning: 'the service cannot be reached, or answers 5xx, after the allowed retries',
  },
  notVerified: { code: 12, meaning: 'a signature did not verify; an expected event did not come' },
  interrupted: { code: 130, meaning: 'interrupted' },
} as const

export type ExitName = keyof typeof exitCodes

/** The exit code of an HTTP error status, by the table above. */
export function exitNameOfStatus(status: number): ExitName {
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
