import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type DatabaseConnection } from './connection.ts'

let folder: string
let path: string
let connection: DatabaseConnection

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bankapi-inbox-'))
  path = join(folder, 'inbox.sqlite')
  connection = connect({ path })
})

afterEach(() => {
  connection.close()
  rmSync(folder, { recursive: true })
})

const pragma = (name: string) => Object.values(connection.database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
const clocks = () => connection.database.prepare('SELECT clock FROM pruning').all()
const storeClock = (clock: number) =>
  connection.database.exec(`INSERT OR REPLACE INTO pruning (id, clock, at) VALUES (1, ${clock}, 0)`)

test('a transaction that fails stores nothing and is over; one within another is part of it', () => {
  const fault = new Error('no')
  const failing = () =>
    connection.transaction(() => {
      storeClock(1)
      throw fault
    })
  expect(failing).toThrow(fault)
  expect(connection.database.isTransaction).toBe(false)
  expect(clocks()).toEqual([])
  expect(() => connection.transaction(() => connection.transaction(failing))).toThrow(fault)
  expect(clocks()).toEqual([])
  expect(connection.transaction(() => connection.transaction(() => storeClock(2)) ?? 'done')).toBe('done')
  expect(clocks()).toMatchObject([{ clock: 2 }])
  expect(connection.database.isTransaction).toBe(false)
})

test('without waiting a lock is an error at once, also after a failure; else ten seconds are waited', () => {
  expect(pragma('busy_timeout')).toBe(10_000)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const started = performance.now()
  expect(() => connection.withoutWaiting(() => connection.transaction(() => undefined))).toThrow('locked')
  expect(performance.now() - started).toBeLessThan(5000)
  other.close()
  expect(pragma('busy_timeout')).toBe(10_000)
  expect(connection.withoutWaiting(() => pragma('busy_timeout'))).toBe(0)
  expect(pragma('busy_timeout')).toBe(10_000)
})

test('files that are in place are left alone', () => {
  const { database } = connection
  connection.assertInPlace()
  expect(connection.database).toBe(database)
})

test.each([
  ['outside of a transaction', () => connection.assertInPlace()],
  [
    'within one',
    () =>
      connection.transaction(() => {
        storeClock(1)
        connection.assertInPlace()
      }),
  ],
  ['without waiting', () => connection.withoutWaiting(() => connection.assertInPlace())],
])('files that are gone are noticed %s, and the next use makes new ones', (_, look) => {
  const statement = connection.statement('SELECT count(*) AS count FROM pruning')
  storeClock(7)
  expect(statement().get()).toMatchObject({ count: 1 })
  renameSync(path, `${path}.old`)
  expect(look).toThrow(expect.objectContaining({ name: 'InboxError', code: 'replaced' }))
  expect(existsSync(path)).toBe(false)
  // A statement of the old database is prepared again for the new one.
  expect(statement().get()).toMatchObject({ count: 0 })
  expect(existsSync(path)).toBe(true)
  connection.assertInPlace()
})

test('closed, it stays closed: nothing opens the files again', () => {
  const { database } = connection
  connection.close()
  expect(database.isOpen).toBe(false)
  rmSync(path)
  expect(() => connection.transaction(() => undefined)).toThrow()
  expect(existsSync(path)).toBe(false)
  connection.close()
})

test('files that were replaced can be closed all the same', () => {
  renameSync(path, `${path}.old`)
  expect(() => connection.assertInPlace()).toThrow()
  connection.close()
  expect(existsSync(path)).toBe(false)
})

test('the file may not exceed its size, in whole pages of 4 KiB', () => {
  connection.close()
  connection = connect({ path, maxBytes: 400_000 })
  expect(pragma('max_page_count')).toBe(98)
  expect(pragma('page_size')).toBe(4096)
})
