/** Answers of operations: the success, and the failures by status. */

import { assumedCodes } from '../contract/assumptions.ts'
import { type Endpoint, isEmpty, isFile, successOf } from '../contract/endpoint.ts'
import { type ErrorCode, errorCodes, type KnownErrorCode } from '../contract/errors.ts'
import { refusalsOf } from '../contract/refusals.ts'
import { OperationAccepted } from '../contract/shapes.ts'
import type { Facts } from './facts.ts'
import { type Json, ref } from './json.ts'
import { headersOfFailure, headersOfSuccess } from './parameters.ts'
import { schemaOf } from './schemas.ts'

const phrases: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted. It goes on after this answer.',
  204: 'Done, without a body.',
}

/** With these the service says when to come back. */
const later: readonly KnownErrorCode[] = ['rate_limit_exceeded', 'request_in_progress']

export function answersOf(operation: string, endpoint: Endpoint, facts: Facts): Json {
  const { status } = successOf(endpoint)
  const failures = byStatus(refusalsOf(endpoint)).map(([code, codes]) => [
    code,
    ref('responses', nameOf(codes)),
  ])
  return {
    [status]: success(operation, endpoint, facts),
    ...Object.fromEntries(failures),
    ...(isPage(endpoint) ? { 404: invalidLink } : {}),
    default: ref('responses', 'OtherFailure'),
  }
}

function success(operation: string, endpoint: Endpoint, facts: Facts): Json {
  const { status, body } = successOf(endpoint)
  const head = { description: phrases[status] ?? 'Done.', headers: headersOfSuccess(endpoint) }
  if (isEmpty(body)) return head
  if (isFile(body)) {
    const bytes = { schema: { type: 'string', ...(isPage(endpoint) ? {} : { format: 'binary' }) } }
    return { ...head, content: Object.fromEntries(body.file.map((type) => [type, bytes])) }
  }
  const value = facts.answers[operation]
  const content = {
    'application/json': {
      schema: schemaOf(body, 'output'),
      ...(value === undefined ? {} : { examples: { emulator: facts.example(value) } }),
    },
  }
  return { ...head, content, ...(body === OperationAccepted ? { links: { operation: followUp } } : {}) }
}

const followUp = {
  operationId: 'operations_get',
  parameters: { operation_id: '$response.body#/operation_id' },
  description: 'How far it is.',
}

const invalidLink = {
  description: 'A page that says that the link does not work (the status is assumed).',
  content: { 'text/html': { schema: { type: 'string' } } },
}

function isPage(endpoint: Endpoint): boolean {
  const { body } = successOf(endpoint)
  return isFile(body) && body.file.includes('text/html')
}

/** The failures of these operations, as components: one for each set of codes that share a status. */
export function failureResponses(endpoints: readonly Endpoint[], facts: Facts): Json {
  const sets = endpoints.flatMap((endpoint) => byStatus(refusalsOf(endpoint)).map(([, codes]) => codes))
  const made = sets.map((codes) => [nameOf(codes), failure(codes, facts)] as const)
  return { ...Object.fromEntries(made), OtherFailure: otherFailure }
}

function failure(codes: readonly KnownErrorCode[], facts: Facts): Json {
  const shown = codes.filter((code) => facts.refusals[code] !== undefined)
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].condition}.`).join(' '),
    headers: headersOfFailure(codes.some((code) => later.includes(code))),
    content: {
      'application/json': {
        schema: ref('schemas', 'ErrorEnvelope'),
        ...(shown.length === 0
          ? {}
          : { examples: Object.fromEntries(shown.map((code) => [code, ref('examples', code)])) }),
      },
    },
    'x-codes': codes,
  }
}

const otherFailure = {
  description:
    'Any other failure. A 5xx has the code `internal_error` (assumed), a 405 or 415 `invalid_request` (assumed).',
  headers: headersOfFailure(false),
  content: { 'application/json': { schema: ref('schemas', 'ErrorEnvelope') } },
}

/** Codes that share a status, in the order of the statuses. */
function byStatus(codes: readonly KnownErrorCode[]): [number, KnownErrorCode[]][] {
  const groups = Map.groupBy(codes, (code) => errorCodes[code].status ?? 0)
  return [...groups].sort(([one], [other]) => one - other)
}

/** `InsufficientScopeOrFirmUnderReview`. */
function nameOf(codes: readonly KnownErrorCode[]): string {
  const words = codes.join('_or_').split('_')
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')
}

/** Every code, with where it comes from; those that answer no request are in operations, Connections and the desktop app. */
export function codeTable(): Json {
  return Object.fromEntries(
    Object.entries<ErrorCode>(errorCodes).map(
      ([code, { status, statusOrigin, type, userActionable, condition }]) => [
        code,
        {
          ...(status === null ? {} : { status, 'x-status-origin': statusOrigin }),
          type,
          is_user_actionable: userActionable,
          condition,
          'x-origin': Object.hasOwn(assumedCodes, code) ? 'assumed' : 'documented',
        },
      ],
    ),
  )
}
