import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { bar, formatBytes, meter, renderBars } from './bar.ts'

test('bars share one scale from zero, with their numbers beside them', () => {
  const rows = [
    { label: 'connection.active', value: 8 },
    { label: 'webhook.test', value: 4 },
    { label: 'none', value: 0, text: 'nothing' },
  ]
  expect(renderBars(rows, 40)).toBe(
    [
      'connection.active  ████████████        8',
      'webhook.test       ██████              4',
      'none                             nothing',
      '',
    ].join('\n'),
  )
})

test('without room for a bar there are the label and the whole number', () => {
  const rows = [{ label: 'connection.active', value: 1, text: '123 456 789' }]
  expect(renderBars(rows, 20)).toBe('connec…  123 456 789\n')
  expect(renderBars([{ label: 'abc', value: 1, text: '123 456 789' }], 20)).toBe('abc  123 456 789\n')
})

test('no line is wider than asked for, and no label brings a control character, for any data', () => {
  const row = fc.record({
    label: fc.string({ unit: 'binary' }),
    value: fc.nat(),
    text: fc.string({ maxLength: 12 }),
  })
  fc.assert(
    fc.property(fc.array(row), fc.integer({ min: 20, max: 200 }), (rows, width) => {
      const shown = renderBars(rows, width)
      for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      expect(/[\p{Cc}\u202e]/u.test(shown.replaceAll('\n', ''))).toBe(false)
    }),
  )
})

test('anything above zero shows, zero does not', () => {
  expect(bar(0.0001, 10)).toBe('▏')
  expect(bar(0, 10)).toBe('')
  expect(bar(5, 3)).toBe('███')
})

test('a meter is full only when all is done', () => {
  expect(meter(0.999, 5)).toBe('████░')
  expect(meter(1, 5)).toBe('█████')
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_949, '1.0 MB'],
  [30_000_000, '30.0 MB'],
  [123_456_789, '123 MB'],
])('%d bytes read as %s', (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown)
})
