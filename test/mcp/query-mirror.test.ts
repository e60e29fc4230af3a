/** The assistant's SQL on the mirror. src/sync/mirror/query-personal.test.ts tries every way to a hidden column. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createEmulatorHome } from '../support/emulator-process.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { type Era, openAssistant } from '../support/mcp-client.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()
const open = (flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}, era?: Era) =>
  openAssistant(
    { env: { ...emulator.shell.env, ...env }, folder: emulator.shell.folder },
    flags,
    era && { era },
  )

/** Of the demo data, which each test begins with. */
let synced: Buffer | undefined

beforeEach(async () => {
  if (synced !== undefined) return writeFileSync(mirrorFile(), synced, { mode: 0o600 })
  await emulator.text('bankapi sync')
  synced = readFileSync(mirrorFile())
})

interface Rows {
  readonly columns: readonly string[]
  readonly bank_text: readonly Readonly<Record<string, unknown>>[]
  readonly next_cursor?: string
}

const mirrorFile = () => `${emulator.home.folder}/data/mirror-local.sqlite`

function changeMirror(sql: string): void {
  const mirror = new DatabaseSync(mirrorFile(), { enableForeignKeyConstraints: false })
  mirror.exec(sql)
  mirror.close()
}

const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'

/** Processes that a process started. */
function childrenOf(pid: number | null): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

const secondsOfWork = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]) / 100

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

it('a mirror made at another address than the one that was named is left out with a warning', async () => {
  const other = await createEmulatorHome()
  onTestFinished(() => other.remove())
  const env = { BANKAPI_API_KEY: other.sandbox.api_key }
  for (const more of [{}, { BANKAPI_SYNC_TO: mirrorFile() }]) {
    const assistant = await open(['--base-url', other.sandbox.base_url], { ...env, ...more })
    expect(await assistant.toolNames()).not.toContain('query_mirror')
    expect(assistant.stderr()).toContain('the mirror is left out: The mirror')
    expect(assistant.stderr()).toContain(`is of local at ${emulator.home.sandbox.base_url}, not of local at`)
  }
})

it('so is one of another environment that BANKAPI_SYNC_TO names', async () => {
  changeMirror("update mirror set value = 'sandbox' where name = 'environment'")
  const assistant = await open([], { BANKAPI_SYNC_TO: mirrorFile() })
  expect(await assistant.toolNames()).not.toContain('query_mirror')
  expect(assistant.stderr()).toContain('is of sandbox at')
})

it('and one of another customer; one of the emulator may have had another port', async () => {
  changeMirror("update mirror set value = 'http://127.0.0.1:1/v3' where name = 'base_url'")
  expect(await (await open()).toolNames()).toContain('query_mirror')
  changeMirror("update clients set id = 'cli_of_others_' || id")
  const assistant = await open()
  expect(await assistant.toolNames()).not.toContain('query_mirror')
  expect(assistant.stderr()).toContain('is of another customer')
})

it('it needs the scopes of what it reads', async () => {
  const scopes = ['read:clients', 'read:connections', 'read:accounts', 'read:transactions']
  const namesWith = async (some: readonly string[]) => {
    const { secret } = JSON.parse(
      await emulator.text(`bankapi keys create --scopes ${some.join(',')} --json`),
    )
    return (await open([], { BANKAPI_API_KEY: secret })).toolNames()
  }
  expect(await namesWith(scopes)).toContain('query_mirror')
  for (const lacking of scopes) {
    expect(await namesWith(scopes.filter((scope) => scope !== lacking))).not.toContain('query_mirror')
  }
})

it('an answer says since when the mirror is complete, if it ever was', async () => {
  const assistant = await open()
  const complete = "select min(complete_at) as since from streams where kind = 'connections'"
  const answer = await assistant.call<Rows & { as_of?: string }>('query_mirror', { sql: complete })
  expect(answer.as_of).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(answer.bank_text).toEqual([{ since: answer.as_of }])
  changeMirror("update streams set complete_at = null where kind = 'connections'")
  expect(await assistant.call('query_mirror', { sql: 'select 1 as one' })).not.toHaveProperty('as_of')
})

it.runIf(existsSync('/proc/self/task'))('a query ends when the server is killed', async () => {
  const assistant = await open()
  const { pid } = assistant.transport
  assistant.call('query_mirror', { sql: endless }).catch(() => undefined)
  const query = await until(() => childrenOf(pid)[0] ?? 0, 'the process of the query')
  onTestFinished(() => {
    if (existsSync(`/proc/${query}`)) process.kill(query, 'SIGKILL')
  })
  await until(() => secondsOfWork(query) > 0.5, 'the query')
  process.kill(pid as number, 'SIGKILL')
  await until(() => !existsSync(`/proc/${query}`), 'the end of the query')
})

it.runIf(existsSync('/proc/self/task'))(
  'two queries run at once; others wait, and end with their call',
  async () => {
    const assistant = await open()
    const { pid } = assistant.transport
    const started = Array.from({ length: 4 }, () => {
      const abort = new AbortController()
      const options = { signal: abort.signal, timeout: 60_000 }
      assistant.client
        .callTool({ name: 'query_mirror', arguments: { sql: endless } }, options)
        .catch(() => undefined)
      return abort
    })
    await until(() => childrenOf(pid).length > 1, 'two queries')
    const first = childrenOf(pid)
    // Whatever is let in has had its process by then.
    await assistant.call('find_clients')
    expect(childrenOf(pid)).toEqual(first)
    started[3]?.abort()
    started[0]?.abort()
    await until(() => childrenOf(pid).some((child) => !first.includes(child)), 'the third query')
    expect(childrenOf(pid)).toHaveLength(2)
    started[1]?.abort()
    started[2]?.abort()
    await until(() => childrenOf(pid).length === 0, 'the end of all')
    expect(await assistant.call('query_mirror', { sql: 'select 1 as one' })).toMatchObject({
      bank_text: [{ one: 1 }],
    })
  },
)

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
  const sql = endless
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
