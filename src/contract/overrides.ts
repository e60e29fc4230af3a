/** Reads the method and path that a setting gives an operation whose own are assumed: `GET {root}/healthz`. */
import type { Endpoint } from './endpoint.ts'
import { basePath } from './service.ts'

export interface MethodAndPath {
  readonly method: string
  /** Relative to `{base_url}`; below the service's root, beside `/v3`, when it begins with `{root}`. */
  readonly path: string
}

/** Stands for the service's root at the beginning of a path: the base URL without its `/v3`. */
const rootPlaceholder = '{root}'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const form =
  'must be a method and a path, such as GET /reports/{id}, or GET {root}/healthz for a path beside the /v3 of the base URL'

/**
 * The method and path in `text`, or what is wrong with it: the end of a sentence whose beginning names the setting. The text is
 * not repeated, since a secret may have been pasted there.
 */
export function readOverride(endpoint: Endpoint, text: string): MethodAndPath | { readonly fault: string } {
  if (endpoint.origin === 'documented') {
    return {
      fault: `cannot be set: the reference shows its method and path, ${endpoint.method} ${endpoint.path}`,
    }
  }
  const [, given = '', path = ''] = /^\s*([A-Za-z]+)\s+((?:\{root\})?\/\S*)\s*$/.exec(text) ?? []
  const method = given.toUpperCase()
  if (!methods.includes(method)) return { fault: form }
  if (method === 'GET' && endpoint.body !== undefined)
    return { fault: 'cannot be a GET: the operation sends a body' }
  const relative = withoutRoot(path)
  if (relative.includes(rootPlaceholder)) {
    return { fault: `may have ${rootPlaceholder} only at the beginning of its path` }
  }
  const wanted = Object.keys(endpoint.params ?? {}).sort()
  const found = placeholders(relative).sort()
  if (wanted.join() !== found.join()) return { fault: `must have ${list(wanted)} in its path` }
  if (!isPlain(relative)) return { fault: form }
  return { method, path }
}

/** The path without `{root}`, where it begins with that. */
export function withoutRoot(path: string): string {
  return isBelowRoot(path) ? path.slice(rootPlaceholder.length) : path
}

export function isBelowRoot(path: string): boolean {
  return path.startsWith(`${rootPlaceholder}/`)
}

/** Whether both reach the same operation of a service. The names of parameters do not count; `{root}/v3` is the base URL. */
export function isSameRequest(one: MethodAndPath, other: MethodAndPath): boolean {
  return one.method === other.method && shape(one.path) === shape(other.path)
}

function shape(path: string): string {
  const base = rootPlaceholder + basePath
  const relative = path.startsWith(`${base}/`) ? path.slice(base.length) : path
  return relative.replaceAll(/\{\w+\}/g, '{}')
}

/** Names of the parameters in a template, in order. */
function placeholders(template: string): string[] {
  return Array.from(template.matchAll(/\{([^{}]*)\}/g), ([, name]) => name ?? '')
}

/** Whether each part between two slashes is sent as it is written, and none is empty, `.` or `..`. */
function isPlain(path: string): boolean {
  if (path === '/') return true
  const parts = path.slice(1).split('/')
  return parts.every((part) => {
    const text = part.replaceAll(/\{\w+\}/g, 'x')
    return /^[\w\-.~!$&'()*+,;=:@]+$/.test(text) && !/^\.\.?$/.test(text)
  })
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no {parameter}' : `exactly ${names.map((name) => `{${name}}`).join(', ')}`
}
