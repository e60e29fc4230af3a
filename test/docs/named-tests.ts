/** Finds the tests that a page names: `[name](../test/file.test.ts) “its title”`. */
import { readFileSync } from 'node:fs'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The number of tests that a page names, and those that do not exist, as file and title. */
export function namedTests(page: string): { readonly count: number; readonly missing: string[] } {
  const named = [...read(page).matchAll(/\]\(\.\.\/([\w./-]+)\) “([^”]+)”/g)]
  const missing = named.filter(([, file = '', title = '']) => {
    const code = read(file).replaceAll(/\\(['"`])/g, '$1')
    return !["'", '"', '`'].some((quote) => code.includes(`${quote}${title}${quote}`))
  })
  return { count: named.length, missing: missing.map(([, file, title]) => `${file}: ${title}`) }
}
