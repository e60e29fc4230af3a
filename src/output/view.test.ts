import { Chalk } from 'chalk'
import { expect, test } from 'vitest'
import { paintWith, plainPaint } from './palette.ts'
import { createView } from './view.ts'

const options = {
  width: 0,
  paint: paintWith(new Chalk({ level: 1 })),
  tty: true,
  utc: true,
  now: () => Date.parse('2026-01-02T00:00:00Z'),
}

test.each([
  ['active', '\u001b[32mactive\u001b[39m'],
  ['SUCCEEDED', '\u001b[32mSUCCEEDED\u001b[39m'],
  ['queued', '\u001b[33mqueued\u001b[39m'],
  ['disconnected', '\u001b[31mdisconnected\u001b[39m'],
  ['constructor', 'constructor'],
  ['new\u001b', 'new\\x1b'],
])('the status %s has the colour of its meaning and is safe', (word, shown) => {
  expect(createView(options).status(word)).toBe(shown)
  expect(createView({ ...options, paint: plainPaint }).status(word)).not.toContain('\u001b')
})

test('words and times are made safe before they are coloured', () => {
  const view = createView(options)
  expect(view.bad('x\u001b[2J')).toBe('\u001b[31mx\\x1b[2J\u001b[39m')
  expect(view.time('2026-01-01T10:00:00+02:00')).toBe('2026-01-01 08:00:00Z')
  expect(view.time('\u001b')).toBe('\\x1b')
  expect(view.ago('2026-01-01T22:00:00Z')).toBe('2 hours ago')
})

test('numbers are bars on a terminal, and rows in a pipe', () => {
  const rows = [
    { label: 'a\u001b', value: 4 },
    { label: 'b', value: 2 },
  ]
  const plain = { ...options, paint: plainPaint, width: 20 }
  expect(createView(plain).bars(rows)).toBe('a\\x1b  ██████████  4\nb      █████       2\n')
  expect(createView({ ...plain, tty: false }).bars(rows)).toBe('a\\x1b\t4\nb\t2\n')
})

test('an unknown width counts as 80 columns', () => {
  expect(createView(options).width).toBe(80)
})
