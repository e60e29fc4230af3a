import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namedTests } from './named-tests.ts'

test('every test that docs/sync-rules.md names for a rule exists', () => {
  const { count, missing } = namedTests('docs/sync-rules.md')
  expect(count).toBeGreaterThan(30)
  expect(missing).toEqual([])
})

test('every rule in docs/sync-rules.md names a test', () => {
  const page = readFileSync(new URL('../../docs/sync-rules.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| (?!---|rule \|)/.test(line))
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.filter((row) => !row.includes('“'))).toEqual([])
})
