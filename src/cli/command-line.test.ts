import { describe, expect, it } from 'vitest'
import { readCommandLine } from './command-line.ts'

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
    expect(readCommandLine(argv).json).toBe(true)
  })

  it.each([
    [['clients', 'list']],
    [['clients', 'list', '-o', 'csv']],
    [['api', 'GET', '/x', '--', '--json']],
  ])('%j is for people', (argv) => {
    expect(readCommandLine(argv).json).toBe(false)
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
    expect(readCommandLine(argv).words).toEqual(words)
  })

  it('the value of a flag is no word', () => {
    expect(readCommandLine(['conections', 'list', '--env', 'local']).positionals).toEqual([
      'conections',
      'list',
    ])
  })

  it.each([
    [
      ['--env', 'local', 'clients', 'list'],
      ['--env', 'local'],
    ],
    [['--json', 'clients', 'list'], ['--json']],
    [['clients', '--json'], []],
  ])('%j: flags before every word are %j', (argv, flags) => {
    expect(readCommandLine(argv).leadingFlags).toEqual(flags)
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
    expect(readCommandLine(argv).help).toEqual(subject)
  })

  it.each([[['clients', 'list']], [['config', 'get', '--', '--help']]])('%j asks for none', (argv) => {
    expect(readCommandLine(argv).help).toBeUndefined()
  })
})

describe('--columns without a value lists the columns', () => {
  it.each([[['--columns']], [['--columns=']], [['--columns', '--json']], [['--columns', '-o', 'csv']]])(
    '%j',
    (argv) => {
      expect(readCommandLine(['clients', 'list', ...argv]).asksForColumns).toBe(true)
    },
  )

  it.each([[['--columns', 'id']], [['--columns=id,name']], [['--', '--columns']]])('%j does not', (argv) => {
    expect(readCommandLine(['clients', 'list', ...argv]).asksForColumns).toBe(false)
  })
})
