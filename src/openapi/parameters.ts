/** Parameters and headers of requests and answers, with what they mean. */
import type { Endpoint, Fields, IdempotencyKey } from '../contract/endpoint.ts'
import { authOf } from '../contract/endpoint.ts'
import { headers, maxIdempotencyKeyLength, pageSize } from '../contract/service.ts'
import type { Facts } from './facts.ts'
import { type Json, ref } from './json.ts'
import { schemaOf } from './schemas.ts'

/** By name, or by operation and name where an operation means something else by it. */
const meanings: Readonly<Record<string, string>> = {
  client_id: 'The Client whose data it is; it is looked up within that Client only.',
  connection_id: 'The canonical id of a Connection. A placeholder, `con_<uuid>`, is refused with 400.',
  'accounts.list.connection_id': 'Only accounts of this Connection.',
  account_id: 'The account.',
  transaction_id: 'The transaction.',
  statement_id: 'The statement.',
  check_id: 'The check.',
  operation_id: 'The operation, from the 202 that started it.',
  subscription_id: 'The webhook subscription.',
  institution_id: 'The institution, from the catalog.',
  api_key_id: 'The API key, by its id and not its secret.',
  sid: "The connect session. It is also the link's credential: do not log it.",
  limit: `Items of a page. More than ${pageSize.max} is capped, not refused.`,
  cursor: 'The `next_cursor` of the page before. It belongs to the exact query that it was made for.',
  q: 'Part of a name.',
  'transactions.list.from': 'The earliest transaction date, inclusive (assumed).',
  'transactions.list.to': 'The latest transaction date, inclusive (assumed).',
  from: 'Begin of the window, inclusive; 30 days before now unless given. The window has at most 366 days.',
  to: 'End of the window, exclusive; now unless given.',
  token: "The link's token. It is a credential.",
  [headers.portalUser]:
    'Id of the applicant at the identity provider. The signature is made over this value.',
}

const treatments: Readonly<Record<IdempotencyKey, string>> = {
  honoured:
    'The same key within 24 hours replays the same answer, failures included. With another body or path it is refused with `idempotency_conflict`, and with `request_in_progress` while the first request is still running.',
  ignored: 'Reserved and ignored: nothing is replayed, and a request that is sent twice makes two.',
  unspecified: 'Accepted. Whether it has an effect here is not documented: do not rely on it.',
}

export function parametersOf(operation: string, endpoint: Endpoint, facts: Facts): Json[] {
  const every = (place: 'path' | 'query' | 'header', fields: Fields = {}) =>
    Object.entries(fields).map(([name, field]) => {
      const { default: fallback, ...schema } = { ...schemaOf(field, 'input'), ...defaults[name] }
      return {
        name,
        in: place,
        required: !field.safeParse(undefined).success,
        description: meanings[`${operation}.${name}`] ?? meanings[name],
        schema: { ...schema, ...(fallback === undefined ? {} : { default: fallback }) },
        ...exampleOf(facts.parameters[name]),
      }
    })
  return [
    ...every('path', endpoint.params),
    ...every('query', endpoint.query),
    ...every('header', endpoint.headers),
    ...idempotencyKeyOf(endpoint),
  ]
}

const defaults: Readonly<Record<string, Json>> = { limit: { default: pageSize.default } }

function exampleOf(value: unknown): Json {
  return value === undefined ? {} : { example: value }
}

/** Portal requests have no API key, to which an Idempotency-Key belongs. */
function idempotencyKeyOf(endpoint: Endpoint): Json[] {
  if (endpoint.method !== 'POST' || authOf(endpoint) !== 'bearer') return []
  return [
    {
      name: headers.idempotencyKey,
      in: 'header',
      required: false,
      description: treatments[endpoint.idempotencyKey ?? 'unspecified'],
      schema: { type: 'string', minLength: 1, maxLength: maxIdempotencyKeyLength },
    },
  ]
}

/** Headers of answers, as components. */
export const answerHeaders = {
  TraceId: {
    description: 'Names the request; also `trace_id` of an error.',
    required: true,
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: 'Present when this is the answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  RetryAfter: {
    description: 'Seconds after which to send the request again.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const satisfies Record<string, Json>

const traced = { [headers.traceId]: ref('headers', 'TraceId') }
const replayed = { [headers.idempotentReplayed]: ref('headers', 'IdempotentReplayed') }

export function headersOfSuccess({ idempotencyKey }: Endpoint): Json {
  return idempotencyKey === 'honoured' ? { ...traced, ...replayed } : traced
}

/** `later` where the answer says when to come back. */
export function headersOfFailure(later: boolean): Json {
  return later ? { ...traced, 'Retry-After': ref('headers', 'RetryAfter') } : traced
}
