/** What a sync says when it cannot do all of its work, and that nothing is half-written then. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { endClaims, postgresServer, whyNoPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()
const CARD = 'acc_AGGREGATOR_A_100103'

const mirrorAt = (name = 'mirror.sqlite') => join(emulator.shell.folder, name)

function rows(query: string, path = mirrorAt()) {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

/** Runs a sync into a file of the work folder; its summary, when it has one, beside how it ended. */
async function sync(flags = '', before = '') {
  const { code, stdout, stderr } = await emulator.run(
    `${before} bankapi sync --to mirror.sqlite --json ${flags}`,
  )
  return { code, stderr, summary: stdout === '' ? undefined : JSON.parse(stdout) }
}

/** Every transaction page is whole and has the cursor that follows it. */
function expectNothingHalfWritten(path = mirrorAt()) {
  expect(rows('PRAGMA integrity_check', path)).toEqual([{ integrity_check: 'ok' }])
  const unfinished = `SELECT s.subject FROM streams s WHERE s.kind = 'transactions' AND s.complete_walk = 0
    AND s.walk_rows <> (SELECT count(*) FROM transactions t WHERE t.account_id = s.subject)`
  expect(rows(unfinished, path)).toEqual([])
}

describe.each([422, 500])('accounts that answer %i', (status) => {
  it('are named with a code and what to do, exit 9; the rest is there and nothing of them is called fresh', async () => {
    await emulator.text(`bankapi emulator faults add 'GET /accounts/${CARD}/transactions' --status ${status}`)
    await emulator.text(
      `bankapi emulator faults add 'GET /accounts/acc_FDE_12301/statements' --status ${status}`,
    )
    const { code, stderr, summary } = await sync('--timeout 60s')
    expect(code).toBe(9)
    expect(summary).toMatchObject({
      outcome: 'failed',
      failed: expect.arrayContaining([
        {
          kind: 'transactions',
          subject: CARD,
          client_id: 'cli_demo',
          code: expect.any(String),
          message: expect.any(String),
        },
        {
          kind: 'statements',
          subject: 'acc_FDE_12301',
          client_id: 'cli_demo',
          code: expect.any(String),
          message: expect.any(String),
        },
      ]),
    })
    expect(summary.failed).toHaveLength(2)
    expect(stderr).toContain(CARD)
    expect(stderr).toContain('the next run tries again')
    expect(
      rows('SELECT kind, subject FROM streams WHERE complete_at IS NULL ORDER BY kind').map((row) => ({
        ...row,
      })),
    ).toEqual([
      { kind: 'statements', subject: 'acc_FDE_12301' },
      { kind: 'transactions', subject: CARD },
    ])
    expect(rows('SELECT subject FROM streams WHERE complete_at IS NULL AND error_code IS NULL')).toEqual([])
    await emulator.text('bankapi emulator faults clear')
    expect(await sync()).toMatchObject({ code: 0, summary: { outcome: 'complete', failed: [] } })
  })

  it('a Client whose accounts cannot be listed is named, and nothing is gone because of it', async () => {
    await sync()
    await emulator.text(`bankapi emulator faults add 'GET /accounts' --status ${status}`)
    expect(await sync('--full')).toMatchObject({
      code: 9,
      summary: { failed: [{ kind: 'accounts', subject: 'cli_demo', client_id: 'cli_demo' }] },
    })
    expect(rows('SELECT id FROM accounts WHERE gone_at IS NOT NULL')).toEqual([])
  })
})

