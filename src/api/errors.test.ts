import { expect, test } from 'vitest'
import {
  ApiResponseError,
  ClosedError,
  InputError,
  type InputErrorCode,
  UnreachableError,
  type UnreadableReason,
  UnreadableResponseError,
} from './errors.ts'

const operation = { method: 'GET', path: '/accounts' }

function response(httpStatus: number, code = 'unheard_of') {
  return new ApiResponseError({
    error: { code, message: 'said' },
    httpStatus,
    traceId: undefined,
    operation,
    envelope: true,
    assumedEndpoint: false,
    replayed: false,
    retryAfterMs: undefined,
  })
}

test('an error status decides the exit code', () => {
  const exits = [300, 399, 400, 401, 402, 403, 404, 405, 408, 409, 410, 422, 429, 499, 500, 503, 599].map(
    (status) => [status, response(status).exit],
  )
  expect(Object.fromEntries(exits)).toEqual({
    ...{ 300: 'unexpected', 399: 'unexpected' },
    ...{
      400: 'rejected',
      402: 'rejected',
      408: 'rejected',
      410: 'rejected',
      422: 'rejected',
      499: 'rejected',
    },
    ...{ 401: 'notAuthenticated', 403: 'notAllowed', 404: 'notFound', 405: 'notFound', 409: 'conflict' },
    ...{ 429: 'rateLimited', 500: 'unreachable', 503: 'unreachable', 599: 'unreachable' },
  })
})

test('a code of the service decides the exit code whatever its status is', () => {
  const codes = {
    unknown_api_key: 'notAuthenticated',
    insufficient_scope: 'notAllowed',
    idempotency_conflict: 'conflict',
    validation_failed: 'rejected',
    invalid_request: 'rejected',
    rate_limit_exceeded: 'rateLimited',
  }
  for (const [code, exit] of Object.entries(codes)) expect(response(500, code)).toMatchObject({ code, exit })
})

test('after an answer that was cut, or nested so deep that nothing in it counts, trying again may help', () => {
  const exitOf = (reason: UnreadableReason) =>
    new UnreadableResponseError({ reason, message: 'm', hint: 'h', operation }).exit
  expect([exitOf('cut'), exitOf('too_deep')]).toEqual(['unreachable', 'unreachable'])
  for (const reason of [
    'not_http',
    'redirect',
    'status',
    'not_json',
    'wrong_type',
    'encoding',
    'too_large',
    'paging',
  ] as const)
    expect(exitOf(reason)).toBe('unexpected')
})

test('a credential that is missing or none ends as not authenticated, other bad input as usage', () => {
  const exitOf = (code: InputErrorCode) => new InputError(code, 'A sentence', { hint: 'h' }).exit
  expect([exitOf('invalid_credential'), exitOf('portal_secret_missing')]).toEqual([
    'notAuthenticated',
    'notAuthenticated',
  ])
  expect([exitOf('invalid_parameter'), exitOf('invalid_header')]).toEqual(['usage', 'usage'])
})

test('each has the name of its class, by which a log tells them apart', () => {
  const details = { message: 'm', hint: 'h', operation }
  const errors = [
    response(404),
    new UnreachableError({ ...details, reason: 'dns', address: 'https://api.bank.test' }),
    new UnreadableResponseError({ ...details, reason: 'cut' }),
    new ClosedError(undefined),
    new InputError('invalid_body', 'A sentence', { hint: 'h' }),
  ]
  for (const error of errors) expect(error.name).toBe(error.constructor.name)
})
