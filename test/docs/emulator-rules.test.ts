import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const kept = [...read('docs/emulator.md').matchAll(/\]\(\.\.\/([\w./-]+)\) “([^”]+)”/g)].map(
  ([, file = '', title = '']) => [file, title] as const,
)

test('docs/emulator.md names tests, many of them', () => {
  expect(kept.length).toBeGreaterThan(100)
})

test.each(kept)('%s has the test “%s” that docs/emulator.md names', (file, title) => {
  const code = read(file).replaceAll(/\\(['"`])/g, '$1')
  expect(code.includes(`'${title}'`) || code.includes(`"${title}"`) || code.includes(`\`${title}\``)).toBe(
    true,
  )
})
