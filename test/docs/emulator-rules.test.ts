import { expect, test } from 'vitest'
import { namedTests } from './named-tests.ts'

test('every test that docs/emulator.md names for a rule exists', () => {
  const { count, missing } = namedTests('docs/emulator.md')
  expect(count).toBeGreaterThan(100)
  expect(missing).toEqual([])
})
