/** The settings' own method and path for an operation whose place the reference does not show. */
import type { Endpoint } from '../contract/endpoint.ts'
import { InputError } from './errors.ts'
import { isUnsafeSegment, placeholders } from './path.ts'

/** Where a request goes: the endpoint's method and path, or those of the settings. */
export interface Place {
  readonly method: string
  readonly path: string
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Method and path of an operation. `override` is `POST /webhooks/{subscription_id}/fire`; it names every path
 * parameter of the endpoint and no other.
 * @throws InputError when it does not, or when the operation is documented and so not a matter of settings.
 */
export function placeOf(name: string, endpoint: Endpoint, override: string | undefined): Place {
  if (override === undefined) return { method: endpoint.method, path: endpoint.path }
  const [, method = '', path = ''] = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/.exec(override) ?? []
  const wanted = Object.keys(endpoint.params ?? {}).sort()
  const found = placeholders(path).sort()

  if (endpoint.origin === 'documented')
    refuse(name, 'the reference documents this operation; it cannot be moved')
  if (!methods.includes(method.toUpperCase())) refuse(name, `"${override}" is not a method and a path`)
  if (wanted.join() !== found.join()) refuse(name, `the path must hold exactly: ${list(wanted)}`)
  if (path.slice(1).split('/').some(isUnsafeSegment) || /[?#]/.test(path))
    refuse(name, 'the path is not a plain path')
  return { method: method.toUpperCase(), path }
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no {parameter}' : names.map((name) => `{${name}}`).join(', ')
}

function refuse(name: string, why: string): never {
  throw new InputError('invalid_endpoint_override', `endpoints.${name}: ${why}`, {
    param: `endpoints.${name}`,
    hint: `Set it like "POST /path/{parameter}", or remove it: bankapi config unset endpoints.${name}`,
  })
}
