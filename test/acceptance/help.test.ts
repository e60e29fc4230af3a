import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import { topicNames } from '../../src/cli/help/topic-names.ts'
import { createHome, type Home } from '../support/cli.ts'

let home: Home
beforeAll(() => {
  home = createHome({ keep: true })
})
afterAll(() => home.remove())

const out = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.run(args)
  expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, ''])
  return stdout
}

describe('help', () => {
  it('of the program: no arguments, help, --help and -h give the same, with the version and platform', async () => {
    const whole = await out()
    expect(await out('help')).toBe(whole)
    expect(await out('--help')).toBe(whole)
    expect(await out('-h')).toBe(whole)
    expect(whole).toContain(`node-${process.version}`)
    expect(whole).toMatch(/LINK BANKS[\s\S]*connections +Links[\s\S]*whoami[\s\S]*HELP TOPICS[\s\S]*EXAMPLES/)
  })

  it('of the program names every area, every command without one, and every help topic', async () => {
    const whole = await out()
    const names = Object.keys(manifest.commands).map((id) => id.split(':')[0] ?? '')
    for (const name of new Set(names.filter((each) => each !== 'help'))) {
      expect(whole).toMatch(new RegExp(`^  ${name} {2,}\\S`, 'm'))
    }
    for (const topic of topicNames) expect(whole).toMatch(new RegExp(`^  help ${topic} {2,}\\S`, 'm'))
  })

  it('of the program has examples that are commands', async () => {
    const [, examples = ''] = (await out()).split('EXAMPLES')
    const lines = [...examples.replaceAll(/ \\\n +/g, ' ').matchAll(/\$ bankapi (.*)/g)].map(
      ([, line = '']) => line,
    )
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) {
      const [area = '', verb = '', ...rest] = line.split(' ')
      const command = manifest.commands[`${area}:${verb}` as keyof typeof manifest.commands]
      expect([line, command?.id]).toEqual([line, `${area}:${verb}`])
      const flags = rest.filter((word) => word.startsWith('--')).map((word) => word.slice(2))
      expect(Object.keys(command.flags)).toEqual(expect.arrayContaining(flags))
    }
  })

  it('of an area: its name alone, with --help, and after help', async () => {
    const area = await out('connections')
    expect(await out('connections', '--help')).toBe(area)
    expect(await out('help', 'connections')).toBe(area)
    expect(area).toContain('connections reauthorize')
    expect(await out('emulator', 'faults')).toContain('emulator faults add')
  })

  it('of an area within a command: its name alone, with --help, and after help', async () => {
    const area = await out('sync', 'lineage')
    expect(await out('sync', 'lineage', '--help')).toBe(area)
    expect(await out('help', 'sync', 'lineage')).toBe(area)
    expect(area).toMatch(/^Accounts that continue another[\s\S]*sync lineage confirm/)
    expect(await out('sync', '--help')).not.toBe(area)
  })

  it('of a command, also after its arguments and flags', async () => {
    const command = await out('connections', 'get', '--help')
    expect(await out('help', 'connections', 'get')).toBe(command)
    expect(await out('connections', 'get', 'con_FDE_1', '--json', '-h')).toBe(command)
    expect(command).toMatch(/USAGE[\s\S]*ARGUMENTS[\s\S]*FLAGS[\s\S]*EXAMPLES/)
  })

  it('of every command names all its flags, and is 80 columns wide', async () => {
    for (const { id, flags, summary } of Object.values(manifest.commands)) {
      if (id === 'help') continue
      const page = await out(...id.split(':'), '--help')
      expect([id, page.replaceAll(/\s+/g, ' ')]).not.toEqual([id, expect.stringContaining('| ]')])
      expect(page.replaceAll(/\s+/g, ' ')).toContain(summary.replaceAll(/\s+/g, ' '))
      for (const name of Object.keys(flags))
        expect([id, page]).toEqual([id, expect.stringContaining(`--${name}`)])
      // A quoted argument of an example is not broken.
      expect(page.split('\n').filter((line) => line.length > 80 && !/['"]/.test(line))).toEqual([])
    }
  })

  it.each([60, 80, 120, 200])('takes the %i columns of a terminal, and breaks no word', async (columns) => {
    const widest: number[] = []
    const [narrow, wide] = [{ env: { COLUMNS: String(columns) } }, { env: { COLUMNS: '1000' } }]
    for (const args of [
      [],
      ['webhooks'],
      ['connections', 'refresh'],
      ['help', 'environment'],
      ['help', 'exit-codes'],
    ]) {
      const page = (await home.run([...args, '--help'], narrow)).stdout
      const lines = page.split('\n').filter((line) => !/['"]/.test(line))
      expect(lines.filter((line) => line.length > columns)).toEqual([])
      widest.push(...lines.map((line) => line.length))
      const words = (text: string) => text.split(/[\s\\]+/)
      expect(words(page)).toEqual(words((await home.run([...args, '--help'], wide)).stdout))
    }
    expect(Math.max(...widest)).toBeGreaterThan(Math.min(columns, 120) - 8)
  })

  it('is not shown for a --help after --', async () => {
    expect((await home.run(['config', 'get', '--', '--help'])).stdout).toBe('')
  })

  it('has bold headings when there are colours, and plain ones otherwise', async () => {
    expect((await home.run(['--help'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(
      '\u001b[1mUSAGE\u001b[',
    )
    expect(await out('--help')).not.toContain('\u001b')
  })
})

describe('the version', () => {
  it.each(['--version', '-V'])('%s', async (flag) => {
    const line = `bankapi/${manifest.version} ${process.platform}-${process.arch} node-${process.version}\n`
    expect(await out(flag)).toBe(line)
  })
})

describe('an unknown flag (exit 2) is told with the one that was probably meant', () => {
  it.each([
    ['--wiat', 'There is no flag --wiat. Did you mean --wait?'],
    ['--tiemout=5s', 'There is no flag --tiemout. Did you mean --timeout?'],
    ['-wait', 'There is no flag -wait. Did you mean --wait?'],
    ['--frobnicate', 'There is no flag --frobnicate.'],
  ])('%s', async (flag, message) => {
    const { code, stdout, stderr } = await home.run(['connections', 'refresh', 'con_FDE_1', flag])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(`Error: ${message} (usage)\nTry: bankapi connections refresh --help\n`)
    const json = await home.run(['connections', 'refresh', 'con_FDE_1', flag, '--json'])
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'usage', message } })
  })
})

describe('pages of commands', () => {
  it('a usage groups flags that exclude the same one', async () => {
    expect(await out('portal', 'live-request', 'create', '--help')).toMatch(
      /\[\[--idp-user-id <value>\]\s+\[--email <value>\][^|]*\|\s+--input\s+FILE\]/,
    )
    expect(await out('connections', 'list', '--help')).toContain('[--cursor <value> | --all]')
  })

  it('each flag says what it does: not its own name again', () => {
    for (const [id, { flags }] of Object.entries(manifest.commands)) {
      for (const { name, summary = '' } of Object.values(flags)) {
        const words = summary.toLowerCase().match(/[a-z]+/g) ?? []
        const others = words.filter((word) => word !== 'field' && !name.split('-').includes(word))
        expect([id, name, summary, others.length > 1]).toEqual([id, name, summary, true])
      }
    }
  })
})

describe('unknown words (exit 2)', () => {
  it.each([
    [['nope'], '"nope" is not a command', 'bankapi --help'],
    [['connections', 'lst'], 'Did you mean "connections list"?', 'bankapi connections --help'],
    [['sync', 'lineage', 'lst'], 'Did you mean "sync lineage list"?', 'bankapi sync lineage --help'],
    [['sync', 'lineage', '--json'], 'names several commands', 'bankapi sync lineage --help'],
    [['help', 'connections', 'lst'], 'Did you mean "connections list"?', 'bankapi connections --help'],
    [['exit-codes'], 'is a help topic', 'bankapi help exit-codes'],
    [['--json', 'clients', 'list'], '--json stands before the words', 'bankapi clients list --json'],
    [['-o', 'csv', 'clients', 'list'], '-o stands before the words', 'bankapi clients list -o csv'],
    [['transaction', 'list', 'acc_FDE_1'], 'Did you mean "transactions list"?', 'bankapi --help'],
    [['../../bin/run'], 'is not a command', 'bankapi --help'],
    [['conections', 'list', '--env', 'local'], '"conections list" is not a command', 'bankapi --help'],
    [['conections', 'list', '--evn', 'local'], '"conections list" is not a command', 'bankapi --help'],
    [
      ['conections', 'list', '--evn', 'local', '--help'],
      'Did you mean "connections list"?',
      'bankapi --help',
    ],
  ])('%j', async (args, message, hint) => {
    const { code, stdout, stderr } = await home.run(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  it('no command has an alias: the path is the command', () => {
    expect(Object.values(manifest.commands).filter(({ aliases }) => aliases.length > 0)).toEqual([])
  })
})
