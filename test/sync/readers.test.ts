/**
 * Programs of others read a mirror: `sqlite3`, Python's sqlite3 and `psql` run the queries of docs/keep-a-database.md, and the commands
 * there print what it shows.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Emulator, startEmulator } from '../../src/emulator.ts'
import { consoleCommands, sameShape } from '../docs/shown-output.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { mirrorStores, openedMirror, synced } from '../support/mirrors.ts'

const page = readFileSync(new URL('../../docs/keep-a-database.md', import.meta.url), 'utf8')
const queries = [...page.matchAll(/^```sql\n([\s\S]*?)```/gm)].map(([, sql = '']) => sql.trim())
const python = /^```python\n([\s\S]*?)```/m.exec(page)?.[1] ?? ''

/** Programs that are not on this machine. With BANKAPI_TEST_NO_SKIP=1 that fails. */
const absent = ['sqlite3', 'python3', 'psql'].filter((name) => spawnSync(name, ['--version']).status !== 0)
if (absent.length > 0 && process.env['BANKAPI_TEST_NO_SKIP'] === '1') {
  throw new Error(`Not on this machine: ${absent.join(', ')}`)
}

/** Prints the rows of each query of a JSON list on stdin, as JSON. */
const program = `
import json, sqlite3, sys
mirror = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
print(json.dumps([[list(row) for row in mirror.execute(sql)] for sql in json.load(sys.stdin)]))
`

type Rows = readonly (readonly string[])[]
const texts = (rows: readonly (readonly unknown[])[]): Rows =>
  rows.map((row) => row.map((value) => (value === null ? '' : String(value))))

/** Cells are separated by 0x1f and rows by 0x1e, which no bank writes. */
const table = (output: string): Rows =>
  output
    .split('\x1e')
    .map((line) => line.replace(/^\n|\n$/g, ''))
    .filter((line) => line !== '')
    .map((line) => line.split('\x1f'))

const readers = {
  sqlite3: (path: string) =>
    queries.map((sql) =>
      table(
        execFileSync('sqlite3', ['-readonly', '-separator', '\x1f', '-newline', '\x1e', path, sql], {
          encoding: 'utf8',
        }),
      ),
    ),
  python: (path: string) => {
    const output = execFileSync('python3', ['-c', program, path], {
      input: JSON.stringify(queries),
      encoding: 'utf8',
    })
    return (JSON.parse(output) as unknown[][][]).map(texts)
  },
  psql: (url: string) =>
    queries.map((sql) =>
      table(
        execFileSync('psql', [url, '-X', '-qAt', '-F', '\x1f', '-R', '\x1e', '-c', sql], {
          env: { ...process.env, PGOPTIONS: '-c search_path=bankapi -c default_transaction_read_only=on' },
          encoding: 'utf8',
        }),
      ),
    ),
}

/** An emulator whose data has a row for every query: a reissued charge, a bank that needs its user. */
async function emulatorWithHistory(sync: (emulator: Emulator) => Promise<unknown>): Promise<void> {
  const emulator = await startEmulator({ seed: 7 })
  onTestFinished(() => emulator.stop())
  await sync(emulator)
  const bank = emulator.bank('acc_FDE_12301')
  const held = bank.record({ amount: -41.5, description: 'CAFE ROUND CORNER', pending: true })
  await sync(emulator)
  bank.reissue(held)
  bank.record({ amount: -8.25, description: 'CAFE ROUND CORNER', pending: true })
  emulator.trigger({ type: 'connection.requires_action', connection: 'con_AGGREGATOR_A_1001' })
  await emulator.advance('1h')
  await sync(emulator)
}

describe.skipIf(absent.length > 0)('the queries of docs/keep-a-database.md', () => {
  test('give the same rows in sqlite3, in Python and in psql', { timeout: 120_000 }, async () => {
    expect(queries.length).toBeGreaterThan(7)
    const places = await Promise.all(
      mirrorStores.filter(({ missing }) => missing === undefined).map(({ place }) => place()),
    )
    const mirrors = await Promise.all(places.map((place) => openedMirror(place)))
    await emulatorWithHistory(async (emulator) => {
      for (const mirror of mirrors) await synced(mirror, emulator)
    })
    const [file = '', url] = places
    const rows = readers.sqlite3(file)
    expect(readers.python(file)).toEqual(rows)
    if (url !== undefined) expect(readers.psql(url)).toEqual(rows)
    // The last one asks for what cannot be called fresh.
    expect(queries.filter((_, index) => rows[index]?.length === 0)).toEqual([queries.at(-1)])
  })
})

describe.skipIf(absent.length > 0)('what docs/keep-a-database.md shows', () => {
  const emulator = emulatorShell()

  test('is what the commands print', { timeout: 120_000 }, async () => {
    const commands = consoleCommands(page)
    expect(commands.length).toBeGreaterThan(4)
    for (const { line, output } of commands) {
      const { code, screen } = await emulator.open(line, { columns: 100 }).ended
      expect([line, code]).toEqual([line, 0])
      expect(sameShape(output, screen), `$ ${line}\n${output.join('\n')}\n--- printed:\n${screen}`).toBe(true)
    }
    const { stdout, stderr } = await emulator.run('python3 -', { input: python })
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^-?\d+\.\d\d\n$/)
    const exported = /^bankapi sync query .* > ledger\.ndjson$/m.exec(page)?.[0] ?? ''
    await emulator.text(exported.replace('-o ndjson', '-o ndjson --to bank.sqlite'))
    const [first = ''] = readFileSync(join(emulator.shell.folder, 'ledger.ndjson'), 'utf8').split('\n')
    expect(Object.keys(JSON.parse(first))).toEqual([
      ...['client_external_id', 'account_name', 'date', 'amount', 'category'],
    ])
  })
})
