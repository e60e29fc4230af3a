import { expect, test } from 'vitest'
import { openStore } from './store.ts'

test('attempts to deliver: so many of the latest are kept, and each delivery finds its own', () => {
  const { db, sent, close } = openStore(':memory:')
  db.script('PRAGMA foreign_keys = OFF')
  const facts = { at: '2026-03-10T12:00:00.000Z', ms: 1, detail: '200', headers: null, answer: null }
  for (let attempt = 1; attempt <= 10; attempt += 1) sent.add({ delivery: attempt % 2, attempt, ...facts }, 4)
  expect(sent.of(0).map(({ attempt }) => attempt)).toEqual([10, 8])
  expect(sent.of(1).map(({ attempt }) => attempt)).toEqual([9, 7])
  close()
})
