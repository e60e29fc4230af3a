import { describe, expect, it } from 'vitest'
import { type CommandLine, readCommandLine } from './command-line.ts'

const common = { output: 'o', jq: '', columns: '', env: '', 'base-url': '' }
const commands = {
  'clients list': common,
  'clients create': { ...common, name: '' },
  'connections get': common,
  'keys list': common,
  'config get': common,
  'statements download': { ...common, client: '', 'output-file': 'O' },
  api: { ...common, field: 'F', header: 'H' },
}
const read = (argv: readonly string[]): CommandLine => readCommandLine(argv, commands)

describe('an error is a JSON document when stdout was to be JSON', () => {
  it.each([
    [['clients', 'list', '--json']],
    [['clients', 'list', '--jq', '.data']],
    [['clients', 'list', '--jq=.data']],
    [['clients', 'list', '-o', 'json']],
    [['clients', 'list', '-ojson']],
    [['clients', 'list', '--output=ndjson']],
    [['--json', 'nonsense']],
  ])('%j', (argv) => {
    expect(read(argv).json).toBe(true)
  })

  it.each([
    [['clients', 'list']],
    [['clients', 'list', '-o', 'csv']],
    [['api', 'GET', '/x', '--', '--json']],
  ])('%j is for people', (argv) => {
    expect(read(argv).json).toBe(false)
  })
})

describe('the words of a command', () => {
  it.each([
    [
      ['clients', 'list'],
      ['clients', 'list'],
    ],
    [
      ['connections', 'get', 'con_FDE_1', 'more'],
      ['connections', 'get'],
    ],
    [['keys', '--env', 'local', 'list'], ['keys']],
    [['api', 'GET', '/x'], ['api']],
    [[], []],
  ])('%j names %j', (argv, words) => {
    expect(read(argv).words).toEqual(words)
  })

  it('the value of a flag is no word', () => {
    expect(read(['conections', 'list', '--env', 'local']).positionals).toEqual(['conections', 'list'])
  })

  it.each([
    [
      ['clients', 'list', '--json'],
      ['clients', 'list'],
    ],
    [
      ['connections', 'get', 'con_FDE_1'],
      ['connections', 'get'],
    ],
    [['clients'], undefined],
    [['--env', 'local', 'clients', 'list'], undefined],
  ])('%j: the command is %j', (argv, command) => {
    expect(read(argv).command).toEqual(command)
  })

  it.each([
    [['--env', 'local', 'clients', 'list'], '--env'],
    [['clients', '--env', 'local', 'list'], '--env'],
    [['--', 'clients', 'list'], '--'],
    [['clients', '--json'], undefined],
  ])('%j: the flag before a word is %j', (argv, flag) => {
    expect(read(argv).leadingFlag).toBe(flag)
  })
})

describe('the value of a flag is not read as a flag', () => {
  it.each([
    [['statements', 'download', 'stmt_FDE_1', '-Ostmt_march.pdf']],
    [['api', 'POST', '/clients', '-Fname=michael']],
    [['api', 'GET', '/clients', '-HX:chat']],
    [['api', 'POST', '/x', '-Fa=ojson']],
    [['clients', 'create', '--name', '-h']],
    [['clients', 'create', '--name', '--columns']],
  ])('%j', (argv) => {
    expect(read(argv)).toMatchObject({ help: undefined, asksForColumns: false, json: false })
  })
})

describe('the version', () => {
  it.each([[['--version']], [['-V']], [['--json', '--version']]])('%j asks for it', (argv) => {
    expect(read(argv).asksForVersion).toBe(true)
  })

  it('is not what a command asks for', () => {
    expect(read(['clients', 'create', '--name', '--version']).asksForVersion).toBe(false)
  })
})

describe('help', () => {
  it.each([
    [[], []],
    [['--help'], []],
    [['-h'], []],
    [['help'], []],
    [['help', 'keys'], ['keys']],
    [
      ['keys', 'list', '--help'],
      ['keys', 'list'],
    ],
    [
      ['keys', 'list', '--env', 'local', '-h'],
      ['keys', 'list'],
    ],
  ])('%j asks about %j', (argv, subject) => {
    expect(read(argv).help).toEqual(subject)
  })

  it.each([[['clients', 'list']], [['config', 'get', '--', '--help']]])('%j asks for none', (argv) => {
    expect(read(argv).help).toBeUndefined()
  })
})

describe('--columns without a value lists the columns', () => {
  it.each([[['--columns']], [['--columns=']], [['--columns', '--json']], [['--columns', '-o', 'csv']]])(
    '%j',
    (argv) => {
      expect(read(['clients', 'list', ...argv]).asksForColumns).toBe(true)
    },
  )

  it.each([[['--columns', 'id']], [['--columns=id,name']], [['--', '--columns']]])('%j does not', (argv) => {
    expect(read(['clients', 'list', ...argv]).asksForColumns).toBe(false)
  })
})

describe("--version is the program's where there is no command, and a command's own after it", () => {
  it.each([[['--version']], [['-V']]])('%j', (argv) => {
    expect(readCommandLine(argv, { ...commands, openapi: { version: '' } }).asksForVersion).toBe(true)
  })

  it('openapi --version 3.2', () => {
    const line = readCommandLine(['openapi', '--version', '3.2'], { openapi: { version: '' } })
    expect(line).toMatchObject({ asksForVersion: false, positionals: ['openapi'] })
  })
})
