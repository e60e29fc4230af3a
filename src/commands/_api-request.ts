/** Turns the flags of `bankapi api` into a request: fields, files and headers. */
import type { RawRequest } from '../api/raw.ts'
import { UsageError } from '../cli/errors/errors.ts'
import { inputBytes } from '../cli/terminal/input.ts'

export type { RawResponse } from '../api/raw.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** @throws UsageError for a header without a colon, or one that would replace the credential. */
export function requestHeaders(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const colon = header.indexOf(':')
      if (colon < 1)
        throw new UsageError(`"${header}" is not a header`, { hint: 'Write it like -H Name:value' })
      return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()]
    }),
  )
}

/**
 * The body (a query for GET and DELETE) from `-F` fields or `--input`.
 * @throws UsageError for a field without a name, fields that contradict each other, or an unreadable file.
 */
export async function requestBody(
  method: string,
  fields: readonly string[],
  input: string | undefined,
  stdin: NodeJS.ReadStream,
): Promise<Partial<Pick<RawRequest, 'query' | 'body'>>> {
  if (input !== undefined)
    return { body: { bytes: await inputBytes(input, stdin), contentType: 'application/json' } }
  if (fields.length === 0) return {}
  if (method === 'GET' || method === 'DELETE') return { query: Object.fromEntries(fields.map(pair)) }
  const json: { [key: string]: Json } = {}
  for (const [name, value] of fields.map(pair)) put(json, path(name), typed(value), name)
  return { body: { json } }
}

function pair(field: string): [name: string, value: string] {
  const equals = field.indexOf('=')
  if (equals < 1) throw new UsageError(`"${field}" is not a field`, { hint: 'Write it like -F name=value' })
  return [field.slice(0, equals), field.slice(equals + 1)]
}

/** `a.b[]` as `['a', 'b', '']`, the empty step meaning: append. */
function path(name: string): string[] {
  return name.replaceAll('[]', '.').split('.')
}

function typed(value: string): Json {
  if (value === 'true') return true
  if (value === 'false') return false
  if (value === 'null') return null
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(value) ? Number(value) : value
}

function put(target: { [key: string]: Json }, steps: readonly string[], value: Json, name: string): void {
  const [step = '', ...rest] = steps
  const clash = () => new UsageError(`The field ${name} contradicts one before it`)
  if (rest.length === 0) {
    if (Object.hasOwn(target, step)) throw clash()
    define(target, step, value)
    return
  }
  if (rest.length === 1 && rest[0] === '') {
    const list = Object.hasOwn(target, step) ? target[step] : []
    if (!Array.isArray(list)) throw clash()
    define(target, step, [...list, value])
    return
  }
  if (!Object.hasOwn(target, step)) define(target, step, {})
  const inner = target[step]
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) throw clash()
  put(inner, rest, value, name)
}

/** Defines a property; an assignment to `__proto__` would not. */
function define(target: object, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}
