import { describe, expect, it } from 'vitest'
import { createHome, type Home, type Run } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { type FakeBank, fakeBank, type Sizes } from '../support/fake-bank.ts'
import { walkAll } from '../support/independent-walk.ts'

type Row = Readonly<Record<string, unknown>>

async function bankHome(
  sizes: Partial<Sizes> = {},
): Promise<{ bank: FakeBank; home: Home; run: Home['run'] }> {
  const bank = await fakeBank({ clients: 5, connections: 2, rows: 3, ...sizes })
  const home = createHome({
    env: { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: bank.baseUrl, BANKAPI_API_KEY: 'sk_test_ab12cdef' },
  })
  return { bank, home, run: home.run }
}
const rowsOf = ({ stdout }: Run): Row[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('against the emulator', () => {
  const emulator = emulatorShell()

  /** A second Client with a bank of its own. */
  async function secondClient(): Promise<string> {
    const id = await emulator.text('bankapi clients create --external-id second --jq .id')
    await emulator.text(
      `bankapi connections initiate --client ${id} --institution ins_fde_ok --wait --jq .result.connection.id > link && ` +
        'bankapi emulator link $(cat link) && bankapi emulator advance 1h',
    )
    return id
  }

  it('each list across Clients is the union of the single walks, in the order of the lists', async () => {
    const second = await secondClient()
    const { base_url: baseUrl, api_key: apiKey } = emulator.home.sandbox
    const walked = await walkAll({ baseUrl, apiKey })
    const external = (client: unknown) => walked.clients.get(String(client))?.external_id
    expect(external(second)).toBe('second')

    const list = async (words: string) =>
      rowsOf(await emulator.run(`bankapi ${words} list --all-clients -o ndjson`))
    const own = (row: Row, keys: readonly string[]) =>
      Object.fromEntries(keys.map((key) => [key, row[key] ?? null]))
    for (const kind of ['transactions', 'statements', 'checks'] as const) {
      const expected = [...walked.accounts.values()].flatMap(({ account, clientId, ...rows }) =>
        [...rows[kind].values()].map((row) => ({
          client_id: clientId,
          client_external_id: external(clientId),
          connection_id: account.connection_id,
          institution_name: walked.connections.get(account.connection_id)?.institution.name ?? null,
          account_id: account.id,
          account_name: account.name,
          ...row,
        })),
      )
      expect(
        expected.some(({ client_id }) => client_id === second),
        kind,
      ).toBe(true)
      expect(await list(kind), kind).toEqual(expected)
    }
    const accounts = await list('accounts')
    expect(accounts.map((row) => row['id'])).toEqual([...walked.accounts.keys()])
    for (const row of accounts) {
      expect(row).toMatchObject(walked.accounts.get(String(row['id']))?.account)
      expect(row).toMatchObject({ account_id: row['id'], account_name: row['name'] })
      expect(row['client_external_id']).toBe(external(row['client_id']))
    }
    const connections = await list('connections')
    expect(connections.map((row) => row['id'])).toEqual([...walked.connections.keys()])
    expect(connections.map((row) => own(row, ['client_id', 'connection_id', 'institution_name']))).toEqual(
      [...walked.connections.values()].map(({ id, institution }) => ({
        client_id: connections.find((row) => row['id'] === id)?.['client_id'],
        connection_id: id,
        institution_name: institution.name,
      })),
    )
  })

  it('the CSV has the rows of the single walks, whatever was linked', async () => {
    await secondClient()
    const columns = '--columns account_id,id,amount'
    const single = await emulator.text(
      `for client in $(bankapi clients list --jq '.data[].id'); do
         for account in $(bankapi accounts list --client $client --jq '.data[].id'); do
           bankapi transactions list $account --client $client -o csv ${columns} | tail -n +2
         done
       done`,
    )
    const across = await emulator.text(
      `bankapi transactions list --all-clients -o csv ${columns} | tail -n +2`,
    )
    expect(across.split('\n').length).toBeGreaterThan(1000)
    expect(across).toBe(single)
  })

  it('shows people whose rows they are', async () => {
    const second = await secondClient()
    const shown = await emulator.screen('bankapi connections list --all-clients', { columns: 120 })
    expect(shown.replaceAll(second, 'cli_2')).toMatchInlineSnapshot(`
      "
      $ bankapi connections list --all-clients
      CLIENT              EXTERNAL ID  ID                     STATUS  INSTITUTION     SOURCE        LAST ERROR  LAST REFRESHED
      cli_demo            demo-1       con_AGGREGATOR_A_1001  active  Alder Bank      AGGREGATOR_A  -           AGE
      cli_demo            demo-1       con_AGGREGATOR_B_2001  active  Birch Savings   AGGREGATOR_B  -           AGE
      cli_demo            demo-1       con_FDE_123            active  First Fir Bank  FDE           -           AGE
      cli_……360c6  second       con_FDE_10001          active  First Fir Bank  FDE           -           AGE
      "
    `)
  })
})

it('the ids of an account count for that account alone: nothing is dropped as a double across accounts', async () => {
  const { run } = await bankHome()
  const rows = rowsOf(await run(['transactions', 'list', '--all-clients', '-o', 'ndjson']))
  expect(rows).toHaveLength(5 * 2 * 3)
  expect(new Set(rows.map((row) => row['id'])).size).toBe(3)
  expect(new Set(rows.map((row) => `${row['account_id']}/${row['id']}`)).size).toBe(30)
})

it('reads several at once, up to --concurrency, and keeps the order', async () => {
  const { bank, run } = await bankHome({ clients: 30 })
  const ids = async (...flags: string[]) => {
    bank.mostAtOnce = 0
    const rows = rowsOf(await run(['transactions', 'list', '--all-clients', '-o', 'ndjson', ...flags]))
    return rows.map((row) => `${row['client_id']} ${row['account_id']} ${row['id']}`)
  }
  const one = await ids('--concurrency', '1')
  expect(bank.mostAtOnce).toBe(1)
  expect(one).toHaveLength(180)
  expect(await ids('--concurrency', '6')).toEqual(one)
  expect(bank.mostAtOnce).toBeGreaterThan(3)
  expect(bank.mostAtOnce).toBeLessThanOrEqual(6)
})

it('--client may be repeated, --connection chooses, and without an account every one is read', async () => {
  const { run, bank } = await bankHome()
  const names = async (...flags: string[]) => [
    ...new Set(
      rowsOf(await run(['transactions', 'list', '-o', 'ndjson', ...flags])).map(
        (row) => `${row['client_external_id']} ${row['connection_id']}`,
      ),
    ),
  ]
  expect(await names('--client', 'cli_3', '--client', 'cli_1')).toEqual([
    'user-3 con_FDE_300',
    'user-3 con_FDE_301',
    'user-1 con_FDE_100',
    'user-1 con_FDE_101',
  ])
  expect(await names('--client', 'cli_2')).toEqual(['user-2 con_FDE_200', 'user-2 con_FDE_201'])
  expect(await names('--all-clients', '--connection', 'con_FDE_401', '--connection', 'con_FDE_100')).toEqual([
    'user-1 con_FDE_100',
    'user-4 con_FDE_401',
  ])
  bank.asked.length = 0
  expect(await names('--client', 'cli_2', '--type', 'savings')).toEqual(['user-2 con_FDE_201'])
  expect(bank.asked.filter((path) => path.endsWith('/transactions'))).toHaveLength(1)
  expect(await names('--all-clients', '--institution', 'bank 1', '--source', 'FDE')).toHaveLength(5)
  expect(await names('--all-clients', '--source', 'PDF')).toEqual([])
})

it('connections list --status and accounts list --type filter one Client and all', async () => {
  const { run, home } = await bankHome({ connections: 1200 })
  interface List {
    readonly data: readonly Row[]
    readonly next_cursor: string | null
    readonly has_more: boolean
  }
  const one = await home.json<List>([
    ...['connections', 'list', '--client', 'cli_2', '--status', 'failed', '--limit', '600'],
  ])
  expect(one.data).toHaveLength(600)
  expect(one.data.every((row) => row['status'] === 'failed')).toBe(true)
  expect(one).toMatchObject({ has_more: false, next_cursor: null })
  // The 250th is the last of its page, so that the cursor goes on after it; the 100th is not.
  const flags = ['accounts', 'list', '--client', 'cli_2', '--type', 'savings', '--json']
  const exact = await run([...flags, '--limit', '250'])
  expect(JSON.parse(exact.stdout)).toMatchObject({ has_more: true, next_cursor: '500' })
  expect(exact.stderr).toBe('There may be more: --all, or --cursor 500\n')
  const inexact = await run([...flags, '--limit', '100'])
  expect(JSON.parse(inexact.stdout)).toMatchObject({ has_more: true, next_cursor: null })
  expect(inexact.stderr).toBe('There is more: --all (no cursor: the last row is not the last of its page)\n')

  const all = await home.json<List>(['connections', 'list', '--all-clients', '--status', 'failed', '--all'])
  expect(all.data).toHaveLength(5 * 600)
})

it('a list across Clients ends at --limit and says so; JSON has no cursor, as none would resume there', async () => {
  const { run, bank } = await bankHome({ clients: 200, rows: 60 })
  const flags = ['transactions', 'list', '--all-clients']
  const json = await run([...flags, '--limit', '130', '--json'])
  const { data, ...rest } = JSON.parse(json.stdout)
  expect(data).toHaveLength(130)
  expect(rest).toEqual({ next_cursor: null, has_more: true })
  expect(json.stderr).toBe('There is more: --all (no cursor: a list across Clients has none)\n')
  expect(bank.asked.length).toBeLessThan(200)
  const csv = await run([...flags, '--limit', '50', '-o', 'csv'])
  expect(csv.stdout.trim().split('\n')).toHaveLength(51)
  expect(csv.stderr).toContain('There is more: a larger --limit')
  const table = await run(flags)
  expect(table.stdout.trim().split('\n')).toHaveLength(100)
  expect(table.stderr).toContain('There is more: --all')

  const few = await bankHome({ clients: 1 })
  const whole = await few.run([...flags, '--limit', '6', '--json'])
  expect([JSON.parse(whole.stdout)['has_more'], whole.stderr]).toEqual([false, ''])
})

it('one Client that is refused is named and ends the list; with --keep-going the others follow, and it exits 9', async () => {
  const { bank, run } = await bankHome()
  bank.refusals.set('/clients/cli_2/connections', { status: 403, code: 'forbidden' })
  const flags = ['transactions', 'list', '--all-clients', '-o', 'ndjson']
  const stopped = await run(flags)
  expect(stopped.code).toBe(4)
  expect(new Set(rowsOf(stopped).map((row) => row['client_id']))).toEqual(new Set(['cli_0', 'cli_1']))
  expect(stopped.stderr).toContain('cli_2 could not be read; --keep-going reads the others\n')

  const going = await run([...flags, '--keep-going'])
  expect(going.code).toBe(9)
  expect(new Set(rowsOf(going).map((row) => row['client_id']))).toEqual(
    new Set(['cli_0', 'cli_1', 'cli_3', 'cli_4']),
  )
  expect(going.stderr).toBe(
    'cli_2 could not be read: refused: /clients/cli_2/connections (forbidden)\n' +
      'Not whole: 1 could not be read, named above\n',
  )
})

it('an account that is gone since it was listed is left out and said, which is no error', async () => {
  const { bank, run } = await bankHome({ clients: 2 })
  bank.refusals.set('/accounts/acc_FDE_000/transactions', { status: 404, code: 'not_found' })
  const { code, stderr, ...out } = await run(['transactions', 'list', '--all-clients', '-o', 'ndjson'])
  expect([code, stderr]).toEqual([0, 'acc_FDE_000 of cli_0 is gone since it was listed\n'])
  expect(rowsOf({ code, stderr, ...out })).toHaveLength(3 * 3)
})

it('a named Client or Connection that does not exist is exit 5, and names it', async () => {
  const { bank, run } = await bankHome()
  bank.refusals.set('/clients/cli_typo/connections', { status: 404, code: 'not_found' })
  const client = await run(['accounts', 'list', '--client', 'cli_1', '--client', 'cli_typo', '--json'])
  expect([client.code, client.stdout]).toEqual([5, ''])
  expect(client.stderr).toContain('cli_typo could not be read')
  expect(client.stderr).toContain('There is no cli_typo')
  const connection = await run(['accounts', 'list', '--all-clients', '--connection', 'con_FDE_77'])
  expect([connection.code, connection.stderr]).toEqual([5, expect.stringContaining('con_FDE_77')])
})

it.each([
  ['transactions', 'list', 'acc_FDE_000', '--all-clients'],
  ['transactions', 'list', 'acc_FDE_000', '--client', 'cli_0', '--client', 'cli_1'],
  ['checks', 'list', 'acc_FDE_000', '--client', 'cli_0', '--connection', 'con_FDE_000'],
  ['transactions', 'list', '--all-clients', '--cursor', 'x'],
  ['connections', 'list', '--all-clients', '--client', 'cli_0'],
])('what does not go together is refused before a request: %j', async (...args) => {
  const { bank, run } = await bankHome()
  expect((await run(args)).code).toBe(2)
  expect(bank.asked).toEqual([])
})

it('without any Client the hint names --all-clients', async () => {
  const { run } = await bankHome()
  const { code, stderr } = await run(['connections', 'list'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--client cli_… or --all-clients')])
})

it('ten times the rows take at most 1.3 times the memory', { timeout: 120_000, tags: ['slow'] }, async () => {
  const peak = async (clients: number) => {
    const { run } = await bankHome({ clients, connections: 4, rows: 600 })
    const program = "process.on('exit', () => console.error(process.resourceUsage().maxRSS))"
    const { stdout, stderr } = await run(['transactions', 'list', '--all-clients', '-o', 'csv'], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` },
    })
    expect(stdout.trim().split('\n').length).toBe(1 + clients * 4 * 600)
    return Number(stderr.trim().split('\n').at(-1))
  }
  const tenth = await peak(6)
  // A peak also depends on when garbage is collected; one that grows with the rows does so each time.
  let ratio = Number.POSITIVE_INFINITY
  for (let times = 0; times < 3 && ratio >= 1.3; times++) ratio = (await peak(60)) / tenth
  expect(ratio).toBeLessThan(1.3)
})

it('the walk ends as soon as its reader leaves', async () => {
  const { home, bank } = await bankHome({ clients: 1000, rows: 500 })
  const started = home.start(['transactions', 'list', '--all-clients', '-o', 'ndjson'])
  await started.line()
  started.process.stdout.destroy()
  expect((await started.ended).code).toBe(0)
  expect(bank.asked.length).toBeLessThan(1000)
})
