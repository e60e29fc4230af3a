import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { slowRefreshes } from '../support/slow-refreshes.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell(['--refresh-duration', '50ms'])
const demo = ['con_AGGREGATOR_A_1001', 'con_AGGREGATOR_B_2001', 'con_FDE_123']
const ids = (count: number) => Array.from({ length: count }, (_, at) => `con_FDE_${at}`)

interface Row {
  readonly connection_id: string
  readonly outcome: string
}

describe('a refresh of many', () => {
  it('has 8 requests under way, and --concurrency others', async () => {
    for (const [flag, most] of [
      [[], 8],
      [['--concurrency', '3'], 3],
    ] as const) {
      const service = await slowRefreshes()
      const home = createHome({ env: { ...service.env } })
      const started = home.start(['connections', 'refresh', ...ids(20), ...flag])
      for (let left = 20; left > 0; ) {
        const wanted = Math.min(most, left)
        await until(() => service.pending.length === wanted, `${wanted} of ${left} requests under way`)
        service.pending[0]?.accept()
        left -= 1
      }
      expect((await started.ended).code).toBe(0)
      expect(service.requests).toHaveLength(20)
    }
  })

  it('after Ctrl-C: what was done, what is unknown, and what is left, which is written whole (exit 130)', async () => {
    const service = await slowRefreshes()
    const home = createHome({ env: { ...service.env } })
    const left = join(home.folder, 'left.txt')
    const flags = ['--keep-going', '--left', left, '-o', 'ndjson']
    const started = home.start(['connections', 'refresh', ...ids(20), ...flags])
    await until(() => service.pending.length === 8, 'requests under way')
    for (let times = 0; times < 3; times++) service.pending[0]?.accept()
    await until(() => service.requests.length === 11, 'three more')
    started.process.kill('SIGINT')
    const { code, stdout, stderr } = await started.ended
    expect(code).toBe(130)
    const rows = stdout
      .trim()
      .split('\n')
      .map((line): Row => JSON.parse(line))
    const of = (outcome: string) =>
      rows.filter((row) => row.outcome === outcome).map(({ connection_id }) => connection_id)
    expect(rows.map(({ connection_id }) => connection_id)).toEqual(ids(20))
    expect(of('accepted')).toHaveLength(3)
    expect(of('unknown')).toHaveLength(8)
    expect(of('left')).toHaveLength(9)
    expect(readFileSync(left, 'utf8')).toBe(`${of('left').join('\n')}\n`)
    expect(statSync(left).mode & 0o777).toBe(0o600)
    expect(stderr).toContain('20: 3 accepted, 8 unknown, 9 left. Interrupted.')
    expect(stderr).toContain(`Warning: unknown, because the answer was lost: ${of('unknown').join(', ')}.`)
    expect(stderr).toContain(`connections refresh --stdin --keep-going --left ${left} < ${left}`)
    expect(service.requests).toHaveLength(11)
  })

  it('killed, or interrupted twice: --left has what was not sent, and names what is under way', async () => {
    for (const signals of [['SIGKILL'], ['SIGINT', 'SIGINT']] as const) {
      const service = await slowRefreshes()
      const home = createHome({ env: { ...service.env } })
      const left = join(home.folder, 'left.txt')
      const started = home.start([
        ...['connections', 'refresh', ...ids(20), '--concurrency', '2', '--left', left],
      ])
      await until(() => service.pending.length === 2, 'requests under way')
      service.pending[0]?.accept()
      await until(() => service.requests.length === 3, 'one more')
      const pending = service.pending.map(({ id }) => `# under way: ${id}`)
      for (const signal of signals) {
        started.process.kill(signal)
        if (signal === 'SIGINT')
          await until(() => started.stderr().includes(`what was not sent is in ${left}`), 'a word')
      }
      await started.ended
      const lines = readFileSync(left, 'utf8').trim().split('\n')
      expect(lines.filter((line) => !line.startsWith('#'))).toEqual(ids(20).slice(3))
      expect(lines.filter((line) => line.startsWith('#'))).toEqual(expect.arrayContaining(pending))
      expect(readdirSync(home.folder).filter((name) => name.includes('left'))).toContain('left.txt')
    }
  })

  it('one whose answer was lost is unknown, not left, and sent once (exit 9)', async () => {
    const service = await slowRefreshes()
    const home = createHome({ env: { ...service.env } })
    const left = join(home.folder, 'left.txt')
    const started = home.start([
      ...['connections', 'refresh', ...ids(2), '--wait', '--keep-going', '--json', '--left', left],
    ])
    await until(() => service.pending.length === 2, 'two requests')
    service.pending.find(({ id }) => id === 'con_FDE_0')?.lose()
    service.pending.find(({ id }) => id === 'con_FDE_1')?.accept()
    const { code, stdout, stderr } = await started.ended
    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toMatchObject({
      data: [
        { connection_id: 'con_FDE_0', outcome: 'unknown', code: 'unreachable' },
        { connection_id: 'con_FDE_1', outcome: 'succeeded', operation_id: 'op_FDE_1' },
      ],
      summary: { unknown: 1, succeeded: 1 },
    })
    expect(stderr).toContain('con_FDE_0')
    expect(readFileSync(left, 'utf8')).toBe('')
    expect(service.requests.filter((line) => line.startsWith('POST'))).toHaveLength(2)
  })
})

