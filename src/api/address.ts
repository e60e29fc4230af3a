/** Builds the address of a request. Neither a parameter nor a raw path can make it leave the base URL. */
import type { Endpoint } from '../contract/endpoint.ts'
import { isBelowRoot, type MethodAndPath, readOverride, withoutRoot } from '../contract/overrides.ts'
import { basePath } from '../contract/service.ts'
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

/**
 * Method and path of an operation: the endpoint's own, or those that the settings give it.
 * @throws InputError when these cannot be used, or when the reference documents the operation.
 */
export function methodAndPathOf(
  name: string,
  endpoint: Endpoint,
  override: string | undefined,
): MethodAndPath {
  if (override === undefined) return { method: endpoint.method, path: endpoint.path }
  const read = readOverride(endpoint, override)
  if (!('fault' in read)) return read
  throw new InputError('invalid_endpoint_override', `The setting endpoints.${name} ${read.fault}`, {
    param: `endpoints.${name}`,
    hint: `Where it is set: bankapi config list. Remove it: bankapi config unset endpoints.${name}`,
  })
}

/** The template from the root of the origin: `/v3/accounts/{account_id}`. */
export function templateAt({ root }: BaseAddress, path: string): string {
  if (!isBelowRoot(path)) return root + path
  return (root.endsWith(basePath) ? root.slice(0, -basePath.length) : root) + withoutRoot(path)
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
