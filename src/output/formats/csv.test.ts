import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCsvWriter, csvCell, csvColumns } from './csv.ts'

/** A reader by the letter of RFC 4180, for LF. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += text[at] === '"' ? 2 : 1) cell += text[at]
      at += 1
    } else {
      while (at < text.length && text[at] !== ',' && text[at] !== '\n') cell += text[at++]
    }
    row.push(cell)
    expect(['\n', ',']).toContain(text[at])
    if (text[at] === '\n') {
      rows.push(row)
      row = []
    }
    at += 1
  }
  return rows
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('"', ',', '\n', '\r', '\t', '=', '-', '＝', '＋', '－', '＠', '1', 'a', ' ', "'"))
    .map((parts) => parts.join('')),
)

test('every reader of RFC 4180 gets the same cells back, for any data and any number of columns', async () => {
  const rows = fc
    .integer({ min: 1, max: 4 })
    .chain((size) => fc.array(fc.array(text, { minLength: size, maxLength: size }), { minLength: 1 }))
  await fc.assert(
    fc.asyncProperty(rows, async (cells) => {
      const columns = (cells[0] ?? []).map((_, at) => `c${at}`)
      const writer = await createCsvWriter(columns)
      const written =
        writer.header() +
        writer.lines(cells.map((row) => Object.fromEntries(row.map((cell, at) => [`c${at}`, cell]))))
      expect(parse(written)).toEqual([columns, ...cells.map((row) => row.map(csvCell))])
    }),
  )
})

test('no cell starts as a formula unless it is a number, and none holds a control character', () => {
  fc.assert(
    fc.property(text, (value) => {
      const cell = csvCell(value)
      expect(/^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !/^[+-][\d.eE+-]+$/.test(cell)).toBe(false)
      expect(/[\p{Cc}\p{Cs}\u202e]/u.test(cell.replace(/[\n\t]/g, ''))).toBe(false)
    }),
  )
})

test.each([
  ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
  ['+1 555', "'+1 555"],
  ['-cmd', "'-cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', "'\\x0dx"],
  ['-12.34', '-12.34'],
  ['+4915112345', '+4915112345'],
  [-12.34, '-12.34'],
  ['-12.34+A1', "'-12.34+A1"],
  [null, ''],
  [false, 'false'],
  [['a', 'b'], '["a","b"]'],
  [[], '[]'],
])('the cell of %j is %s', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

test('nested values are dotted columns, and an object that is null in some rows is no column of its own', () => {
  const rows = [
    { id: 1, liabilities: null, note: null },
    { id: 2, liabilities: { limit: 5, terms: {} }, extra: 'x' },
  ]
  expect(csvColumns(rows)).toEqual(['id', 'note', 'liabilities.limit', 'liabilities.terms', 'extra'])
})

test('a value that is text in one row and an object in another keeps both', () => {
  expect(csvColumns([{ a: 'text' }, { a: { b: 1 } }])).toEqual(['a', 'a.b'])
})

test('a lone empty cell is not an empty line, which many readers take for no row', async () => {
  expect((await createCsvWriter(['a'])).lines([{ a: 'x' }, { a: '' }, {}])).toBe('x\n""\n""\n')
})

test('a hostile column name is neutralised like a cell', async () => {
  expect((await createCsvWriter(['=cmd', 'a"b'])).header()).toBe('\'=cmd,"a""b"\n')
})
