import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('every test that docs/emulator.md names for a rule is there', () => {
  const named = [...read('docs/emulator.md').matchAll(/\]\(\.\.\/([\w./-]+)\) “([^”]+)”/g)]
  expect(named.length).toBeGreaterThan(100)
  const missing = named.filter(([, file = '', title = '']) => {
    const code = read(file).replaceAll(/\\(['"`])/g, '$1')
    return !["'", '"', '`'].some((quote) => code.includes(`${quote}${title}${quote}`))
  })
  expect(missing.map(([, file, title]) => `${file}: ${title}`)).toEqual([])
})