describe('which Connections', () => {
  const outcomes = async (line: string, input?: string) => {
    const { code, stdout, stderr } = await emulator.run(`bankapi connections refresh ${line} -o ndjson`, {
      input,
    })
    const rows = stdout.split('\n').filter((text) => text !== '')
    return { code, stderr, ids: rows.map((text) => (JSON.parse(text) as Row).connection_id) }
  }

  it('those that are named, each once, and those on stdin; a line that begins with # is none', async () => {
    expect(await outcomes('con_FDE_123 con_AGGREGATOR_A_1001 con_FDE_123')).toMatchObject({
      code: 0,
      ids: ['con_FDE_123', 'con_AGGREGATOR_A_1001'],
    })
    const input = '# left\n\n con_FDE_123 \r\ncon_AGGREGATOR_A_1001\ncon_FDE_123\n'
    expect(await outcomes('--stdin', input)).toMatchObject({
      code: 0,
      ids: ['con_FDE_123', 'con_AGGREGATOR_A_1001'],
    })
  })

  it('every one of every Client, or of some; with --where those for which it is true', async () => {
    expect((await outcomes('--all-clients')).ids).toEqual(demo)
    expect((await outcomes('--client cli_demo')).ids).toEqual(demo)
    expect((await outcomes(`--all-clients --where '.source == "FDE" # mine'`)).ids).toEqual(['con_FDE_123'])
    expect((await outcomes(`${demo.join(' ')} --where '.source != "FDE"'`)).ids).toEqual(demo.slice(0, 2))
  })

  it('of whole Clients those that a refresh cannot help are skipped; --where takes them', async () => {
    await emulator.text('bankapi emulator trigger connection.disconnected --connection con_FDE_123')
    const row = (where: string) =>
      emulator.run(`bankapi connections refresh --all-clients --keep-going ${where} --jq '.data[2].outcome'`)
    expect((await row('')).stdout).toBe('skipped\n')
    expect(await row('--where true')).toMatchObject({ stdout: 'failed\n', code: 9 })
  })

  it.each([
    ['', 'connections_not_named'],
    ['--where true', 'connections_not_named'],
    ['con_FDE_123 --all-clients', 'connections_not_named'],
    ['--all-clients --client cli_demo', 'usage'],
    [`--all-clients --where '.x ==='`, 'usage'],
    ['con_FDE_123 con_00000000-0000-4000-8000-000000000000', 'placeholder_connection'],
    ['con_FDE_123 con_FDE_124 --left /no/such/folder/left', 'not_writable'],
    ['con_FDE_123 con_FDE_124 --left .', 'not_a_file'],
    [`con_FDE_123 con_FDE_124 --left ''`, 'empty_value'],
    [`--client ''`, 'empty_value'],
  ])('%s is refused before anything is sent (exit 2)', async (line, code) => {
    const closed = {
      BANKAPI_ENV: 'sandbox',
      BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3',
      BANKAPI_API_KEY: 'sk_test_00000000',
    }
    const run = await emulator.run(`bankapi connections refresh ${line} --json`, { env: closed })
    expect(run.code, run.stderr).toBe(2)
    expect(JSON.parse(run.stderr).error.code).toBe(code)
  })

  it('a CSV with their column is taken: its header is skipped, as the first line only', async () => {
    await emulator.text('bankapi emulator trigger connection.failed --connection con_FDE_123')
    const pipe = 'bankapi connections triage -o csv --columns connection_id | bankapi connections refresh'
    expect(await emulator.text(`${pipe} --stdin --jq '.data[].connection_id'`)).toBe('con_FDE_123')
    expect((await outcomes('--stdin', '# left\nid\ncon_FDE_123\n')).ids).toEqual(['con_FDE_123'])
    expect((await outcomes('--stdin', 'con_FDE_123\nid\n')).code).toBe(2)
  })

  it('of a long line on stdin that is no id an error shows 60 characters', async () => {
    const { code, stderr } = await outcomes('--stdin', `${'x'.repeat(5000)}\n`)
    expect(code).toBe(2)
    expect(stderr).toContain(`${'x'.repeat(59)}…`)
    expect(stderr).not.toContain('x'.repeat(60))
  })

  it('a line on stdin that is no id is named, and nothing is sent (exit 2)', async () => {
    const run = await outcomes('--stdin', 'con_FDE_123\nacc_FDE_1\n')
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('Line 2 of stdin')
    expect(JSON.parse(await emulator.text('bankapi operations list --json')).data).toEqual([])
  })
})

