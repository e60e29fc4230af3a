import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wildcards } from './wildcards.ts'

test.each([
  ['/connections/*/refresh', '/connections/con_1/refresh', true],
  ['/connections/*/refresh', '/connections/con_1/accounts/refresh', false],
  ['/connections/*/refresh', '/connections//refresh', true],
  ['/clients/**', '/clients/cli_demo/connections', true],
  ['**', '', true],
  ['*', '/', false],
  ['connection.*', 'connection.active', true],
  ['connection.*', 'connectionXactive', false],
  ['/a', '/ab', false],
  ['/ab', '/a', false],
  ['/(a|b)+$', '/(a|b)+$', true],
  ['/é*', '/é😀', true],
])('%s and %s: %s', (pattern, text, fits) => {
  expect(wildcards(pattern)(text)).toBe(fits)
})

test('says what a regular expression with the same meaning says, for any pattern and text', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 })
  fc.assert(
    fc.property(word, word, (pattern, text) => {
      const source = pattern.replaceAll(/\*\*|\*/g, (stars) => (stars === '*' ? '[^/]*' : '.*'))
      expect(wildcards(pattern)(text)).toBe(new RegExp(`^${source}$`).test(text))
    }),
    { numRuns: 2000 },
  )
})

test('a pattern of many wildcards takes no more steps for a text that almost fits', () => {
  const pattern = `/${'*a'.repeat(90)}b`
  const fits = wildcards(pattern)
  expect(fits(`/${'a'.repeat(16_000)}`)).toBe(false)
  expect(fits(`/${'a'.repeat(16_000)}b`)).toBe(true)
})
