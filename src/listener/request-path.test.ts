import fc from 'fast-check'
import { expect, test } from 'vitest'
import { targetUrl } from './forward-url.ts'
import { escapesPrefix, isBelow } from './request-path.ts'

test.each([
  '/../../etc/passwd',
  '/hooks/../..',
  '/hooks/.',
  '/./hooks',
  '/%2e%2e/etc/passwd',
  '/.%2E/x',
  '/a%2f..%2fb',
  '/%252e%252e/x',
  '/%25252525252e%2e/x',
  '/..%5c..%5cx',
  '/a\\b',
  '/..;/admin',
  '/..%3B/admin',
  '/..#',
  '//evil.example/x',
  '/%2f/evil.example',
])('%s leaves the prefix', (path) => {
  expect(escapesPrefix(path)).toBe(true)
})

test.each([
  '/',
  '/hooks',
  '/a//b',
  '/any/sub%2Fpath',
  '/a./b',
  '/more...',
  '/a..b/..c/.well-known',
  '/x?y=/../z',
  '/%20%zz',
  '/100%25',
])('%s stays below it', (path) => {
  expect(escapesPrefix(path)).toBe(false)
})

test('what is not refused stays below the target, however it is resolved', () => {
  const part = fc.constantFrom(
    '/',
    '.',
    '..',
    '%2e',
    '%2E',
    '%2f',
    '\\',
    '%5c',
    '%25',
    '2e',
    'a',
    ';',
    '?',
    '#',
  )
  const path = fc.array(part, { maxLength: 12 }).map((parts) => `/${parts.join('')}`)
  fc.assert(
    fc.property(path, (sent) => {
      if (escapesPrefix(sent)) return
      const { origin, pathname } = new URL(targetUrl('http://127.0.0.1:3000/hooks/in', sent))
      expect(origin).toBe('http://127.0.0.1:3000')
      expect(`${pathname}/`).toMatch(/^\/hooks\/in\//)
    }),
    { numRuns: 2000 },
  )
})

test('a path that is encoded over itself without end is refused after a few decodings', () => {
  // Decoding it to its end would take minutes.
  expect(escapesPrefix(`/%${'25'.repeat(300_000)}2e`)).toBe(true)
})

test.each([
  ['/hooks', true],
  ['/hooks?x', true],
  ['/hooks/a', true],
  ['/hooks-2', false],
  ['hooks', false],
  ['/', false],
  ['http://evil.example/hooks', false],
])('a listener at /hooks takes %s: %s', (path, taken) => {
  expect(isBelow('/hooks', path)).toBe(taken)
})

test.each(['../etc', '.', 'http://evil.example/', '*'])('%s is at no path, not even below /', (path) => {
  expect(isBelow('', path)).toBe(false)
})
