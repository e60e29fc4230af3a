import { Chalk } from 'chalk'
import { expect, test } from 'vitest'
import { loadPaint, paintWith, plainPaint, type Tone } from './palette.ts'

const tones: readonly Tone[] = ['plain', 'dim', 'bold', 'good', 'warn', 'bad']

test('without colours every tone leaves text as it is', async () => {
  expect(await loadPaint(false, 'stdout')).toBe(plainPaint)
  for (const tone of tones) expect(plainPaint(tone, 'x')).toBe('x')
})

test.each(['stdout', 'stderr'] as const)(
  'with colours %s has some, whatever chalk finds out',
  async (stream) => {
    const paint = await loadPaint(true, stream)
    expect(paint('bad', 'x')).toBe('\u001b[31mx\u001b[39m')
    expect(paint('plain', 'x')).toBe('x')
  },
)

test.each([
  [1, '\u001b[33mx\u001b[39m'],
  [2, '\u001b[38;5;136mx\u001b[39m'],
  [3, '\u001b[38;5;136mx\u001b[39m'],
] as const)('a warning at colour level %i', (level, shown) => {
  expect(paintWith(new Chalk({ level }))('warn', 'x')).toBe(shown)
})

test.each(tones)('an empty text stays empty: %s', (tone) => {
  expect(paintWith(new Chalk({ level: 3 }))(tone, '')).toBe('')
})
