/**
 * Checks input against the contract's schemas. Strict where the reference is silent: a query parameter or a body field
 * that the contract does not know is refused (assumed), so that a misspelt filter does not go unnoticed.
 */
import * as z from 'zod'
import { type Endpoint, type Fields, isFile, successOf } from '../../contract/endpoint.ts'
import { connectionIdForm } from '../../contract/ids.ts'
import { type FieldError, invalidFields, ServiceError } from '../engine/errors.ts'
import type { Received } from './request.ts'

export interface RawInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Received
}

type Values = Record<string, unknown>

/** Prepares the check of one operation. The check returns one flat object of valid input, or throws. */
export function inputOf(endpoint: Endpoint): (raw: RawInput) => Values {
  if (isPage(endpoint)) return ({ query }) => textsOf(endpoint, query)
  const params = part(endpoint.params)
  const query = part(endpoint.query)
  const headers = endpoint.headers && z.object(lowerCased(endpoint.headers))
  const body = part(endpoint.body)
  const numbers = numeric(endpoint.query)
  const names = Object.entries(endpoint.headers ?? {}).map(([name]) => [name, name.toLowerCase()] as const)

  return (raw) => {
    const errors: FieldError[] = []
    const input: Values = {}
    rejectPlaceholder(raw.params['connection_id'] ?? raw.query['connection_id'])
    if (params) take(params, raw.params, input, errors)
    if (query) take(query, withNumbers(raw.query, numbers), input, errors)
    else unknownFields(Object.keys(raw.query), errors)
    if (headers) {
      const read: Values = {}
      take(headers, raw.headers, read, errors)
      for (const [name, lower] of names) input[name] = read[lower]
    }
    if (!endpoint.upload) takeBody(endpoint, body, raw.body, input, errors)
    if (errors.length > 0) throw invalidFields(errors)
    return input
  }
}

function isPage(endpoint: Endpoint): boolean {
  const { body } = successOf(endpoint)
  return isFile(body) && body.file.includes('text/html')
}

/** A page answers a browser, whatever it was asked: what is missing or repeated is empty, what is not known ignored. */
function textsOf({ query: fields = {} }: Endpoint, query: RawInput['query']): Values {
  const given = Object.keys(fields).map((name) => [name, query[name]] as const)
  return Object.fromEntries(given.map(([name, value]) => [name, typeof value === 'string' ? value : '']))
}

/** A Connection id without a source is a placeholder, valid for the widget step only; the reference gives the words. */
function rejectPlaceholder(id: unknown): void {
  if (typeof id !== 'string' || connectionIdForm(id) === 'canonical') return
  throw new ServiceError('invalid_request', 'missing source separator', { param: 'connection_id' })
}

function takeBody(
  endpoint: Endpoint,
  schema: z.ZodType | undefined,
  { bytes, json }: Received,
  input: Values,
  errors: FieldError[],
): void {
  if (bytes.length > 0 && json === undefined) {
    throw new ServiceError('invalid_request', 'A body has to be application/json.', { status: 415 })
  }
  const value = json === undefined ? {} : json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    errors.push({ param: '', message: 'the body has to be a JSON object', code: 'invalid_type' })
  } else if (schema) take(schema, value, input, errors)
  else if (endpoint.method !== 'GET') unknownFields(Object.keys(value), errors)
}

function take(schema: z.ZodType, value: unknown, input: Values, errors: FieldError[]): void {
  const result = schema.safeParse(value)
  if (result.success) {
    Object.assign(input, result.data)
    return
  }
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') unknownFields(issue.keys, errors)
    else errors.push({ param: issue.path.join('.'), message: issue.message, code: issue.code ?? 'invalid' })
  }
}

function unknownFields(names: readonly string[], errors: FieldError[]): void {
  for (const param of names) errors.push({ param, message: 'is not known here', code: 'unknown_field' })
}

function part(fields: Fields | undefined): z.ZodType | undefined {
  return fields && z.strictObject({ ...fields })
}

function lowerCased(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name.toLowerCase(), schema]))
}

/** Query parameters that hold numbers: text on the wire. */
function numeric(fields: Fields = {}): readonly string[] {
  return Object.keys(fields).filter((name) => {
    const schema = fields[name]
    return (schema instanceof z.ZodOptional ? schema.unwrap() : schema) instanceof z.ZodNumber
  })
}

function withNumbers(query: Readonly<Record<string, unknown>>, names: readonly string[]): Values {
  const read: Values = { ...query }
  for (const name of names) {
    const text = read[name]
    // A number of any length is one: what is above a limit is capped.
    if (typeof text === 'string' && /^-?\d+$/.test(text)) {
      read[name] = Math.max(Math.min(Number(text), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER)
    }
  }
  return read
}
