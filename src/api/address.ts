/** Builds the address of a request. Neither a parameter nor a raw path can make it leave the base URL. */
import type { Endpoint } from '../contract/endpoint.ts'
import { InputError } from './errors.ts'

export interface BaseAddress {
  /** `https://api.example.com` */
  readonly origin: string
  /** `/v3`, or the empty string: never with a slash at its end. */
  readonly root: string
}

/**
 * The base of a base URL.
 * @throws InputError unless it is http or https, without credentials (a key is not an address), query or fragment.
 */
export function baseOf(baseUrl: string): BaseAddress {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const plain = url && !url.username && !url.password && !url.search && !url.hash
  if (plain && ['http:', 'https:'].includes(url.protocol)) {
    return { origin: url.origin, root: url.pathname.replace(/\/+$/, '') }
  }
  throw new InputError('invalid_base_url', 'The base URL is not a plain http or https address', {
    param: 'base_url',
    hint: 'It looks like https://api.example.com/v3: bankapi login --base-url …',
  })
}

const placeholder = /\{([^{}]*)\}/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is there to reject them
const unsafe = /[/\\\u0000-\u001f\u007f-\u009f]/

/** Names of the parameters in a template, in order. */
function placeholders(template: string): string[] {
  return Array.from(template.matchAll(placeholder), ([, name]) => name ?? '')
}

/**
 * The template with its parameters filled in and percent-encoded.
 * @throws InputError for a parameter that is missing, empty, `.` or `..`, or holds a slash or a control character.
 */
export function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(placeholder, (_, name: string) => encodeSegment(name, params[name]))
}

function encodeSegment(name: string, value: unknown): string {
  if (value === undefined || value === null || value === '') {
    throw new InputError('missing_parameter', `${name} is missing`, { param: name, hint: `Give a ${name}` })
  }
  const text = String(value)
  if (unsafe.test(text) || isDots(text) || !text.isWellFormed()) {
    throw new InputError('invalid_parameter', `${name} cannot be part of an address`, {
      param: name,
      hint: 'An id is neither . nor .., and holds no slash and no control character',
    })
  }
  return encodeURIComponent(text)
}

/** Segments that a URL parser would resolve instead of sending. */
function isDots(segment: string): boolean {
  return segment === '.' || segment === '..'
}

/** Whether a segment is empty or, once decoded, would change the path it stands in. */
function isUnsafeSegment(segment: string): boolean {
  let decoded: string
  try {
    decoded = decodeURIComponent(segment)
  } catch {
    return true
  }
  return decoded === '' || unsafe.test(decoded) || isDots(decoded)
}

export type QueryValue = string | number | boolean | null | undefined
export type Query = Readonly<Record<string, unknown>>

/** `?a=1&b=2`, or the empty string when nothing is left. */
export function queryString(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one))
    }
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** The method and path of an operation: the endpoint's own, or those of the settings. */
export interface MethodAndPath {
  readonly method: string
  readonly path: string
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Method and path of an operation. `override` is `POST /webhooks/{subscription_id}/fire`; it names every path
 * parameter of the endpoint and no other.
 * @throws InputError when it does not, or when the reference documents the operation.
 */
export function methodAndPathOf(
  name: string,
  endpoint: Endpoint,
  override: string | undefined,
): MethodAndPath {
  if (override === undefined) return { method: endpoint.method, path: endpoint.path }
  const [, method = '', path = ''] = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/.exec(override) ?? []
  const wanted = Object.keys(endpoint.params ?? {}).sort()
  const found = placeholders(path).sort()

  if (endpoint.origin === 'documented')
    refuseOverride(name, 'the reference documents this operation; it cannot be moved')
  if (!methods.includes(method.toUpperCase()))
    refuseOverride(name, `"${override}" is not a method and a path`)
  if (wanted.join() !== found.join()) refuseOverride(name, `the path must hold exactly: ${list(wanted)}`)
  if (path.slice(1).split('/').some(isUnsafeSegment) || /[?#]/.test(path))
    refuseOverride(name, 'the path is not a plain path')
  return { method: method.toUpperCase(), path }
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no {parameter}' : names.map((name) => `{${name}}`).join(', ')
}

function refuseOverride(name: string, why: string): never {
  throw new InputError('invalid_endpoint_override', `endpoints.${name}: ${why}`, {
    param: `endpoints.${name}`,
    hint: `Set it like "POST /path/{parameter}", or remove it: bankapi config unset endpoints.${name}`,
  })
}

export interface RawTarget {
  /** Path and query from the root of the origin, encoded. */
  readonly target: string
  /** The path below the base: `/accounts`. */
  readonly path: string
  /** `?…`, or the empty string. */
  readonly query: string
}

/**
 * Takes `/accounts`, `accounts`, `/v3/accounts?limit=5` or the whole address of the same service.
 * @throws InputError for another origin, for `..` in any spelling, and for what is no path.
 */
export function rawTarget(base: BaseAddress, given: string, more: Query): RawTarget {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is there to reject them
  if (/[\u0000-\u001f\u007f\\#]/.test(given)) refusePath(given, 'it holds a character that no path has')
  const [rawPath = '', ...rest] = withinOrigin(base, given).split('?')
  const path = below(base, `/${rawPath.replace(/^\//, '')}`)
  if (path.slice(1).split('/').some(isUnsafeSegment)) {
    refusePath(given, 'every part between two slashes must be plain, and not . or ..')
  }

  const url = new URL(base.origin + base.root + path)
  url.search = rest.join('?')
  const added = queryString(more)
  const query = url.search === '' ? added : url.search + added.replace('?', '&')
  return { target: url.pathname + query, path: url.pathname.slice(base.root.length), query }
}

/** The path and query of a whole address of this service; anything else unchanged. */
function withinOrigin(base: BaseAddress, given: string): string {
  if (!/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(given)) return given
  const url = URL.canParse(given, base.origin) ? new URL(given, base.origin) : undefined
  if (url?.origin === base.origin && url.username === '' && url.password === '') {
    return given.slice(given.indexOf('/', given.indexOf('//') + 2))
  }
  throw new InputError('other_origin', `That address is not at ${base.origin}`, {
    param: 'path',
    hint: 'Give the path alone: /accounts. Another service: --base-url',
  })
}

function below(base: BaseAddress, path: string): string {
  const version = base.root.slice(base.root.lastIndexOf('/'))
  for (const prefix of [base.root, version]) {
    if (prefix !== '' && path.startsWith(`${prefix}/`)) return path.slice(prefix.length)
  }
  return path
}

function refusePath(path: string, why: string): never {
  throw new InputError('invalid_path', `${JSON.stringify(path)} is not a path of the API: ${why}`, {
    param: 'path',
    hint: 'Give it like /accounts or /v3/accounts',
  })
}
