import { expect, test } from 'vitest'
import { isDeeperThan } from './json-depth.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test.each([
  ['', 0],
  ['1', 0],
  ['[]', 1],
  ['{"a":1}', 1],
  ['[[1],[2]]', 2],
  ['[{},{},{}]', 2],
  ['{"a":{"b":[1]},"c":{}}', 3],
])('%s is nested %i deep: brackets and braces count, and closed ones no more', (text, depth) => {
  expect(isDeeperThan(depth, bytes(text))).toBe(false)
  if (depth > 0) expect(isDeeperThan(depth - 1, bytes(text))).toBe(true)
})

test('a body that was cut is as deep as what is there', () => {
  expect(isDeeperThan(2, bytes('[{"a":['))).toBe(true)
  expect(isDeeperThan(3, bytes('[{"a":['))).toBe(false)
})
