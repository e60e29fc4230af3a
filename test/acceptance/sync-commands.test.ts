import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emulatorHome } from '../support/emulator-process.ts'
import { mirrorStores } from '../support/mirrors.ts'

const home = emulatorHome()
const mirror = () => join(home.folder, 'data', 'mirror-local.sqlite')
const asked = async (sql: string) =>
  (await home.json<{ data: Record<string, unknown>[] }>(['sync', 'query', sql])).data

describe('sync status', () => {
  it('of no mirror ends with 5, of one that is too old with 9', async () => {
    expect((await home.run(['sync', 'status'])).code).toBe(5)
    expect((await home.run(['sync'])).code).toBe(0)
    expect(await home.run(['sync', 'status', '--max-age', '1h'])).toMatchObject({ code: 0, stderr: '' })
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(mirror())
    database.exec("UPDATE streams SET complete_at = '2020-01-01T00:00:00.000Z' WHERE kind = 'accounts'")
    database.close()
    const old = await home.run(['sync', 'status', '--max-age', '1h'])
    expect(old.code).toBe(9)
    expect(old.stdout).toMatch(/accounts\t.*stale/)
    expect((await home.run(['sync', 'status'])).code).toBe(0)
  })
})

describe.each(mirrorStores)('sync query on $name', ({ missing, place }) => {
  it.skipIf(missing !== undefined)(
    'holds output.max_rows rows and no more (exit 2), whatever the format; a larger setting holds more',
    async () => {
      const to = await place()
      await home.json(['sync', '--to', to])
      await home.run(['config', 'set', 'output.max_rows', '1000'])
      const query = (sql: string, ...more: string[]) => home.run(['sync', 'query', sql, '--to', to, ...more])
      const whole = await query('select id from transactions limit 1000', '--json')
      expect([whole.code, JSON.parse(whole.stdout).data.length]).toEqual([0, 1000])
      // The second never ends: more than the bound is not read.
      const endless =
        'with recursive n (n) as (select 1 union all select n + 1 from n where n < 1000000000) select n from n'
      for (const format of ['json', 'ndjson', 'csv']) {
        for (const sql of ['select id from transactions', endless]) {
          const { code, stdout, stderr } = await query(sql, '-o', format)
          expect([code, stdout]).toEqual([2, ''])
          expect(stderr).toContain('more than 1000 rows')
          expect(stderr).toContain('config set output.max_rows')
        }
      }
      await home.run(['config', 'set', 'output.max_rows', '100000'])
      const { code, stdout } = await query('select id from transactions', '-o', 'ndjson')
      expect([code, stdout.trim().split('\n').length > 1000]).toEqual([0, true])
    },
  )
})

describe('sync forget', () => {
  it('erases rows, files and the bodies of deliveries; no later run brings the Client back', async () => {
    const files = join(home.folder, 'files')
    await home.json(['sync', '--files', files])
    const watch = home.start(['sync', '--watch', '--port', '0', '--json', '--files', files])
    await watch.line((line) => line.includes('"outcome"'))
    const refused = await home.run(['sync', 'forget', 'cli_demo', '--yes', '--files', files])
    expect(refused).toMatchObject({ code: 6, stdout: '' })
    await home.json([
      'emulator',
      'trigger',
      'account.refresh.completed',
      '--connection',
      'con_AGGREGATOR_A_1001',
    ])
    await watch.line((line) => line.includes('"reread_at"'))
    watch.process.kill('SIGINT')
    expect((await watch.ended).code).toBe(0)
    expect((await home.json<{ data: [] }>(['webhooks', 'list'])).data).toEqual([])
    expect(readdirSync(join(files, 'statements', 'cli_demo'))).not.toEqual([])

    expect((await home.run(['sync', 'forget', 'cli_demo'])).stderr).toContain('files of cli_demo')
    expect((await home.run(['sync', 'forget', 'cli_demo', '--files', files])).code).toBe(2)
    expect(await asked('select count(*) as n from clients')).toEqual([{ n: 1 }])
    await home.json(['connections', 'refresh', 'con_AGGREGATOR_A_1001'])
    const operations = async () =>
      (await home.json<{ data: { subject?: string }[] }>(['operations', 'list'])).data
    expect(JSON.stringify(await operations())).toContain('con_AGGREGATOR_A_1001')
    const wrong = join(home.folder, 'wrong')
    mkdirSync(wrong)
    const mistaken = await home.run(['sync', 'forget', 'cli_demo', '--files', wrong, '--yes'])
    expect(mistaken).toMatchObject({ code: 2, stdout: '' })
    expect(mistaken.stderr).toContain(join(wrong, 'checks', 'cli_demo'))
    const kept = await asked('select path from files order by path')
    expect(await asked('select count(*) as n from clients')).toEqual([{ n: 1 }])
    rmSync(join(files, String(kept[0]?.['path'])))
    expect((await home.run(['sync', 'forget', 'cli_demo', '--files', files, '--yes'])).code).toBe(2)
    expect((await home.run(['sync', 'forget', 'cli_nobody', '--yes'])).code).toBe(5)
    const done = await home.json<{ rows: number; files: number; deliveries: number }>([
      ...['sync', 'forget', 'cli_demo', '--files', files, '--accept-missing', '--yes'],
    ])
    expect(done.files).toBe(kept.length - 1)
    expect(Math.min(done.rows, done.files, done.deliveries)).toBeGreaterThan(0)
    for (const kind of ['statements', 'checks']) expect(existsSync(join(files, kind, 'cli_demo'))).toBe(false)
    for (const file of [mirror(), join(home.folder, 'data', 'inbox.sqlite')]) {
      expect(readFileSync(file, 'latin1')).not.toMatch(/acc_AGGREGATOR_A_100101/)
    }
    expect(JSON.stringify(await operations())).not.toContain('con_AGGREGATOR_A_1001')
    const { data } = await home.json<{ data: { event_id: string }[] }>(['webhooks', 'events'])
    expect(data.length).toBeGreaterThanOrEqual(done.deliveries)

    await home.json(['sync'])
    expect(await asked('select id from clients')).toEqual([])
    expect(await asked('select client_id from forgotten_clients')).toEqual([{ client_id: 'cli_demo' }])
  })
})

