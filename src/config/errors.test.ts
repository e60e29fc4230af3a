import { expect, test } from 'vitest'
import { closest } from './errors.ts'

test.each([
  ['sandbx', 'sandbox'],
  ['LIVE', 'live'],
  ['loca', 'local'],
  ['prod', undefined],
  ['', undefined],
])('%s was meant as %s', (word, meant) => {
  expect(closest(word, ['local', 'sandbox', 'live'])).toBe(meant)
})
