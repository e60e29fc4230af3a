import { expect, test } from 'vitest'
import { matchesType, parseForward, parseForwards, routeFor, targetUrl } from './forward-url.ts'

test.each([
  ['3000', { url: 'http://localhost:3000/' }],
  [':3000', { url: 'http://localhost:3000/' }],
  [':3000/path?a=b', { url: 'http://localhost:3000/path?a=b' }],
  ['3000/path', { url: 'http://localhost:3000/path' }],
  ['localhost:3000', { url: 'http://localhost:3000/' }],
  ['localhost:3000/?a=b', { url: 'http://localhost:3000/?a=b' }],
  ['127.0.0.1:3000/x', { url: 'http://127.0.0.1:3000/x' }],
  ['[::1]:3000', { url: 'http://[::1]:3000/' }],
  ['dev.example', { url: 'http://dev.example/' }],
  ['http://localhost:3000/hooks#x', { url: 'http://localhost:3000/hooks' }],
  ['HTTPS://dev.example:8443', { url: 'https://dev.example:8443/' }],
  ['connection.*=localhost:3000/hooks', { match: 'connection.*', url: 'http://localhost:3000/hooks' }],
  ['statement.available=3000', { match: 'statement.available', url: 'http://localhost:3000/' }],
  ['*=3000', { url: 'http://localhost:3000/' }],
  ['connection.*= 3000 ', { match: 'connection.*', url: 'http://localhost:3000/' }],
  ['3000/a:b', { url: 'http://localhost:3000/a:b' }],
  ['localhost:3000/?to=ftp://x', { url: 'http://localhost:3000/?to=ftp://x' }],
])('%s', (text, route) => {
  expect(parseForward(text)).toStrictEqual(route)
})

test.each([
  '',
  ' ',
  ':',
  '99999',
  'ftp://x/',
  'connection.*=',
  'http://',
  'http://u:p@localhost:3000',
  'http://u@localhost:3000',
  'http://:p@localhost:3000',
  'ftp://http://x/',
  'a,b',
  ',a',
  'a b',
  '=3000',
])('%j is refused', (text) => {
  expect(() => parseForward(text)).toThrow(
    expect.objectContaining({ code: 'invalid_forward', exit: 'usage' }),
  )
})

test.each([
  [['3000', '4000']],
  [['3000', '3000']],
  [['3000', '*=4000']],
  [['connection.*=3000', 'connection.*=4000']],
  [['connection.*=3000', '5000', 'connection.active=4000']],
  [['*.failed=3000', 'account.*.failed=4000']],
])('%j: the last gets no delivery, and is refused', (texts) => {
  expect(() => parseForwards(texts)).toThrow(
    expect.objectContaining({
      code: 'invalid_forward',
      message: expect.stringContaining(texts.at(-1) ?? ''),
    }),
  )
})

test.each([
  [[]],
  [['3000', 'connection.*=4000']],
  [['connection.active=3000', 'connection.*=4000', '5000']],
  [['connection.*=3000', '*.failed=4000']],
])('%j: each gets some', (texts) => {
  expect(parseForwards(texts)).toEqual(texts.map(parseForward))
})

test.each([
  ['connection.*', 'connection.active', true],
  ['connection.*', 'connections', false],
  ['connection.*', 'connection.', true],
  ['a*a*x', 'abx', false],
  ['a*x*x', 'abx', false],
  ['a*bb*b*c', 'abbc', false],
  ['*', 'anything', true],
  ['*.failed', 'account.refresh.failed', true],
  ['account.*.failed', 'account.refresh.failed', true],
  ['account.*.failed', 'account.failed', false],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'acb', false],
  ['connection.active', 'connection.active', true],
  ['connection.active', 'connectionXactive', false],
])('%s fits %s: %s', (pattern, type, fits) => {
  expect(matchesType(pattern, type)).toBe(fits)
})

test('the first pattern that fits wins, the route without one takes the rest', () => {
  const routes = [{ url: 'd' }, { match: 'connection.*', url: 'a' }, { match: 'connection.active', url: 'b' }]
  expect(routeFor(routes, 'connection.active')?.url).toBe('a')
  expect(routeFor(routes, 'statement.available')?.url).toBe('d')
  expect(routeFor(routes, undefined)?.url).toBe('d')
  expect(routeFor(routes.slice(1), 'statement.available')).toBeUndefined()
})

test('a pattern of many stars and a long type take no time', () => {
  const started = performance.now()
  expect(matchesType(`${'*a'.repeat(200)}*b`, 'a'.repeat(1_000_000))).toBe(false)
  expect(matchesType(`${'*a'.repeat(200)}*b*c`, `${'a'.repeat(1_000_000)}c`)).toBe(false)
  expect(performance.now() - started).toBeLessThan(500)
})

test.each([
  ['http://localhost:3000/', '/', 'http://localhost:3000/'],
  ['http://localhost:3000/', '/any/sub?x=1', 'http://localhost:3000/any/sub?x=1'],
  ['http://localhost:3000/hooks', '/', 'http://localhost:3000/hooks'],
  ['http://localhost:3000/hooks/', '/', 'http://localhost:3000/hooks/'],
  ['http://localhost:3000/hooks/', '/a', 'http://localhost:3000/hooks/a'],
  ['http://localhost:3000/hooks?t=1', '/a?b=2?c', 'http://localhost:3000/hooks/a?t=1&b=2?c'],
  ['http://localhost:3000/', '//evil.example/x', 'http://localhost:3000//evil.example/x'],
  ['http://localhost:3000/', '/%2e%2e/x', 'http://localhost:3000/%2e%2e/x'],
])('%s called at %s', (target, path, url) => {
  expect(targetUrl(target, path)).toBe(url)
})
