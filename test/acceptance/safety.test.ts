/** Protection of terminals, spreadsheets, files and live data. */
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { hostileServer } from '../support/hostile-server.ts'
import { createShell } from '../support/shell.ts'
import { keys, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()
const folder = () => emulator.shell.folder
/** Shell text for the id of an existing statement. */
const newest = `"$(bankapi statements list acc_FDE_12301 --limit 1 --jq '.data[0].id' 2> /dev/null)"`

async function createClient(fields: Record<string, string>): Promise<void> {
  const { base_url, api_key } = emulator.home.sandbox
  const headers = { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' }
  const { status } = await fetch(`${base_url}/clients`, {
    method: 'POST',
    headers,
    body: JSON.stringify(fields),
  })
  expect(status).toBe(201)
}

describe('confirmation', () => {
  const id = 'con_AGGREGATOR_A_1001'
  const status = () => emulator.text(`bankapi connections get ${id} --jq .status`)

  it.each([
    ['stdin is a pipe', `echo y | bankapi connections delete ${id}`, {}],
    ['stderr is a file', `bankapi connections delete ${id} 2> log`, {}],
    ['it is CI', `bankapi connections delete ${id}`, { CI: 'true' }],
  ])('without somebody to ask (%s) nothing is done, exit 2', async (_, line, env) => {
    const { code } = await emulator.open(line, { env }).ended
    expect([code, await status()]).toEqual([2, 'active'])
  })

  it('Ctrl-C at the question does nothing (exit 130)', async () => {
    const terminal = emulator.open(`bankapi connections delete ${id}`)
    await terminal.sees('Delete')
    terminal.type(keys.ctrlC)
    expect((await terminal.ended).code).toBe(130)
    expect(await status()).toBe('active')
  })

  it('Enter alone means no', async () => {
    const terminal = emulator.open(`bankapi connections delete ${id}`)
    await terminal.sees('(y/N)')
    terminal.type(keys.enter)
    expect((await terminal.ended).code).toBe(2)
    expect(await status()).toBe('active')
  })

  it('--yes confirms', async () => {
    expect((await emulator.run(`bankapi connections delete ${id} --yes`)).code).toBe(0)
    expect(await status()).toBe('disconnected')
  })
})

describe('live', () => {
  const live = () => {
    const { base_url, api_key } = emulator.home.live
    return { BANKAPI_ENV: 'live', BANKAPI_BASE_URL: base_url, BANKAPI_API_KEY: api_key }
  }
  const banner = 'live: this acts on real data'

  it('says so on stderr when it is a terminal, and only then', async () => {
    expect((await emulator.open('bankapi clients list', { env: live() }).ended).screen).toContain(banner)
    expect((await emulator.run('bankapi clients list', { env: live() })).stderr).toBe('')
    await emulator.open('bankapi clients list > data', { env: live() }).ended
    expect(readFileSync(join(folder(), 'data'), 'utf8')).not.toContain(banner)
  })

  it('sandbox and local say nothing', async () => {
    expect((await emulator.open('bankapi clients list').ended).screen).not.toContain('real data')
  })
})

describe('text from outside', () => {
  /** Bank data with everything that could harm a terminal: cursor movement, a title, a link, reversed text, lines, a hidden character. */
  const evil =
    '\u001b[2J\u001b]0;title\u0007A\u001b]8;;http://x\u001b\\\u202eB\u202c\r\nC\u009b31m\u200bD\u0000'.replace(
      '\u0000',
      '',
    )

  beforeEach(async () => {
    await createClient({ external_id: 'evil', name: evil })
    await createClient({ external_id: 'formula', name: '=cmd|"/c calc"!A1', email: '@sum' })
  })

  it.each(['', '--json', '-o yaml', '-o csv', '-o ndjson', '--jq .data[].name', '--columns name'])(
    'never reaches a terminal as anything but text (%s)',
    async (flags) => {
      const { raw } = await emulator.open(`bankapi clients list ${flags}`, { env: { NO_COLOR: '1' } }).ended
      expect(raw).toContain('title')
      expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b]/u)
    },
  )

  it('keeps each row on one line in a pipe, and JSON has the data unchanged', async () => {
    const rows = await emulator.text('bankapi clients list --all --columns external_id,name')
    expect(rows.split('\n').filter((line) => line.startsWith('evil\t'))).toHaveLength(1)
    const list = JSON.parse(await emulator.text('bankapi clients list --all --json'))
    expect(list.data.find((client: { external_id: string }) => client.external_id === 'evil').name).toBe(evil)
  })

  it('a CSV cell that a spreadsheet would run as a formula is neutralised', async () => {
    const csv = await emulator.text('bankapi clients list --all -o csv --columns name,email')
    expect(csv).not.toMatch(/(^|[,"\n])[=@]/)
    expect(csv).toContain('cmd|')
  })
})

describe('a download', () => {
  const download = `bankapi statements download ${newest}`

  it('keeps what is there, also what a link points to, and never writes over a folder or a device', async () => {
    writeFileSync(join(folder(), 'kept'), 'kept')
    symlinkSync('kept', join(folder(), 'link'))
    expect((await emulator.run(`${download} -O link`)).code).toBe(2)
    expect((await emulator.run(`${download} -O link --force`)).code).toBe(0)
    expect(readFileSync(join(folder(), 'kept'), 'utf8')).toBe('kept')
    expect((await emulator.run(`${download} -O . --force`)).code).toBe(2)
    expect((await emulator.run(`${download} -O /dev/null --force`)).code).toBe(2)
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('that is interrupted leaves no file (exit 130); one that is killed leaves none under its name', async () => {
    const server = await hostileServer((response) => {
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': 5_000_000 })
      response.write(`%PDF-1.7 ${'x'.repeat(100_000)}`)
    })
    const home = createHome({ env: { BANKAPI_BASE_URL: server.baseUrl, BANKAPI_API_KEY: 'sk_test_1' } })
    const shell = createShell(home)
    const line = 'exec bankapi statements download stmt_FDE_1 --client cli_1'
    const begun = () => until(() => readdirSync(shell.folder).length > 0, 'a file that is being written')
    const interrupted = openTerminal(shell, line)
    await begun()
    await interrupted.sees('2%')
    interrupted.type(keys.ctrlC)
    expect((await interrupted.ended).code).toBe(130)
    expect(readdirSync(shell.folder)).toEqual([])

    const killed = openTerminal(shell, line)
    await begun()
    process.kill(killed.pid, 'SIGKILL')
    await killed.ended
    expect(existsSync(join(shell.folder, 'stmt_FDE_1.pdf'))).toBe(false)
    expect(readdirSync(shell.folder).every((name) => name.startsWith('.') && name.endsWith('.part'))).toBe(
      true,
    )
  })

  it('to a path that cannot be written says why (exit 2)', async () => {
    const { code, stderr } = await emulator.run(`${download} -O nowhere/march.pdf`)
    expect([code, stderr]).toEqual([
      2,
      'Error: nowhere/march.pdf cannot be written: no such file or directory (not_writable)\n' +
        'Try: Choose another place with --output-file, or - for stdout\n',
    ])
  })
})

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  it.each([
    '--version',
    '--help',
    'clients list',
    'transactions list acc_FDE_12301 --all -o ndjson',
    `statements download ${newest} -O -`,
  ])('is one sentence and exit 1, without a stack trace: %s', async (command) => {
    const { code, stderr } = await emulator.run(`bankapi ${command} > /dev/full`)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Error: stdout cannot be written: .*no space left on device.*\n$/)
  })
})

describe('a table', () => {
  it.each([40, 80, 250])('takes no more than %i columns, in no more lines than rows', async (columns) => {
    const list = 'bankapi transactions list acc_FDE_12301 --limit 20 2> more'
    const { screen } = await emulator.open(list, { columns, rows: 60 }).ended
    const [head = '', ...lines] = screen.split('\n')
    expect(lines).toHaveLength(20)
    expect(head).toMatch(/DATE +AMOUNT USD +DESCRIPT/)
    expect(head.includes('MERCHANT')).toBe(columns === 250)
    for (const line of lines) expect(line).toMatch(/^[\d-]{10} +[-+]?[\d,]+\.\d\d {2}\S/)
  })

  it('wide characters keep their columns aligned', async () => {
    await emulator.text(
      "bankapi clients create --name '山田太郎' --email yamada@example.com --external-id wide",
    )
    const { screen } = await emulator.open('bankapi clients list --columns name,email,external_id').ended
    const columnOf = (name: string) => {
      const line = screen.split('\n').find((text) => text.includes(name)) ?? ''
      return [...line]
        .slice(0, line.indexOf('@'))
        .reduce((width, letter) => width + (letter > '\u2e80' ? 2 : 1), 0)
    }
    expect(columnOf('yamada') - 'yamada'.length).toBe(columnOf('zoe.nunez') - 'zoe.nunez'.length)
  })
})

describe('colours', () => {
  /** True when the text turns on bold, dim or a colour. */
  const isPainted = (raw: string) => ['\u001b[1m', '\u001b[2m', '\u001b[3'].some((code) => raw.includes(code))

  it('are used on a terminal and not in a pipe', async () => {
    expect(isPainted((await emulator.open('bankapi connections list').ended).raw)).toBe(true)
    expect(isPainted((await emulator.run('bankapi connections list')).stdout)).toBe(false)
  })

  it.each([
    ['a list', 'bankapi connections list'],
    ['an error', 'bankapi connections get con_FDE_999'],
    ['a warning', 'bankapi connections get con_FDE_999 --env live'],
  ])('NO_COLOR keeps them out of %s', async (_, line) => {
    expect(isPainted((await emulator.open(line, { env: { NO_COLOR: '1' } }).ended).raw)).toBe(false)
  })

  it('NO_COLOR turns them off in a prompt', async () => {
    const terminal = emulator.open('bankapi connections delete con_FDE_123', { env: { NO_COLOR: '1' } })
    await terminal.sees('(y/N)')
    terminal.type('n\r')
    expect(isPainted((await terminal.ended).raw)).toBe(false)
  })
})
