/** API keys: created, given scopes, revoked, and identified from the Authorization header. */
import { createHash } from 'node:crypto'
import { allows, scopes as knownScopes, type Scope } from '../../contract/scopes.ts'
import { keyPrefixes } from '../../contract/service.ts'
import type { ApiKeyRow } from '../store/api-keys.ts'
import type { Tenant } from '../store/customers.ts'
import { isDiskFull } from '../store/database.ts'
import { type Engine, isoNow, tenantOf } from './engine.ts'
import { invalidFields, ServiceError } from './errors.ts'
import { second } from './schedule.ts'

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
  return `${keyPrefixes[environment]}${ids.secret('api-key-secret', 40)}`
}

/** `scopes` is the complete final set. A revoked key cannot be re-scoped. */
export function setScopes({ store }: Engine, key: ApiKeyRow, scopes: readonly string[]): void {
  checkScopes(scopes)
  if (key.status === 'revoked') {
    throw new ServiceError('invalid_request', 'A revoked key cannot be re-scoped: create a new one.')
  }
  store.apiKeys.change(key.seq, { scopes: JSON.stringify([...new Set(scopes)]) })
}

/** Final; a second call does nothing. */
export function revokeKey(engine: Engine, key: ApiKeyRow): void {
  if (key.status === 'revoked') return
  engine.store.apiKeys.change(key.seq, { status: 'revoked', revoked_at: isoNow(engine) })
}

function checkScopes(scopes: readonly string[]): void {
  const errors = scopes.flatMap((scope, index) =>
    (knownScopes as readonly string[]).includes(scope)
      ? []
      : [{ param: `scopes.${index}`, message: 'is not a scope', code: 'unknown_scope' }],
  )
  if (errors.length > 0) throw invalidFields(errors)
}

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

export interface Authenticator {
  /** The active key of an Authorization header. Throws `unknown_api_key`. */
  authenticate(authorization: string | undefined): Key
  /** Call it after any change of keys, so that the next request sees the change. */
  forget(): void
}

function hashKey(plaintext: string): string {
  return createHash('sha256').update(plaintext).digest('hex')
}

/** Keeps the keys it has looked up until `forget`. */
export function createAuthenticator(engine: Engine): Authenticator {
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
    authenticate(authorization) {
      const plaintext = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
      const found = plaintext === undefined ? undefined : (known.get(plaintext) ?? lookUp(plaintext))
      if (!found)
        throw new ServiceError('unknown_api_key', 'The API key is missing, or matches no active key.')
      const now = engine.clock.now()
      // Written at most once a second: a read should not cost a write.
      if (Math.abs(now - found.usedAt) >= second) {
        found.usedAt = now
        noteUse(engine, found.key, now)
      }
      return found.key
    },
    forget: () => known.clear(),
  }
}

/** A full disk is no reason to refuse a read: then it is not noted. */
function noteUse({ store }: Engine, { seq }: Key, now: number): void {
  try {
    store.apiKeys.change(seq, { last_used_at: new Date(now).toISOString() })
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/** Throws `insufficient_scope`. */
export function checkScope({ scopes }: Key, scope: Scope | null): void {
  if (allows(scopes, scope)) return
  throw new ServiceError('insufficient_scope', `The key lacks the scope ${scope}.`)
}
