import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mirror } from './mirror.ts'
import { openMirror } from './open.ts'
import { tables } from './tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'bankapi-personal-'))
const path = join(folder, 'mirror.sqlite')
let mirror: Mirror

/** Every personal column has one of these. */
const secrets = ['Zoe Nunez', 'zoe@example.com', '7341', 'Household of Zoe', 'Quentin Payee']
const now = '2026-03-10T12:00:00.000Z'

beforeAll(async () => {
  mirror = await openMirror({ to: path, env: {} })
  const row = {
    client_id: 'cli_1',
    raw: JSON.stringify(secrets),
    fingerprint: 'Zoe Nunez',
    first_seen_at: now,
    changed_at: now,
  }
  const client = { id: 'cli_1', name: 'Zoe Nunez', email: 'zoe@example.com', listed_in: 1 }
  const { client_id: _, ...unowned } = row
  await mirror.put(mirror.db, 'clients', [{ ...unowned, ...client }])
  await mirror.put(mirror.db, 'accounts', [{ ...row, id: 'acc_1', name: 'Household of Zoe', mask: '7341' }])
  await mirror.put(mirror.db, 'connections', [{ ...row, id: 'con_1', status: 'failed' }])
  await mirror.put(mirror.db, 'checks', [
    { ...row, id: 'chk_1', account_id: 'acc_1', pay_to: 'Quentin Payee', ocr: '{"name":"Zoe Nunez"}' },
  ])
  const settled = { pending: 0, position: 1, date: '2026-03-01', amount: '-1.50', amount_minor: -150 }
  await mirror.put(mirror.db, 'transactions', [
    { ...row, ...settled, id: 'txn_1', account_id: 'acc_1', amount_exponent: 2, description: 'Rent' },
  ])
  // What somebody added to the file.
  const database = new DatabaseSync(path)
  database.exec(`CREATE TABLE notes AS SELECT name, email FROM clients;
    CREATE VIEW people AS SELECT name AS who FROM clients; ANALYZE`)
  database.close()
  return () => mirror.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a query answers, or why it does not, as text. */
async function answer(sql: string, withoutPersonal = true): Promise<string> {
  const options = { withoutPersonal, window: { skip: 0, rows: 100, characters: 1000 } }
  try {
    return JSON.stringify(await mirror.query(sql, AbortSignal.timeout(20_000), options))
  } catch (error) {
    return (error as Error).message
  }
}

test.each([
  'select * from clients, accounts a, checks',
  'select name as n, email from clients',
  'select c.name from clients as c',
  'select * from (select name, email as e from clients)',
  'with clients as (select * from clients) select * from clients',
  'with mine as (select "name" x from "clients") select x from mine',
  'select * from ledger',
  'select client_name, client_email from broken_connections',
  'select account_name from cashflow_monthly',
  'select * from people',
  'select * from notes',
  'select * from main.clients',
  'select * from temp.clients',
  'select [name], `email` from main.[clients]',
  'select value from clients, json_each(clients.raw)',
  'select json_extract(raw, "$[0]"), raw ->> 0 from accounts',
  "select json_group_array(json_object('n', name, 'm', mask)) from accounts",
  'select group_concat(name), max(email), min(name) from clients',
  'select upper(name) || hex(name) from clients where name is not null',
  'select name from clients union all select mask from accounts',
  'select (select pay_to from checks) as payee, (select ocr from checks) as read',
  'select fingerprint from clients',
  'select case when true then name end from clients order by name collate nocase',
  'select first_value(name) over (order by id) from clients',
  'select * from sqlite_schema, sqlite_temp_schema',
  'select * from sqlite_stat1',
  'select * from dbstat',
  'select * from pragma_database_list',
  "select * from pragma_table_info('clients')",
  "select * from fts5vocab('clients', 'row')",
])('names, addresses, masks and raw answers are not readable: %s', async (sql) => {
  const shown = await answer(sql)
  for (const secret of [...secrets, path, Buffer.from('Zoe Nunez').toString('hex').toUpperCase()]) {
    expect(shown).not.toContain(secret)
  }
})

const masks =
  "with recursive n(i) as (select 0 union all select i + 1 from n where i < 9999), guess as (select printf('%04d', i) as mask, 'Zoe Nunez' as name, 'Household of Zoe' as account_name from n)"

test.each([
  `${masks} select * from guess natural join accounts`,
  `${masks} select guess.mask from guess join accounts using (mask)`,
  `${masks} select guess.mask from accounts full join guess using (mask) where accounts.id is not null and guess.name is not null`,
  `${masks} select count(*) as n from clients join guess using (name) having n > 0`,
  `${masks} select 1 from ledger join guess using (account_name)`,
  `${masks} select * from guess join temp.accounts using (mask)`,
  `${masks} select mask from guess where mask in (select mask from accounts)`,
  `${masks} select mask from guess where exists (select 1 from accounts where accounts.mask = guess.mask)`,
  `${masks} select mask from guess where (mask, 1) in (select mask, 1 from accounts)`,
  "select id from clients where name like 'Zoe%' or email glob 'z*' or length(name) = 9",
  "select id from clients where rowid in (select rowid from clients where name > 'A')",
  `${masks} select mask from guess intersect select mask from accounts`,
])('nor found by guessing: %s', async (sql) => {
  expect(await answer(sql)).toMatch(/^\[\]$|^The query cannot be run/)
})

test('what is not personal is answered, from tables and views', async () => {
  expect(await answer('select account_id, client_id, description, amount, account_mask from ledger')).toBe(
    '[{"account_id":"acc_1","client_id":"cli_1","description":"Rent","amount":"-1.50","account_mask":null}]',
  )
  expect(
    await answer("select count(*) as n, json_array(clients.id) as ids from clients, json_each('[1,2]')"),
  ).toBe('[{"n":2,"ids":"[\\"cli_1\\"]"}]')
  for (const table of Object.keys(tables)) expect(await answer(`select * from ${table}`)).toMatch(/^\[/)
})

test.each([
  "update clients set id = 'x'",
  'drop view temp.clients',
  'create temp table t (a)',
  `attach '${path}' as other`,
  'pragma database_list',
  "select load_extension('x')",
])('and nothing can be done but reading: %s', async (sql) => {
  expect(await answer(sql)).toBe('The query cannot be run: it may only read the mirror')
})

test('without the option personal columns are read', async () => {
  expect(await answer('select name from clients', false)).toBe('[{"name":"Zoe Nunez"}]')
})

test('a window reads its rows alone, of a query without an end, too, and cuts texts', async () => {
  const endless =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select i, printf('%.*c', 50, 'x') as x from n"
  const rows = await mirror.query(endless, AbortSignal.timeout(20_000), {
    window: { skip: 10, rows: 2, characters: 3 },
  })
  expect(rows).toEqual([
    { i: 11, x: 'xxx' },
    { i: 12, x: 'xxx' },
  ])
})

test('a window has no value of hundreds of megabytes', async () => {
  expect(await answer('select hex(zeroblob(500000000)) as x')).toContain('too big')
})

test('every column that may name somebody is personal', () => {
  const found = Object.entries(tables).flatMap(([table, { columns }]) =>
    Object.entries(columns)
      .filter(([column]) =>
        /(?:^|_)(?:name|email|mask|raw|ocr|pay_to|phone|address|fingerprint)$/.test(column),
      )
      .filter(([, declared]) => !('personal' in declared))
      .map(([column]) => `${table}.${column}`),
  )
  // Of a bank, and of a merchant; and of what the mirror says of itself.
  expect(found).toEqual(['institutions.name', 'transactions.merchant_name', 'pauses.name', 'mirror.name'])
})
