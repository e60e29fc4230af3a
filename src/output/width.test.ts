import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { safeText } from './safe-text.ts'
import { displayWidth, pad, truncate, truncateMiddle, wrap } from './width.ts'

const cjk = fc.array(fc.constantFrom('日', '👩‍💻', 'é', 'a')).map((all) => all.join(''))
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), cjk).map(safeText)

test('measures like string-width, also where it takes the short way', () => {
  fc.assert(fc.property(text, (value) => displayWidth(value) === stringWidth(value)))
  for (let code = 0x20; code < 0x3000; code++) {
    const character = String.fromCharCode(code)
    expect(displayWidth(character), code.toString(16)).toBe(stringWidth(character))
  }
})

test('cut text never takes more columns than it was given, and ends in an ellipsis', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 30 }), (value, width) => {
      for (const cut of [truncate(value, width), truncateMiddle(value, width)]) {
        expect(stringWidth(cut)).toBeLessThanOrEqual(width)
        if (cut !== value && width > 0) expect(cut).toContain('…')
      }
    }),
  )
})

test('a wide character is never cut in half', () => {
  expect(truncate('日本語', 4)).toBe('日…')
  expect(truncate('👩‍💻👩‍💻', 3)).toBe('👩‍💻…')
})

test('an id keeps its beginning and its end', () => {
  expect(truncateMiddle('txn_AGGREGATOR_A_0123456789', 16)).toBe('txn_AGGREG…56789')
})

test('padding counts columns, not characters', () => {
  expect(pad('日本', 6)).toBe('日本  ')
  expect(pad('12', 4, 'right')).toBe('  12')
})

test('sentences wrap at spaces, and only a word that is too long alone exceeds the width', () => {
  expect(wrap('one two three', 7)).toBe('one two\nthree')
  expect(wrap('  one two three', 9, '    ')).toBe('  one two\n    three')
  expect(wrap('see https://example.com/a/long/address now', 10)).toBe(
    'see\nhttps://example.com/a/long/address\nnow',
  )
  const words = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 20 })).map((all) => all.join(' '))
  fc.assert(
    fc.property(words, fc.integer({ min: 5, max: 60 }), (sentence, width) => {
      const wrapped = wrap(sentence, width, '  ')
      expect(wrapped.replace(/\s+/g, '')).toBe(sentence.replace(/\s+/g, ''))
      for (const line of wrapped.split('\n')) {
        if (line.trim().includes(' ')) expect(line.length).toBeLessThanOrEqual(width)
      }
    }),
  )
})
