import { ApiResponseError, UnreadableResponseError } from '../api/errors.ts'
import { items } from '../api/pages.ts'
import type { ApiKey } from '../contract/keys.ts'
import { scopes as everyScope } from '../contract/scopes.ts'
import { BankapiError } from '../errors.ts'
import type { WorkflowContext } from './context.ts'

/** A change to a key's scopes. PATCH takes the complete final set, so a change starts from the current one. */
export type ScopeChange =
  | { readonly set: readonly string[] }
  | { readonly add: readonly string[]; readonly remove: readonly string[] }

export interface ScopeDifference {
  /** The complete final set: in the order of the reference, then those it does not name. */
  readonly after: readonly string[]
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

interface Page {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** The final set of scopes and how it differs from the current one. A key may have scopes that the contract does not know. */
export function scopeDifference(current: readonly string[], change: ScopeChange): ScopeDifference {
  const wanted = new Set<string>('set' in change ? change.set : [...current, ...change.add])
  if ('remove' in change) for (const scope of change.remove) wanted.delete(scope)
  const after = [...new Set<string>([...everyScope, ...wanted])].filter((scope) => wanted.has(scope))
  return {
    after,
    added: after.filter((scope) => !current.includes(scope)),
    removed: current.filter((scope) => !wanted.has(scope)),
  }
}

/**
 * Finds a key by its id, or the one whose displayable prefix fits the key in use.
 * Returns undefined when there is none, or when several fit the prefix.
 */
export async function findKey(
  { api, signal }: WorkflowContext<never>,
  which: { readonly id: string } | { readonly secretInUse: string },
): Promise<ApiKey | undefined> {
  const found: ApiKey[] = []
  for await (const key of items((page: Page) => api.keys.list(page, { signal }), { limit: 500 })) {
    const fits =
      'id' in which
        ? isSameId(key.id, which.id)
        : key.status === 'active' && isPrefix(key, which.secretInUse) === true
    if (fits) found.push(key)
  }
  return found.length === 1 ? found[0] : undefined
}

/**
 * Finds a key by its id. Returns undefined when it cannot be told: the assumed list is not there, not allowed or not
 * readable, or has no such key. Rejects with a failure that may pass.
 */
export async function findListedKey(
  context: WorkflowContext<never>,
  id: string,
): Promise<ApiKey | undefined> {
  try {
    return await findKey(context, { id })
  } catch (error) {
    if (error instanceof ApiResponseError && [403, 404, 405].includes(error.httpStatus)) return undefined
    if (error instanceof UnreadableResponseError && error.reason !== 'cut') return undefined
    throw error
  }
}

/** Ids are UUIDs, which mean the same in either case. */
function isSameId(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
}

/** A key as far as it is known: rows of the assumed list may lack anything. */
export type ListedKey = Pick<ApiKey, 'id'> & Partial<ApiKey>

/** The current scopes; undefined where they cannot be read. */
export function currentScopes({ scopes }: ListedKey): readonly string[] | undefined {
  return Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string') ? scopes : undefined
}

/** Whether a key may be the one in use, by the prefix that is safe to display; undefined where that says nothing. */
export function isPrefix({ prefix }: Partial<ApiKey>, secret: string): boolean | undefined {
  const shown = typeof prefix === 'string' ? prefix.replace(/[.…*]+$/, '') : ''
  return shown.length > 'sk_test_'.length ? secret.startsWith(shown) : undefined
}

/** @throws BankapiError `lockout` for the key in use, which could not take back the scope to change keys. */
export function assertNotInUse(key: Partial<ApiKey>, secretInUse: string): void {
  if (isPrefix(key, secretInUse) !== true) return
  throw new BankapiError('This is the key in use: without write:api-keys it could never change a key again', {
    code: 'lockout',
    exit: 'usage',
    hint: 'Do it with another key that has write:api-keys',
  })
}
