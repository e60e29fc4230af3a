import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namedTests } from './named-tests.ts'

test('every test that docs/security.md names for a guard exists', () => {
  const { count, missing } = namedTests('docs/security.md')
  expect(count).toBeGreaterThan(60)
  expect(missing).toEqual([])
})

test('every guard in docs/security.md names a test', () => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  // The output of npm run attack stands between fences.
  const text = page.replaceAll(/^```.*?^```$/gms, '')
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  const bare = rows.filter((row) => !row.includes('“') && !/^\| what (?:could happen )?\|/.test(row))
  expect(bare).toEqual([])
})
