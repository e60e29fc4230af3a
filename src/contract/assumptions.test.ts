import { expect, it } from 'vitest'
import type { z } from 'zod'
import {
  assumedCodes,
  assumedEventFields,
  assumedPayloads,
  assumedShapes,
  assumptions,
  operationResults,
} from './assumptions.ts'
import { everyEndpoint } from './contract.ts'
import { type Endpoint, isEmpty, isFile, successOf } from './endpoint.ts'
import { errorCodes } from './errors.ts'
import { events } from './events.ts'
import { OperationAccepted } from './shapes.ts'

const endpoints = new Map<string, Endpoint>(
  everyEndpoint().map(({ area, name, endpoint }) => [`${area}.${name}`, endpoint]),
)

/** The reference's table of codes, written out. */
const documented = [
  ...[
    'unknown_api_key',
    'insufficient_scope',
    'validation_failed',
    'invalid_request',
    'idempotency_conflict',
  ],
  ...[
    'rate_limit_exceeded',
    'refresh_partially_failed',
    'refresh_timed_out',
    'refresh_outcome_not_observable',
  ],
  ...[
    'no_refreshable_accounts',
    'refresh_not_supported',
    'credentials_invalid',
    'account_locked_by_institution',
  ],
  ...['institution_unavailable', 'mfa_required', 'source_internal_error', 'desktop_app_required'],
  ...['desktop_app_route_choice', 'firm_under_review', 'pairing_code_invalid', 'desktop_app_session_closed'],
  ...['desktop_service_unavailable', 'pairing_rate_limited'],
]

it('every code is one of the reference or listed as assumed, and every assumed one exists', () => {
  const assumed = Object.keys(assumedCodes)
  expect(Object.keys(errorCodes).sort()).toEqual([...documented, ...assumed].sort())
})

it('an assumed code says so where its condition is read', () => {
  for (const code of Object.keys(assumedCodes) as (keyof typeof assumedCodes)[])
    expect(errorCodes[code].condition).toContain('assumed')
})

it.each(Object.entries(assumedEventFields))(
  '%s has the fields that are listed as assumed',
  (type, fields) => {
    for (const path of fields) {
      const [name = '', field] = path.split('.')
      const data = events[type as keyof typeof assumedEventFields].data as z.ZodObject
      expect(data.shape).toHaveProperty(name)
      if (field !== undefined) expect((data.shape[name] as z.ZodObject).shape).toHaveProperty(field)
    }
  },
)

it.each(assumedPayloads)('%s, whose payload is not shown, has every field listed', (type) => {
  const { shape } = events[type].data as z.ZodObject
  const fields = Object.entries(shape).flatMap(([name, field]) =>
    'shape' in field ? Object.keys((field as z.ZodObject).shape).map((one) => `${name}.${one}`) : [name],
  )
  expect([...assumedEventFields[type]].sort()).toEqual(fields.sort())
})

it.each(
  assumedShapes.flatMap(({ operations, ...row }) => operations.map((operation) => ({ operation, ...row }))),
)('the $part of $operation has the fields that are listed as assumed', ({ operation, part, fields }) => {
  const endpoint = endpoints.get(operation)
  expect(endpoint?.assumes).toMatch(/\w/)
  for (const field of fields) expect(endpoint && fieldsOf(endpoint, part)).toContain(field)
})

it('an operation that assumes a shape has its fields listed', () => {
  const listed = new Set(assumedShapes.flatMap(({ operations }) => operations))
  const shapes = /shape|fields?\b|(?<!\bno (?:request )?)body|parameter|paging|cursor|that it exists, an/
  const telling = [...endpoints].filter(([, { assumes = '' }]) =>
    shapes.test(assumes.replace('that no field is required', '')),
  )
  expect(telling.map(([name]) => name).filter((name) => !listed.has(name))).toEqual([])
  expect(telling.length).toBeGreaterThan(8)
})

it('every call that is polled has its type and result listed', () => {
  const polled = [...endpoints].flatMap(([name, endpoint]) =>
    successOf(endpoint).body === OperationAccepted ? [name] : [],
  )
  expect(
    Object.values(operationResults)
      .map(({ startedBy }) => startedBy)
      .sort(),
  ).toEqual(polled.sort())
})

function fieldsOf(endpoint: Endpoint, part: 'query' | 'request' | 'answer'): string[] {
  if (part === 'query') return Object.keys(endpoint.query ?? {})
  if (part === 'request')
    return [...Object.keys(endpoint.body ?? {}), ...(endpoint.upload ? [endpoint.upload] : [])]
  const { body } = successOf(endpoint)
  if (isEmpty(body) || isFile(body)) return []
  const { shape } = body as z.ZodObject
  const { data } = shape as { data?: z.ZodArray<z.ZodObject> }
  return Object.keys(endpoint.paged && data ? data.element.shape : shape)
}

it('each assumption is listed once, with what the reference does say', () => {
  expect(new Set(assumptions.map(({ assumed }) => assumed)).size).toBe(assumptions.length)
  for (const { about, because } of assumptions) expect([about, because]).not.toContain('')
})
