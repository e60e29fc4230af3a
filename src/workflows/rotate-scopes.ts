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
    if ('id' in which ? key.id === which.id : key.status === 'active' && isPrefix(key, which.secretInUse)) {
      found.push(key)
    }
  }
  return found.length === 1 ? found[0] : undefined
}

/** Finds a key by its id. Returns undefined when it cannot be told: the list is refused, or has no such key. */
export async function findListedKey(
  context: WorkflowContext<never>,
  id: string,
): Promise<ApiKey | undefined> {
  try {
    return await findKey(context, { id })
  } catch (error) {
    if (error instanceof ApiResponseError || error instanceof UnreadableResponseError) return undefined
    throw error
  }
}

/** Whether a key may be the one in use, by the prefix that is safe to display. */
export function isPrefix({ prefix }: ApiKey, secret: string): boolean {
  const shown = prefix.replace(/[.…*]+$/, '')
  return shown.length > 'sk_test_'.length && secret.startsWith(shown)
}

/** @throws BankapiError `lockout` when the key in use would lose the scope to change keys: it could not take it back. */
export function assertNoLockout(key: ApiKey, difference: ScopeDifference, secretInUse: string): void {
  if (!difference.removed.includes('write:api-keys') || !isPrefix(key, secretInUse)) return
  throw new BankapiError('This is the key in use: without write:api-keys it could never change a key again', {
    code: 'lockout',
    exit: 'usage',
    hint: 'Do it with another key that has write:api-keys',
  })
}
