/** Reads the flags and words of the command line that are needed before the command is known; oclif parses the rest. */
import { parseArgs } from 'node:util'

export interface CommandLine {
  readonly argv: readonly string[]
  /** The words before the first flag or value: they name a command, and may hold its first arguments. */
  readonly words: readonly string[]
  /** Flags, with their values, that stand before every word. */
  readonly leadingFlags: readonly string[]
  /** Everything that is neither a flag nor the value of a common flag. */
  readonly positionals: readonly string[]
  /** The words after `help` or beside `--help`, none for the whole program; undefined without either. */
  readonly help: readonly string[] | undefined
  readonly asksForVersion: boolean
  /** `--columns` without a value: list what it takes. */
  readonly asksForColumns: boolean
  /** `--json`, `--jq` or `-o json|ndjson`: errors are JSON, too. */
  readonly json: boolean
  readonly debug: boolean
  readonly env: string | undefined
}

/** Flags that mean the same on every command. */
const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  json: { type: 'boolean' },
  debug: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  jq: { type: 'string' },
  columns: { type: 'string' },
  env: { type: 'string' },
  'base-url': { type: 'string' },
} as const

export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true })
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? argv.length
  const positionals = tokens.flatMap((token) =>
    token.kind === 'positional' && token.index < end ? [token.value] : [],
  )
  const firstWord = tokens.find(({ kind }) => kind !== 'option')?.index ?? argv.length
  const notAWord = argv.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word))
  const has = (name: string) => tokens.some((token) => token.kind === 'option' && token.name === name)
  const asksForHelp = argv.length === 0 || argv[0] === 'help' || has('help')
  return {
    argv,
    words: notAWord === -1 ? argv : argv.slice(0, notAWord),
    leadingFlags: argv.slice(0, firstWord),
    positionals,
    help: asksForHelp ? positionals.slice(positionals[0] === 'help' ? 1 : 0) : undefined,
    asksForVersion: tokens[0]?.kind === 'option' && tokens[0].name === 'version',
    asksForColumns: tokens.some(
      (token) =>
        token.kind === 'option' &&
        token.name === 'columns' &&
        (!token.value || (!token.inlineValue && token.value.startsWith('-'))),
    ),
    json: has('json') || has('jq') || values.output === 'json' || values.output === 'ndjson',
    debug: has('debug'),
    env: typeof values.env === 'string' ? values.env : undefined,
  }
}