describe('its rows', () => {
  const line = `bankapi connections refresh ${demo.join(' ')} --wait`

  it('come in every format', async () => {
    const csv = await emulator.text(`${line} -o csv --columns connection_id,outcome`)
    expect(csv.split('\n')).toEqual(['connection_id,outcome', ...demo.map((id) => `${id},succeeded`)])
    expect(await emulator.text(`${line} --jq '.data[].outcome'`)).toBe('succeeded\nsucceeded\nsucceeded')
    expect(await emulator.text(`${line} -o yaml`)).toContain('outcome: succeeded')
    expect(await emulator.text(line)).toMatch(/^con_AGGREGATOR_A_1001\t.*succeeded/)
    expect(await emulator.screen(line)).toMatch(/CONNECTION .*OUTCOME/)
  })

  it.each(['--left left.txt', '--keep-going', '--concurrency 1', '--where true'])(
    'one id with %s is a bulk of one',
    async (flags) => {
      const one = `bankapi connections refresh con_FDE_123 ${flags} --wait --jq '.data[].outcome'`
      expect(await emulator.text(one)).toBe('succeeded')
      if (flags.startsWith('--left'))
        expect(readFileSync(join(emulator.shell.folder, 'left.txt'), 'utf8')).toBe('')
    },
  )

  it('when all were skipped, the summary says why', async () => {
    await emulator.text('bankapi emulator trigger connection.disconnected --connection con_FDE_123')
    const { code, stderr } = await emulator.run(
      `bankapi connections refresh --client cli_demo --where '.status == "disconnected"' --json`,
    )
    expect([code, stderr.includes('Why')]).toEqual([9, false])
    for (const id of demo.slice(0, 2))
      await emulator.text(`bankapi emulator trigger connection.disconnected --connection ${id}`)
    const all = await emulator.run('bankapi connections refresh --all-clients')
    expect([all.code, all.stderr]).toEqual([
      0,
      '3: 3 skipped. Why: access ended: only a new link brings data again (3).\n',
    ])
  })

  it('each operation is noted on this machine', async () => {
    await emulator.text(line)
    const noted = JSON.parse(await emulator.text('bankapi operations list --json')).data
    expect(noted.map(({ subject }: { subject: string }) => subject).sort()).toEqual(demo)
  })

  it('without --keep-going nothing is begun after a failure, and what was not done is in --left (exit 9)', async () => {
    const run = await emulator.run(
      'bankapi connections refresh con_FDE_9 con_FDE_123 con_AGGREGATOR_A_1001 --concurrency 1 --left left.txt --json',
    )
    expect(run.code).toBe(9)
    expect(JSON.parse(run.stdout).data.map(({ outcome }: Row) => outcome)).toEqual(['failed', 'left', 'left'])
    const left = join(emulator.shell.folder, 'left.txt')
    expect(readFileSync(left, 'utf8')).toBe('con_FDE_123\ncon_AGGREGATOR_A_1001\n')
    expect(run.stderr).toContain('--keep-going goes on')
    const again = await emulator.run('bankapi connections refresh --stdin --left left.txt < left.txt')
    expect([again.code, readFileSync(left, 'utf8')]).toEqual([0, ''])
  })

  it('a key that is not accepted stops all, with its own exit code, and all are left', async () => {
    const env = {
      BANKAPI_ENV: 'sandbox',
      BANKAPI_BASE_URL: emulator.home.sandbox.base_url,
      BANKAPI_API_KEY: `sk_test_${'0'.repeat(40)}`,
    }
    const run = await emulator.run(`bankapi connections refresh ${demo.join(' ')} --left left.txt`, { env })
    expect(run.code).toBe(3)
    expect(readFileSync(join(emulator.shell.folder, 'left.txt'), 'utf8')).toBe(`${demo.join('\n')}\n`)
  })

  it('the rate of requests makes it wait, and nothing is left', async () => {
    const fault = `bankapi emulator faults add 'POST /connections/*/refresh' --status 429 --retry-after 1 --times 6`
    await emulator.text(fault)
    const run = await emulator.run(`${line} --json`)
    expect(run.code, run.stderr).toBe(0)
    expect(JSON.parse(run.stdout).summary).toEqual({ succeeded: 3 })
  })
})
