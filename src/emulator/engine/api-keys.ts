/** API keys: the secret once, the scopes as a whole, revoked for good. */

import { scopes as knownScopes } from '../../contract/scopes.ts'
import { keyPrefixes } from '../../contract/service.ts'
import type { ApiKeyRow } from '../store/api-keys.ts'
import type { Tenant } from '../store/tenants.ts'
import { type Engine, isoNow } from './engine.ts'
import { hashKey } from './keyring.ts'
import { Problem } from './problem.ts'

/** Characters of a key that are safe to show. */
const shown = 12

/** Stores a key and returns its id. The plaintext is stored nowhere. */
export function addKey(engine: Engine, tenant: Tenant, plaintext: string, scopes: readonly string[]): string {
  checkScopes(scopes)
  const id = engine.ids.uuid('api-key')
  engine.store.apiKeys.add({
    tenant: tenant.seq,
    id,
    hash: hashKey(plaintext),
    prefix: plaintext.slice(0, shown),
    scopes: JSON.stringify([...new Set(scopes)]),
    status: 'active',
    created_at: isoNow(engine),
  })
  return id
}

export function newPlaintext({ ids }: Engine, { environment }: Tenant): string {
  return `${keyPrefixes[environment]}${ids.hex('api-key-secret', 40)}`
}

/** `scopes` is the complete final set. A revoked key cannot be re-scoped. */
export function setScopes({ store }: Engine, key: ApiKeyRow, scopes: readonly string[]): void {
  checkScopes(scopes)
  if (key.status === 'revoked') {
    throw new Problem('invalid_request', 'A revoked key cannot be re-scoped: create a new one.')
  }
  store.apiKeys.change(key.seq, { scopes: JSON.stringify([...new Set(scopes)]) })
}

/** Terminal; again is no error. */
export function revokeKey(engine: Engine, key: ApiKeyRow): void {
  if (key.status === 'revoked') return
  engine.store.apiKeys.change(key.seq, { status: 'revoked', revoked_at: isoNow(engine) })
}

function checkScopes(scopes: readonly string[]): void {
  const errors = scopes.flatMap((scope, index) =>
    (knownScopes as readonly string[]).includes(scope)
      ? []
      : [{ param: `scopes.${index}`, message: `${scope} is not a scope`, code: 'unknown_scope' }],
  )
  const [first] = errors
  if (first)
    throw new Problem('validation_failed', `${first.param}: ${first.message}`, { param: first.param, errors })
}
