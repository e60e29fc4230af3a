import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { fitLine, jsonLine, type Line, type Piece, withHits, wrapLine } from './pieces.ts'

const textOf = (line: Line) => line.map(({ text }) => text).join('')
const texts = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.lorem({ maxCount: 12, mode: 'words' }),
    fc.constantFrom(
      '銀行口座',
      '🙂🙂🙂',
      'op_0123456789',
      'é́à',
      'https://example.com/a/very/long/path?with=a&query=b',
    ),
  )
  .filter((text) => !/\p{Cc}/u.test(text))
const lines: fc.Arbitrary<Line> = fc.array(
  fc.record<Piece>({ text: texts, tone: fc.constantFrom('plain', 'bad', 'key') }),
  { maxLength: 4 },
)

test('a cell is exactly as wide as it is to be, whatever stands in it', () => {
  fc.assert(
    fc.property(
      lines,
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom('end', 'middle'),
      (line, width, cut) => {
        expect(stringWidth(textOf(fitLine(line, width, cut)))).toBe(width)
      },
    ),
  )
})

test('a wrapped line is nowhere wider, and loses nothing but spaces at its breaks', () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 8, max: 60 }), fc.constantFrom(0, 2, 4), (line, width, indent) => {
      const rows = wrapLine(line, width, indent)
      for (const row of rows) expect(stringWidth(textOf(row))).toBeLessThanOrEqual(width)
      const without = (text: string) => text.replaceAll(' ', '')
      expect(without(rows.map(textOf).join(''))).toBe(without(textOf(line)))
    }),
    { numRuns: 500 },
  )
})

test('a line is broken between words, and nothing stands on a row of its own without need', () => {
  const shown = (text: string, width: number) => wrapLine([{ text }], width, 2).map(textOf)
  expect(shown('The timestamp is too old', 14)).toEqual(['The timestamp ', '  is too old'])
  expect(wrapLine([{ text: '"id": ' }, { text: '"evt_12345678",' }], 20, 2).map(textOf)).toEqual([
    '"id": ',
    '  "evt_12345678",',
  ])
})

test('JSON is coloured by what it is, and says the same', () => {
  expect(jsonLine('  "name": "a \\"b\\": 1",')).toEqual([
    { text: '  ', tone: 'dim' },
    { text: '"name"', tone: 'key' },
    { text: ':', tone: 'dim' },
    { text: ' ', tone: 'dim' },
    { text: '"a \\"b\\": 1",', tone: 'string' },
  ])
  fc.assert(
    fc.property(fc.json(), (json) => {
      for (const line of JSON.stringify(JSON.parse(json), null, 2).split('\n')) {
        expect(textOf(jsonLine(line))).toBe(line)
      }
    }),
  )
})

test('hits are marked whatever their case, each of them, and the text stays', () => {
  expect(withHits([{ text: 'con_FDE_con', tone: 'dim' }], 'CON')).toEqual([
    { text: 'con', tone: 'hit' },
    { text: '_FDE_', tone: 'dim' },
    { text: 'con', tone: 'hit' },
  ])
  fc.assert(
    fc.property(lines, fc.string({ maxLength: 3 }), (line, search) => {
      expect(textOf(withHits(line, search))).toBe(textOf(line))
    }),
  )
})