it('sync lineage: a decision of a person is what the ledger goes by', async () => {
  await home.json(['sync'])
  await home.json(['emulator', 'bank', 'relink', 'con_AGGREGATOR_A_1001', '--keep-old'])
  await home.json(['sync'])
  const { data } = await home.json<{
    data: { old_account_id: string; new_account_id: string; match: string }[]
  }>([...['sync', 'lineage', 'list']])
  const { old_account_id: older = '', new_account_id: newer = '' } =
    data.find(({ match }) => match === 'exact') ?? {}
  const counted = async () =>
    Number(
      (await asked(`select count(*) as n from ledger where account_id in ('${older}', '${newer}')`))[0]?.[
        'n'
      ],
    )
  const once = await counted()
  expect(await home.json(['sync', 'lineage', 'reject', older, newer])).toMatchObject({ applied: false })
  expect(await counted()).toBeGreaterThan(once)
  await home.json(['sync'])
  expect(await home.json(['sync', 'lineage', 'confirm', older, newer])).toMatchObject({ applied: true })
  expect(await counted()).toBe(once)
  expect((await home.run(['sync', 'lineage', 'confirm', newer, older])).code).toBe(5)
})

describe('sync --refresh', () => {
  it('asks first, and without an answer does nothing', async () => {
    const { code, stderr } = await home.run(['sync', '--refresh'])
    expect(code).toBe(2)
    expect(stderr).toContain('--yes')
    expect(existsSync(mirror())).toBe(false)
  })

  it('refreshes, waits and syncs; a 429 is the budget of its Connection and stops only it', async () => {
    const refused = [
      'POST /connections/con_AGGREGATOR_A_1001/refresh',
      '--status',
      '429',
      '--retry-after',
      '3600',
    ]
    await home.json(['emulator', 'faults', 'add', ...refused])
    const { code, stdout, stderr } = await home.run(['sync', '--refresh', '--yes', '--json'])
    expect(code).toBe(9)
    expect(stderr).toContain('con_AGGREGATOR_A_1001 was not refreshed')
    const { refreshes, counts, outcome } = JSON.parse(stdout)
    expect(refreshes.failed).toMatchObject([{ connection_id: 'con_AGGREGATOR_A_1001' }])
    expect(refreshes.refreshed).toBe(2)
    expect([outcome, counts.clients.new, counts.connections.new]).toEqual(['complete', 1, 3])
    expect(counts.transactions.new).toBeGreaterThan(0)
  })
})

describe('sync --watch', () => {
  it('prints a line per reading, and what its flags are for needs it', async () => {
    expect((await home.run(['sync', '--forward', '3000'])).code).toBe(2)
    const watch = home.start(['sync', '--watch', '--port', '0'])
    await watch.line((line) => line.includes('=== schedule: 1 Client'))
    await home.json([
      'emulator',
      'trigger',
      'account.refresh.completed',
      '--connection',
      'con_AGGREGATOR_A_1001',
    ])
    await watch.line((line) => / === cli_demo {2}accounts, transactions: \d+ new/.test(line))
    watch.process.kill('SIGTERM')
    expect(await watch.ended).toMatchObject({ code: 0, stderr: '' })
  })
})

it('BANKAPI_SYNC_TO names the mirror', async () => {
  const to = join(home.folder, 'elsewhere.sqlite')
  await home.json(['sync'], { env: { BANKAPI_SYNC_TO: to } })
  expect([existsSync(to), existsSync(mirror())]).toEqual([true, false])
  writeFileSync(to, 'no database')
  expect((await home.run(['sync', 'status'], { env: { BANKAPI_SYNC_TO: to } })).code).toBe(2)
})
