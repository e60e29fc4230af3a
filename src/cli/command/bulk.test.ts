import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/machine.ts'
import { type BulkEnd, bulkExit, lastWords, progressLine } from './bulk.ts'
import { LeftFile } from './left-file.ts'

const end: BulkEnd = {
  summary: { succeeded: 3 },
  stop: undefined,
  left: [],
  unknown: [],
  aboutUnknown: 'Look at them.',
  retryAfterMs: undefined,
  again: 'bankapi connections refresh --stdin',
  file: undefined,
}

test.each([
  [{ succeeded: 3, skipped: 2 }, undefined, undefined],
  [{ failed: 1, left: 2 }, undefined, 'operationFailed'],
  [{ unknown: 1 }, undefined, 'operationFailed'],
  [{ left: 1, running: 1 }, 'limited', 'rateLimited'],
  [{ left: 1 }, undefined, 'rateLimited'],
  [{ left: 1 }, 'unreachable', 'unreachable'],
  [{ running: 1, succeeded: 1 }, undefined, 'stillRunning'],
] as const)('%j, stopped %s: exit %s', (summary, stop, exit) => {
  expect(bulkExit({ summary, stop })).toBe(exit)
})

test('the last words count what ended how', () => {
  expect(lastWords(end)).toEqual(['3: 3 succeeded.'])
  expect(lastWords({ ...end, summary: {} })).toEqual(['0: nothing to do.'])
  expect(lastWords({ ...end, summary: { succeeded: 1, failed: 1 }, stop: 'failure' })).toEqual([
    '2: 1 succeeded, 1 failed. Stopped after a failure; --keep-going goes on.',
  ])
})

test('the words name the command that goes on with what is left', () => {
  const path = join(temporaryFolder(), 'it is left')
  const file = new LeftFile(path)
  const some = { ...end, left: ['con_FDE_1'], unknown: ['con_FDE_2'], retryAfterMs: 3 * 3_600_000 - 1 }
  expect(lastWords({ ...some, file }).slice(1)).toEqual([
    `Go on in 3 h: bankapi connections refresh --stdin < '${path}'`,
  ])
  expect(lastWords(some).at(-1)).toContain('--left FILE keeps their ids, to go on in 3 h')
})

test('progress says how many are done, failed and left, and about how long they take', () => {
  expect(progressLine({ total: 50, done: 0, failed: 0 }, 1000)).toBe('0 done, 0 failed, 50 left')
  expect(progressLine({ total: 50, done: 8, failed: 2 }, 5000)).toBe('8 done, 2 failed, 40 left, about 20 s')
  expect(progressLine({ total: 50, done: 10, failed: 0 }, 60_000)).toBe(
    '10 done, 0 failed, 40 left, about 4 min',
  )
  expect(progressLine({ total: 2, done: 2, failed: 0 }, 1000)).toBe('2 done, 0 failed, 0 left')
})
