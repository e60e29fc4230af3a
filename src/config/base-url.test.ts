import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameBase, normalizeBaseUrl } from './base-url.ts'

test.each([
  ['https://api.example.com/v3', 'https://api.example.com/v3'],
  ['https://api.example.com/v3/', 'https://api.example.com/v3'],
  [' https://API.example.com:443/gateway/v3/ ', 'https://api.example.com/gateway/v3'],
  ['http://127.0.0.1:4010/v3', 'http://127.0.0.1:4010/v3'],
  ['http://127.8.9.10/v3', 'http://127.8.9.10/v3'],
  ['http://[::1]:4010/v3', 'http://[::1]:4010/v3'],
  ['http://localhost:4010/v3/', 'http://localhost:4010/v3'],
])('%s is taken as %s', (text, url) => {
  expect(normalizeBaseUrl(text, '--base-url')).toBe(url)
})

test.each([
  ['api.example.com/v3', 'is not a URL'],
  ['ftp://api.example.com/v3', 'is neither https nor http'],
  ['https://api.example.com', 'does not end in /v3'],
  ['https://api.example.com/v2', 'does not end in /v3'],
  ['https://api.example.com/v3/clients', 'does not end in /v3'],
  ['https://api.example.com/nov3', 'does not end in /v3'],
  ['http://api.example.com/v3', 'is not https'],
  ['http://localhost.example.com/v3', 'is not https'],
  ['http://127.0.0.1.example.com/v3', 'is not https'],
  ['http://128.0.0.1/v3', 'is not https'],
  ['http://0.0.0.0/v3', 'is not https'],
  ['https://ada@api.example.com/v3', 'has a user name'],
  ['https://:pw@api.example.com/v3', 'has a user name'],
  ['https://api.example.com/v3?key=1', 'has a query'],
  ['https://api.example.com/v3?', 'has a query'],
  ['https://api.example.com/v3#top', 'has a query'],
])('%s is refused: %s', (text, reason) => {
  expect(() => normalizeBaseUrl(text, '--base-url')).toThrow(reason)
})

test('a refused address is not repeated: it may be, or hold, a secret', () => {
  for (const text of ['sk_live_pasted', 'https://ada:sk_live_pasted@x/v3', 'https://x/v3?k=sk_live_pasted']) {
    expect(() => normalizeBaseUrl(text, 'BANKAPI_BASE_URL')).toThrow(
      expect.objectContaining({ code: 'base_url_invalid', message: expect.not.stringContaining('sk_live_') }),
    )
  }
})

/** Plain http to this machine, and to names that only look like it. */
const almostHere = fc
  .tuple(
    fc.constantFrom('', 'x.', 'x', '0'),
    fc.constantFrom('localhost', '127.0.0.1', '127.8.9.10', '[::1]'),
    fc.constantFrom('', '.x', 'x', '.1.x', ':4010'),
  )
  .map((parts) => `http://${parts.join('')}`)
const ends = fc.constantFrom('', '/v3', '/v3/')

test('whatever is taken ends in /v3, is https or on this machine, and is taken again unchanged', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), almostHere), ends, (url, end) => {
      try {
        const base = normalizeBaseUrl(url + end, 'x')
        expect(base).toMatch(
          /^(https:\/\/[^/]+|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?)(\/.*)?\/v3$/,
        )
        expect(normalizeBaseUrl(base, 'x')).toBe(base)
      } catch (error) {
        expect(error).toMatchObject({ code: 'base_url_invalid' })
      }
    }),
  )
})

test('the names of this machine count as one server; ports and other hosts tell servers apart', () => {
  expect(isSameBase('http://localhost:4010/v3', 'http://127.0.0.1:4010/v3')).toBe(true)
  expect(isSameBase('http://localhost:4010/v3', 'http://127.0.0.1:4011/v3')).toBe(false)
  expect(isSameBase('https://example.com:4010/v3', 'http://127.0.0.1:4010/v3')).toBe(false)
  expect(isSameBase('https://localhost:4010/v3', 'http://localhost:4010/v3')).toBe(false)
})
