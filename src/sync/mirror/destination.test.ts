import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { destinationOf } from './destination.ts'

test.each([
  ['bank.sqlite', 'bank.sqlite'],
  ['sqlite:bank.sqlite', 'bank.sqlite'],
  ['sqlite:///srv/bank.db', '/srv/bank.db'],
  ['/srv/a b/bank', '/srv/a b/bank'],
  ['C:bank.sqlite', 'C:bank.sqlite'],
])('%s is a file', (text, path) => {
  expect(destinationOf(text)).toEqual({ kind: 'sqlite', path: resolve(path) })
})

test.each(['postgres://sync@localhost/bank', 'postgresql://localhost/bank', 'POSTGRES://localhost/bank'])(
  '%s is a database',
  (url) => {
    expect(destinationOf(url)).toEqual({ kind: 'postgres', url })
  },
)

test.each(['', 'sqlite:', 'mysql://localhost/bank', 'https://example.com/bank.sqlite'])(
  '"%s" is neither, and is not repeated',
  (text) => {
    let error: unknown
    try {
      destinationOf(text)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'bad_destination', exit: 'usage' })
    expect((error as Error).message).not.toContain('localhost')
  },
)
