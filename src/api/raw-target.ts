/** Where a raw request goes: below the base address and nowhere else. */
import type { Base } from './base.ts'
import { InputError } from './errors.ts'
import { isUnsafeSegment } from './path.ts'
import { type Query, queryString } from './query.ts'

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
export function rawTarget(base: Base, given: string, more: Query): RawTarget {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not pass
  if (/[\u0000-\u001f\u007f\\#]/.test(given)) refuse(given, 'it holds a character that no path has')
  const [rawPath = '', ...rest] = withinOrigin(base, given).split('?')
  const path = below(base, `/${rawPath.replace(/^\//, '')}`)
  if (path.slice(1).split('/').some(isUnsafeSegment)) {
    refuse(given, 'every part between two slashes must be plain, and not . or ..')
  }

  const url = new URL(base.origin + base.root + path)
  url.search = rest.join('?')
  const added = queryString(more)
  const query = url.search === '' ? added : url.search + added.replace('?', '&')
  return { target: url.pathname + query, path: url.pathname.slice(base.root.length), query }
}

/** The path and query of a whole address of this service; anything else unchanged. */
function withinOrigin(base: Base, given: string): string {
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

function below(base: Base, path: string): string {
  const version = base.root.slice(base.root.lastIndexOf('/'))
  for (const prefix of [base.root, version]) {
    if (prefix !== '' && path.startsWith(`${prefix}/`)) return path.slice(prefix.length)
  }
  return path
}

function refuse(path: string, why: string): never {
  throw new InputError('invalid_path', `${JSON.stringify(path)} is not a path of the API: ${why}`, {
    param: 'path',
    hint: 'Give it like /accounts or /v3/accounts',
  })
}