describe('a mirror that cannot be written', () => {
  it('on a full disk: a sentence, exit 2, and the next run goes on there', async () => {
    // A process that can write no file beyond so many KiB: to it the disk is full there.
    const { code, stderr, summary } = await sync('', 'ulimit -S -f 600 &&')
    expect([code, summary]).toEqual([2, undefined])
    expect(stderr).toContain('the disk is full')
    expectNothingHalfWritten()
    expect(await sync()).toMatchObject({ code: 0, summary: { outcome: 'complete' } })
  })

  it('of another customer: exit 2, nothing is written', async () => {
    await sync()
    const database = new DatabaseSync(mirrorAt())
    database.exec(
      "UPDATE clients SET id = 'cli_of_another'; UPDATE runs SET outcome = 'complete'; PRAGMA wal_checkpoint(TRUNCATE)",
    )
    database.close()
    const before = rows(
      'SELECT (SELECT count(*) FROM runs) AS runs, (SELECT max(changed_at) FROM clients) AS changed',
    )
    const { code, stderr } = await sync()
    expect(code).toBe(2)
    expect(stderr).toContain('another customer')
    expect(
      rows('SELECT (SELECT count(*) FROM runs) AS runs, (SELECT max(changed_at) FROM clients) AS changed'),
    ).toEqual(before)
  })

  it('of a later version: exit 2, nothing is written', async () => {
    await sync('--only statements')
    const database = new DatabaseSync(mirrorAt())
    database.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
    const before = readFileSync(mirrorAt())
    const { code, stderr } = await sync()
    expect(code).toBe(2)
    expect(stderr).toContain('later version')
    expect(readFileSync(mirrorAt()).equals(before)).toBe(true)
  })

  it('that is read-only: exit 2, nothing is written', async () => {
    await sync('--only statements')
    const folder = join(emulator.shell.folder, 'kept')
    mkdirSync(folder)
    const kept = join(folder, 'mirror.sqlite')
    copyFileSync(mirrorAt(), kept)
    const before = readFileSync(kept)
    chmodSync(kept, 0o400)
    chmodSync(folder, 0o500)
    // Root is held to the mode of files only without this right.
    const asAnybody = process.getuid?.() === 0 ? 'setpriv --bounding-set=-dac_override' : ''
    const { code, stderr } = await emulator.run(`${asAnybody} bankapi sync --to kept/mirror.sqlite`)
    chmodSync(folder, 0o700)
    expect(code).toBe(2)
    expect(stderr).toContain('kept/mirror.sqlite')
    expect(readFileSync(kept).equals(before)).toBe(true)
  })

  it('of another program: exit 2, and it stays as it is', async () => {
    const database = new DatabaseSync(mirrorAt())
    database.exec('CREATE TABLE theirs (id INTEGER)')
    database.close()
    const before = readFileSync(mirrorAt())
    const { code, stderr } = await sync()
    expect(code).toBe(2)
    expect(stderr).not.toBe('')
    expect(readFileSync(mirrorAt()).equals(before)).toBe(true)
  })
})

describe('a run that could not begin', () => {
  const mirrors = () => globSync('mirror.sqlite*', { cwd: emulator.shell.folder })
  const watch = '--watch --port 0'

  it.each([
    ['an unknown Client', '--client cli_typo', '', 5, 'unknown_client'],
    ['a key that is refused', '', 'BANKAPI_API_KEY=sk_test_wrong', 3, 'unknown_api_key'],
    [
      'a service that is not there',
      '--base-url http://127.0.0.1:9/v3',
      'BANKAPI_API_KEY=sk_test_1',
      11,
      'unreachable',
    ],
    ['a folder that cannot be used', '--files a-file', '', 2, 'files_not_writable'],
    ['an unknown Client, with --watch', `${watch} --client cli_typo`, '', 5, 'unknown_client'],
    ['a folder that cannot be used, with --watch', `${watch} --files a-file`, '', 2, 'files_not_writable'],
  ])('%s: ends with its exit code, and leaves no mirror', async (_what, flags, before, code, named) => {
    writeFileSync(join(emulator.shell.folder, 'a-file'), '')
    const ended = await sync(flags, before)
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(named) })
    expect(mirrors()).toEqual([])
  })

  it('leaves a mirror that was there, though it has no Client', async () => {
    await sync('--client cli_demo --only checks')
    const database = new DatabaseSync(mirrorAt())
    database.exec('DELETE FROM clients')
    database.close()
    expect((await sync('--client cli_typo')).code).toBe(5)
    expect(existsSync(mirrorAt())).toBe(true)
  })
})

describe.skipIf(whyNoPostgres() !== undefined)(`on Postgres ${whyNoPostgres() ?? ''}`, () => {
  it('a run that loses the claim on its mirror says so and ends (exit 11), and the next one goes on', async () => {
    const to = await (await postgresServer()).database()
    await emulator.text(`bankapi emulator faults add 'GET /accounts/${CARD}/transactions' --delay 60000`)
    const running = emulator.home.start(['sync', '--to', to, '--json'])
    const rowsOf = async () =>
      (await emulator.run(`bankapi sync query 'select id from accounts' --to ${to} --json`)).stdout
    await until(async () => (await rowsOf()).includes(CARD), 'accounts in the mirror')
    expect(await endClaims(to)).toBe(1)
    const { code, stdout, stderr } = await running.ended
    expect([code, stdout]).toEqual([11, ''])
    expect(stderr).toContain('that kept other runs out was lost')
    expect(stderr).toContain('run the same command again')
    await emulator.text('bankapi emulator faults clear')
    expect((await emulator.run(`bankapi sync --to ${to}`)).code).toBe(0)
  })
})

it.each(['--timeout 5s', '--refresh --yes'])(
  '--watch with %s is refused in a plain sentence',
  async (flags) => {
    const { code, stderr } = await sync(`--watch ${flags}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`it does not go with ${flags.split(' ')[0]}`)])
  },
)
