/** The assistant's SQL on the mirror. src/sync/mirror/query-personal.test.ts tries every way to a hidden column. */
import { beforeEach, expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { type Era, openAssistant } from '../support/mcp-client.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'

const emulator = emulatorShell()
const open = (flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}, era?: Era) =>
  openAssistant(
    { env: { ...emulator.shell.env, ...env }, folder: emulator.shell.folder },
    flags,
    era && { era },
  )

beforeEach(async () => {
  await emulator.text('bankapi sync')
})

interface Rows {
  readonly columns: readonly string[]
  readonly bank_text: readonly Readonly<Record<string, unknown>>[]
  readonly next_cursor?: string
}

it('a SELECT is answered in pages of 25 rows, whole where it is read to its end', async () => {
  const assistant = await open()
  const sql = 'select id, amount_minor, merchant_name from ledger order by id'
  const met: unknown[] = []
  let cursor: string | undefined
  do {
    const page: Rows = await assistant.call('query_mirror', {
      sql,
      ...(cursor === undefined ? {} : { cursor }),
    })
    expect(page.columns).toEqual(['id', 'amount_minor', 'merchant_name'])
    expect(page.bank_text.length).toBeLessThanOrEqual(25)
    met.push(...page.bank_text.map(({ id }) => id))
    cursor = met.length > 200 ? undefined : page.next_cursor
  } while (cursor !== undefined)
  const { data } = JSON.parse(await emulator.text(`bankapi sync query '${sql} limit ${met.length}' --json`))
  expect(met.length).toBeGreaterThan(200)
  expect(met).toEqual(data.map(({ id }: { id: string }) => id))
})

it('there is no tool without a mirror', async () => {
  const assistant = await open([], { BANKAPI_SYNC_TO: '/nowhere/mirror.sqlite' })
  expect(await assistant.toolNames()).not.toContain('query_mirror')
})

it('names and masks are empty without --pii, and there with it', async () => {
  const sql = 'select client_name, account_mask, account_name from ledger limit 1'
  expect(await (await open()).call('query_mirror', { sql })).toMatchObject({
    columns: ['client_name', 'account_mask', 'account_name'],
    bank_text: [{}],
  })
  expect((await (await open()).call<Rows>('query_mirror', { sql })).bank_text).toEqual([{}])
  expect(await (await open(['--pii'])).call('query_mirror', { sql })).toMatchObject({
    bank_text: [
      {
        client_name: expect.stringContaining('Núñez'),
        account_mask: expect.stringMatching(/^\d{4}$/),
        account_name: expect.any(String),
      },
    ],
  })
})

it.each([
  'delete from transactions',
  'insert into mirror values (1, 2)',
  "attach '/etc/passwd' as other",
  'pragma table_info(clients)',
  "vacuum into 'copy.sqlite'",
  'select 1; select 2',
  'nonsense',
])('what is no SELECT is refused in a sentence, and the next one works: %s', async (sql) => {
  const assistant = await open()
  expect(await assistant.failure('query_mirror', { sql })).toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('The query cannot be run: '),
    hint: expect.stringContaining('look_up_reference'),
  })
  expect(await assistant.call('query_mirror', { sql: 'select 1 as one' })).toMatchObject({
    bank_text: [{ one: 1 }],
  })
})

it('a query without an end is ended after 10 s, and one that the client cancels at once', async () => {
  const assistant = await open()
  const sql = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'
  const abort = new AbortController()
  const cancelled = assistant.client.callTool(
    { name: 'query_mirror', arguments: { sql } },
    { signal: abort.signal },
  )
  const refused = expect(cancelled).rejects.toThrow()
  abort.abort()
  await refused
  expect(await assistant.failure('query_mirror', { sql })).toMatchObject({
    code: 'query_too_slow',
    message: 'The query did not end within 10 s, and was ended',
  })
})

it('of endless rows, and of huge values, only what is shown is read', async () => {
  const assistant = await open()
  const endless =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select i, printf('%.*c', 100000, 'x') as wide from n"
  const page = await assistant.call<Rows>('query_mirror', { sql: endless })
  expect(page.bank_text).toHaveLength(25)
  expect(String(page.bank_text[0]?.['wide'])).toHaveLength(200)
  expect(
    await assistant.failure('query_mirror', { sql: 'select hex(zeroblob(900000000)) as x' }),
  ).toMatchObject({ code: 'query_failed' })
})

it('rows that are too wide for 20 kB are left for the cursor', async () => {
  const assistant = await open()
  const wide = Array.from({ length: 12 }, (_, index) => `printf('%.*c', 300, 'é') as c${index}`).join(', ')
  const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 30) select i, ${wide} from n`
  const first = await assistant.call<Rows>('query_mirror', { sql })
  expect(first.bank_text.length).toBeLessThan(25)
  const next = await assistant.call<Rows>('query_mirror', { sql, cursor: first.next_cursor as string })
  expect(next.bank_text[0]?.['i']).toBe(first.bank_text.length + 1)
})

it('text of a bank is one visible line', async () => {
  const assistant = await open()
  const sql = "select 'Ignore' || char(27) || '[2J' || char(8238) || char(10) || 'this' as description"
  expect(await assistant.call('query_mirror', { sql })).toMatchObject({
    bank_text: [{ description: 'Ignore [2J this' }],
  })
})

it('both eras of the protocol get the same rows', async () => {
  const sql = 'select id, amount from ledger order by id limit 3'
  const [legacy, modern] = await Promise.all([open([], {}, 'legacy'), open([], {}, 'modern')])
  expect(await legacy.call('query_mirror', { sql })).toEqual(await modern.call('query_mirror', { sql }))
})

it.skipIf(whyNoPostgres() !== undefined)(
  'on Postgres, where nothing hides a column from a query, it needs --pii',
  async () => {
    const to = await (await postgresServer()).database()
    await emulator.text('bankapi sync', { env: { BANKAPI_SYNC_TO: to } })
    const env = { BANKAPI_SYNC_TO: to }
    const sql = 'select email from clients'
    expect(await (await open([], env)).failure('query_mirror', { sql })).toMatchObject({
      code: 'personal_columns',
      hint: expect.stringContaining('--pii'),
    })
    const assistant = await open(['--pii'], env)
    expect(await assistant.call('query_mirror', { sql })).toMatchObject({
      bank_text: [{ email: expect.stringContaining('@') }],
    })
    for (const writes of [
      'delete from clients',
      'select nextval($$x$$)',
      'commit',
      "copy clients to '/tmp/x'",
    ]) {
      expect(await assistant.failure('query_mirror', { sql: writes })).toMatchObject({ code: 'query_failed' })
    }
    const endless = 'with recursive n(i) as (select 1::bigint union all select i + 1 from n) select i from n'
    expect((await assistant.call<Rows>('query_mirror', { sql: endless })).bank_text).toHaveLength(25)
  },
)
