import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mirror } from './mirror.ts'
import { openMirror } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'bankapi-query-'))
const never = new AbortController().signal
let mirror: Mirror

beforeAll(async () => {
  mirror = await openMirror({ to: join(folder, 'mirror.sqlite'), env: {} })
  return () => mirror.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a row is an object of its columns; large integers and bytes are text', async () => {
  const sql = "select 1 as one, 9007199254740993 as large, null as none, x'0aff' as bytes, -12 as minus"
  expect(await mirror.query(sql, never)).toEqual([
    { one: 1, large: '9007199254740993', none: null, bytes: '0aff', minus: -12 },
  ])
  expect(await mirror.query('select count(*) as n from ledger', never)).toEqual([{ n: 0 }])
})

test.each([
  'delete from clients',
  "insert into mirror values ('a', 'b')",
  'drop view ledger',
  'create table t (a)',
  'vacuum',
  'pragma user_version = 9',
  'pragma query_only',
  'begin immediate',
  `attach '${join(folder, 'other.sqlite')}' as other`,
  `vacuum into '${join(folder, 'copy.sqlite')}'`,
  "select load_extension('x')",
  'with c as (select 1) delete from clients',
])('nothing but reading is allowed: %s', async (sql) => {
  await expect(mirror.query(sql, never)).rejects.toMatchObject({ code: 'query_failed' })
  expect(existsSync(join(folder, 'other.sqlite'))).toBe(false)
  expect(existsSync(join(folder, 'copy.sqlite'))).toBe(false)
})

test('a second statement is an error, and not run', async () => {
  await expect(mirror.query('select 1; delete from mirror', never)).rejects.toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('one statement'),
  })
  expect(await mirror.query('select count(*) > 0 as kept from mirror', never)).toEqual([{ kept: 1 }])
  expect(await mirror.query('select 1 as n; -- the end; of it\n /* or; */ ;\n', never)).toEqual([{ n: 1 }])
})

test('two columns of one name are an error that says so', async () => {
  const query = mirror.query(
    'select c.id, a.id from clients as c join accounts as a on a.client_id = c.id',
    never,
  )
  await expect(query).rejects.toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('two columns named "id"'),
  })
})

test('a result that the caller refuses to hold ends the query', async () => {
  const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n'
  let held = 0
  const onRows = (rows: readonly unknown[]) => {
    held += rows.length
    if (held > 5000) throw new RangeError('too many')
  }
  const query = mirror.query(endless, never, { onRows })
  await expect(query).rejects.toThrow('too many')
  expect(held).toBeLessThan(10_000)
})

test('a mistake is named, with where to look', async () => {
  await expect(mirror.query('select nowhere from ledger', never)).rejects.toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('no such column: nowhere'),
    hint: expect.stringContaining('bankapi sync schema'),
  })
})

test('a query without an end is ended with the signal', async () => {
  const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'
  const abort = new AbortController()
  const query = mirror.query(endless, abort.signal)
  abort.abort(new Error('stopped'))
  await expect(query).rejects.toThrow('stopped')
  await expect(mirror.query('select 1', abort.signal)).rejects.toThrow('stopped')
})
