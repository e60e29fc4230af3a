import { expect, test } from 'vitest'
import { InboxError, inboxError, isBusy, isSqliteError } from './inbox-error.ts'

/** An error as node:sqlite throws it; the primary code is the last byte of an extended one. */
const sqlite = (errcode: number) =>
  Object.assign(new Error('words of SQLite'), { code: 'ERR_SQLITE_ERROR', errcode })

test.each([
  [5, 'busy', 'locked by another process'],
  [261, 'busy', 'locked by another process'],
  [11, 'not_an_inbox', 'is not a readable inbox (words of SQLite)'],
  [26, 'not_an_inbox', 'is not a readable inbox (words of SQLite)'],
  [13, 'full', 'cannot grow'],
  [8, 'not_writable', 'cannot be used (words of SQLite)'],
  [1, 'not_writable', 'cannot be used (words of SQLite)'],
])('error %i of SQLite is %s, and names the file', (errcode, code, words) => {
  const cause = sqlite(errcode)
  const error = inboxError(cause, '/data/inbox.sqlite')
  expect(error).toMatchObject({ name: 'InboxError', code, exit: 'usage', cause })
  expect(error.message).toContain('/data/inbox.sqlite')
  expect(error.message).toContain(words)
  expect(error.hint).not.toBe('')
})

test('an InboxError stays as it is, and any other error makes the inbox unusable', () => {
  const own = new InboxError('replaced', 'It was replaced.', 'Go on.')
  expect(inboxError(own, 'x')).toBe(own)
  expect(inboxError(new Error('no code'), 'x')).toMatchObject({ code: 'not_writable' })
})

test('what another process or a database holds up may pass', () => {
  const passing = (['busy', 'unreachable', 'full', 'replaced', 'not_writable'] as const).filter(
    (code) => new InboxError(code, 'It failed.', undefined).mayPass,
  )
  expect(passing).toEqual(['busy', 'unreachable'])
})

test('only a lock is busy, only what SQLite threw is of SQLite', () => {
  expect([5, 261, 517, 6, 0].map((code) => isBusy(sqlite(code)))).toEqual([true, true, true, false, false])
  expect(isBusy(new Error('no code'))).toBe(false)
  expect(isSqliteError(sqlite(5))).toBe(true)
  expect(isSqliteError(new Error('no code'))).toBe(false)
})
