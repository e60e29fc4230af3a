import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { cutEnd, toWidth } from './text-width.ts'

test('a cell is exactly as wide as it is to be, whatever stands in it', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('銀行口座', '🙂🙂🙂', 'op_0123456789', 'é́à'),
  )
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom('end', 'middle'),
      (text, width, cut) => {
        fc.pre(!/\p{Cc}/u.test(text))
        expect(stringWidth(toWidth(text, width, cut))).toBe(width)
      },
    ),
  )
})

test('what is cut ends in …, an id keeps both of its ends', () => {
  expect(cutEnd('connection.active', 10)).toBe('connectio…')
  expect(toWidth('op_0123456789abcdef', 11, 'middle')).toBe('op_01…bcdef')
  expect(toWidth('short', 8)).toBe('short   ')
})
