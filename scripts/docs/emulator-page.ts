/** Writes the table of test institutions into docs/emulator.md; the rest of the page is written by hand. */
import { readFileSync } from 'node:fs'
import { testInstitutions } from '../../src/emulator/institutions/test-institutions.ts'

const page = new URL('../../docs/emulator.md', import.meta.url)
const marked = /(<!-- institutions -->\n).*?(<!-- end -->)/s

export function emulatorPage(): string {
  const text = readFileSync(page, 'utf8')
  if (!marked.test(text)) throw new Error('docs/emulator.md has no place for the table of institutions')
  const rows = testInstitutions.map(
    ({ id, name, source, happens }) =>
      `| \`${id}\` | ${name} | ${source.replace('AGGREGATOR_', '')} | ${happens} |`,
  )
  const table = ['| institution | name | source | what happens |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
  return text.replace(marked, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`)
}
