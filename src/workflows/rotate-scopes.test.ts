import { describe, expect, it } from 'vitest'
import type { ApiKey } from '../contract/keys.ts'
import { assertNotInUse, currentScopes, isPrefix, scopeDifference } from './rotate-scopes.ts'

const key = (changes: Partial<ApiKey> = {}): ApiKey => ({
  id: '3f0c8a52-6a1e-4c0b-9f53-0d6f7f1b2a11',
  environment: 'sandbox',
  prefix: 'sk_test_ab12',
  scopes: ['read:clients', 'write:api-keys'],
  status: 'active',
  created_at: '2026-01-01T00:00:00Z',
  ...changes,
})

describe('the final set of scopes', () => {
  it('is the current one with what is added and without what is removed', () => {
    expect(
      scopeDifference(['read:clients', 'read:checks'], { add: ['read:accounts'], remove: ['read:checks'] }),
    ).toEqual({
      after: ['read:clients', 'read:accounts'],
      added: ['read:accounts'],
      removed: ['read:checks'],
    })
  })

  it('is exactly what is set', () => {
    expect(scopeDifference(['read:clients'], { set: ['read:checks'] }).after).toEqual(['read:checks'])
  })

  it('keeps the scopes that the contract does not know, unless they are taken away', () => {
    const current = ['read:reports', 'read:clients']
    expect(scopeDifference(current, { add: ['read:checks'], remove: [] })).toEqual({
      after: ['read:clients', 'read:checks', 'read:reports'],
      added: ['read:checks'],
      removed: [],
    })
    expect(scopeDifference(current, { add: [], remove: ['read:reports'] })).toEqual({
      after: ['read:clients'],
      added: [],
      removed: ['read:reports'],
    })
    expect(scopeDifference(current, { set: ['read:clients'] }).removed).toEqual(['read:reports'])
  })

  it('does not change by adding what is there or removing what is not', () => {
    const same = scopeDifference(['read:clients'], { add: ['read:clients'], remove: ['read:checks'] })
    expect(same).toEqual({ after: ['read:clients'], added: [], removed: [] })
  })
})

describe('the lock', () => {
  it('keeps write:api-keys on the key in use', () => {
    expect(() => assertNotInUse(key(), 'sk_test_ab12cdef')).toThrow(
      expect.objectContaining({ code: 'lockout', exit: 'usage' }),
    )
  })

  it('lets another key lose it', () => {
    expect(() => assertNotInUse(key(), 'sk_test_zz99cdef')).not.toThrow()
  })

  it('a prefix that is no longer than the environment says nothing about a key', () => {
    expect(isPrefix(key({ prefix: 'sk_test_' }), 'sk_test_ab12cdef')).toBeUndefined()
    expect(isPrefix({}, 'sk_test_ab12cdef')).toBeUndefined()
    expect(isPrefix(key(), 'sk_test_zz99cdef')).toBe(false)
  })
})

it('scopes that are no list of names cannot be read', () => {
  expect(currentScopes(key())).toEqual(['read:clients', 'write:api-keys'])
  for (const scopes of [undefined, null, 'read:clients', [{ name: 'read:clients' }]]) {
    expect(currentScopes({ ...key(), scopes: scopes as never })).toBeUndefined()
  }
})
