import { expect, test } from 'vitest'
import { SeenIds } from './seen-ids.ts'

test('an id is new once, however many are there', () => {
  const seen = new SeenIds()
  const ids = Array.from({ length: 200_000 }, (_, number) => `txn_AGGREGATOR_A_${number}`)
  expect(ids.filter((id) => seen.add(id))).toHaveLength(ids.length)
  expect(ids.some((id) => seen.add(id))).toBe(false)
  expect(seen.add('txn_AGGREGATOR_A_200000')).toBe(true)
})

test('ids that differ in one character, in order or in length are different', () => {
  const seen = new SeenIds()
  for (const id of ['', 'a', 'b', 'ab', 'ba', 'aa', 'aab', 'aba', 'é', 'e\u0301', '\0', '\0\0']) {
    expect(seen.add(id), JSON.stringify(id)).toBe(true)
  }
})
