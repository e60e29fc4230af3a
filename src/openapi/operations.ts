/** The operations of the contract as operations of OpenAPI. */

import * as z from 'zod'
import type { Endpoint, Retry } from '../contract/endpoint.ts'
import { successOf } from '../contract/endpoint.ts'
import { OperationAccepted } from '../contract/shapes.ts'
import { answersOf } from './answers.ts'
import { describe } from './descriptions.ts'
import type { Facts } from './facts.ts'
import type { Json } from './json.ts'
import type { DocumentedOperation } from './overridden.ts'
import { parametersOf } from './parameters.ts'
import { schemaOf } from './schemas.ts'
import { securityOf } from './security.ts'

const retries: Readonly<Record<Retry, string>> = {
  safe: 'It may be sent again after a failure.',
  'with-key': 'After a failure it may be sent again with the same Idempotency-Key.',
  'if-refused':
    'It may be sent again only when the service did not act on it: a refused connection, or a 429.',
  never: 'It is not to be sent again by a program: only the user may ask again.',
}

/** Operations by path and method; `rootServers` are for those that begin at the service's root. */
export function operationPaths(
  operations: readonly DocumentedOperation[],
  facts: Facts,
  rootServers: readonly Json[],
): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const { area, name, endpoint, isBelowRoot } of operations) {
    const operation = operationOf(area, name, endpoint, facts)
    paths[endpoint.path] ??= {}
    Object.assign(paths[endpoint.path] ?? {}, {
      [endpoint.method.toLowerCase()]: { ...operation, ...(isBelowRoot ? { servers: rootServers } : {}) },
    })
  }
  return paths
}

/** `connections_refresh`: an identifier in every language that code is generated for. */
function operationId(area: string, name: string): string {
  return `${area}_${name}`
}

function operationOf(area: string, name: string, endpoint: Endpoint, facts: Facts): Json {
  const operation = `${area}.${name}`
  const body = requestBodyOf(operation, endpoint, facts)
  return {
    operationId: operationId(area, name),
    tags: [area],
    summary: endpoint.summary,
    description: descriptionOf(operation, endpoint),
    security: securityOf(endpoint),
    parameters: parametersOf(operation, endpoint, facts),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: answersOf(operation, endpoint, facts),
    'x-origin': endpoint.origin,
    ...(endpoint.assumes === undefined ? {} : { 'x-assumes': endpoint.assumes }),
    'x-retry': endpoint.retry,
  }
}

function descriptionOf(operation: string, endpoint: Endpoint): string {
  return [
    ...(endpoint.paged ? ['A page: follow `next_cursor` while `has_more` is true.'] : []),
    ...(successOf(endpoint).body === OperationAccepted
      ? ['It goes on after the answer: poll the operation that the answer names.']
      : []),
    ...(endpoint.method === 'POST' && !endpoint.body && !endpoint.upload
      ? ['Send `Content-Length: 0`.']
      : []),
    retries[endpoint.retry],
    ...(endpoint.origin === 'assumed'
      ? [`The method and path are assumed; the setting \`endpoints.${operation}\` of bankapi replaces them.`]
      : []),
    ...(endpoint.assumes === undefined
      ? []
      : [`Assumed where the reference is silent: ${endpoint.assumes}.`]),
  ].join(' ')
}

function requestBodyOf(operation: string, { body, upload }: Endpoint, facts: Facts): Json | undefined {
  const bytes = { type: 'string', format: 'binary' }
  if (upload !== undefined) {
    const form = { type: 'object', properties: { [upload]: bytes }, required: [upload] }
    return {
      required: true,
      description: 'A PDF of up to 30 MB. That a raw body is taken, too, is assumed.',
      content: {
        'multipart/form-data': {
          schema: form,
          encoding: { [upload]: { contentType: 'application/pdf' } },
        },
        'application/pdf': { schema: bytes },
      },
    }
  }
  if (body === undefined) return undefined
  const schema = z.object({ ...body })
  const value = facts.requests[operation]
  return {
    required: !schema.safeParse({}).success,
    content: {
      'application/json': {
        schema: describe(schemaOf(schema, 'input'), `${operation}.body`, facts.comments),
        ...(value === undefined ? {} : { examples: { emulator: facts.example(value) } }),
      },
    },
  }
}
