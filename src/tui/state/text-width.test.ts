import { expect, test } from 'vitest'
import { cutEnd, cutMiddle } from './text-width.ts'

test('what is cut ends in …, an id keeps both of its ends', () => {
  expect(cutEnd('connection.active', 10)).toBe('connectio…')
  expect(cutMiddle('op_0123456789abcdef', 11)).toBe('op_01…bcdef')
  expect(cutEnd('short', 8)).toBe('short')
})
