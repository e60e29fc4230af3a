import { describe, expect, it } from 'vitest'
import { fakeApi, fakeClock } from '../../test/support/fake-api.ts'
import { ApiResponseError, UnreadableResponseError } from '../api/errors.ts'
import type { ApiKey } from '../contract/keys.ts'
import {
  assertNotInUse,
  currentScopes,
  findKey,
  findListedKey,
  isPrefix,
  scopeDifference,
} from './rotate-scopes.ts'

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

describe('finding a key', () => {
  /** Lists these keys, one on each page, or fails. */
  function listing(keys: readonly ApiKey[] | Error) {
    const asked: { limit?: number; signal?: AbortSignal }[] = []
    const list = async (
      { limit, cursor = '0' }: { limit?: number; cursor?: string },
      { signal }: { signal?: AbortSignal } = {},
    ) => {
      asked.push({ ...(limit === undefined ? {} : { limit }), ...(signal === undefined ? {} : { signal }) })
      if (keys instanceof Error) throw keys
      const at = Number(cursor)
      return { data: keys.slice(at, at + 1), has_more: at + 1 < keys.length, next_cursor: String(at + 1) }
    }
    const context = {
      api: fakeApi({ keys: { list: list as never } }),
      clock: fakeClock(),
      signal: new AbortController().signal,
    }
    return { context, asked }
  }

  const one = key({ id: 'one' })
  const other = key({ id: 'other', prefix: 'sk_test_zz99' })
  const revoked = key({ id: 'revoked', status: 'revoked' })

  it('by its id, on any page, whatever its status', async () => {
    const { context, asked } = listing([one, other, revoked])
    expect(await findKey(context, { id: 'other' })).toEqual(other)
    expect(await findKey(context, { id: 'revoked' })).toEqual(revoked)
    expect(await findKey(context, { id: 'nobody' })).toBeUndefined()
    expect(asked[0]).toEqual({ limit: 500, signal: context.signal })
  })

  it('by the prefix of the key in use, of the active ones; none when several fit', async () => {
    const which = { secretInUse: 'sk_test_ab12cdef' }
    expect(await findKey(listing([revoked, other, one]).context, which)).toEqual(one)
    expect(await findKey(listing([one, key({ id: 'twin' })]).context, which)).toBeUndefined()
    expect(await findKey(listing([]).context, which)).toBeUndefined()
  })

  it('tells nothing when the list is refused or cannot be read, and throws anything else', async () => {
    const unreadable = new UnreadableResponseError({
      reason: 'paging',
      message: 'No list.',
      hint: '',
      operation: undefined,
    })
    expect(await findListedKey(listing([one]).context, 'one')).toEqual(one)
    expect(await findListedKey(listing(unreadable).context, 'one')).toBeUndefined()
    expect(await findListedKey(listing(refused()).context, 'one')).toBeUndefined()
    const fault = new TypeError('a fault')
    await expect(findListedKey(listing(fault).context, 'one')).rejects.toBe(fault)
  })

  function refused(): ApiResponseError {
    return new ApiResponseError({
      error: { code: 'insufficient_scope', message: 'No.' },
      httpStatus: 403,
      traceId: undefined,
      operation: { method: 'GET', path: '/api-keys' },
      envelope: true,
      assumedEndpoint: true,
      replayed: false,
      retryAfterMs: undefined,
    })
  }
})

it('scopes that are no list of names cannot be read', () => {
  expect(currentScopes(key())).toEqual(['read:clients', 'write:api-keys'])
  for (const scopes of [undefined, null, 'read:clients', [{ name: 'read:clients' }]]) {
    expect(currentScopes({ ...key(), scopes: scopes as never })).toBeUndefined()
  }
})
