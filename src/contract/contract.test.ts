import { describe, expect, it } from 'vitest'
import { everyEndpoint } from './contract.ts'
import { authOf, successOf } from './endpoint.ts'
import { errorCodes } from './errors.ts'
import { allows } from './scopes.ts'

describe.each(everyEndpoint().map((row) => [`${row.area}.${row.name}`, row.endpoint] as const))(
  '%s',
  (_, endpoint) => {
    it('declares exactly the parameters of its path', () => {
      const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(Object.keys(endpoint.params ?? {})).toEqual(inPath)
    })

    it('has one success status', () => {
      expect(Object.keys(endpoint.success)).toHaveLength(1)
      expect(successOf(endpoint).status).toBeGreaterThanOrEqual(200)
    })

    it('takes limit and cursor exactly when it is paged', () => {
      const names = Object.keys(endpoint.query ?? {})
      expect(names.includes('limit') && names.includes('cursor')).toBe(endpoint.paged ?? false)
    })

    it('says what is assumed when its path is', () => {
      if (endpoint.origin === 'assumed') expect(endpoint.assumes).toMatch(/\w/)
    })

    it('names a scope only where a key is asked for', () => {
      if (authOf(endpoint) !== 'bearer') expect(endpoint.scope).toBeNull()
    })

    it('never lets a POST be sent again after an unknown outcome that the reference warns about', () => {
      const dangerous = /^\/clients$|\/connections$|\/refresh$|\/reauthorize$/
      if (endpoint.method === 'POST' && dangerous.test(endpoint.path))
        expect(endpoint.retry).toMatch(/^(if-refused|never)$/)
    })

    it('is safe to send again only as a GET or a DELETE', () => {
      if (endpoint.retry === 'safe') expect(endpoint.method).toMatch(/^(GET|DELETE)$/)
    })
  },
)

it('no two operations share a method and path', () => {
  const requests = everyEndpoint().map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)
  expect(new Set(requests).size).toBe(requests.length)
})

it('every code says when it happens and what to do next', () => {
  for (const { condition, hint } of Object.values(errorCodes)) {
    expect(condition).toMatch(/\w/)
    expect(hint).toMatch(/\w/)
  }
})

describe('scopes', () => {
  it('a key may do what it was given and nothing else', () => {
    expect(allows(['read:accounts'], 'read:accounts')).toBe(true)
    expect(allows(['read:accounts'], 'read:checks')).toBe(false)
    expect(allows([], null)).toBe(true)
  })

  it('manage:webhooks includes reading and writing webhooks', () => {
    expect(allows(['manage:webhooks'], 'read:webhooks')).toBe(true)
    expect(allows(['manage:webhooks'], 'write:webhooks')).toBe(true)
    expect(allows(['manage:webhooks'], 'write:api-keys')).toBe(false)
  })
})
