/** Who is calling: API keys, looked up by the hash of their plaintext and kept at hand until one changes. */
import { createHash } from 'node:crypto'
import { allows, type Scope } from '../../contract/scopes.ts'
import type { Tenant } from '../store/tenants.ts'
import { type Engine, second, tenantOf } from './engine.ts'
import { Problem } from './problem.ts'

export interface Key {
  readonly seq: number
  readonly id: string
  readonly tenant: Tenant
  readonly scopes: readonly string[]
}

interface Known {
  readonly key: Key
  usedAt: number
}

export interface Keyring {
  /** The active key of an Authorization header. Throws `unknown_api_key`. */
  identify(authorization: string | undefined): Key
  /** To be called after any change of keys: it applies to the next request. */
  forget(): void
}

export function hashKey(plaintext: string): string {
  return createHash('sha256').update(plaintext).digest('hex')
}

export function createKeyring(engine: Engine): Keyring {
  const known = new Map<string, Known>()

  function lookUp(plaintext: string): Known | undefined {
    const row = engine.store.apiKeys.byHash(hashKey(plaintext))
    if (row?.status !== 'active') return undefined
    const scopes = JSON.parse(row.scopes) as string[]
    const key: Key = { seq: row.seq, id: row.id, tenant: tenantOf(engine, row.tenant), scopes }
    const found = { key, usedAt: 0 }
    known.set(plaintext, found)
    return found
  }

  return {
    identify(authorization) {
      const plaintext = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
      const found = plaintext === undefined ? undefined : (known.get(plaintext) ?? lookUp(plaintext))
      if (!found) throw new Problem('unknown_api_key', 'The API key is missing, or matches no active key.')
      const now = engine.clock.now()
      // Written at most once a second: a read should not cost a write.
      if (Math.abs(now - found.usedAt) >= second) {
        found.usedAt = now
        engine.store.apiKeys.change(found.key.seq, { last_used_at: new Date(now).toISOString() })
      }
      return found.key
    },
    forget: () => known.clear(),
  }
}

/** Throws `insufficient_scope`. */
export function checkScope({ scopes }: Key, scope: Scope | null): void {
  if (allows(scopes, scope)) return
  throw new Problem('insufficient_scope', `The key lacks the scope ${scope}.`)
}
