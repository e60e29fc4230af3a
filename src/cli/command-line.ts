/** Reads the command line once: what it names, and the flags that mean the same everywhere. oclif parses what follows. */
import { parseArgs } from 'node:util'

/** The flags of a command that take a value: by name, with their one-letter form or an empty string. */
export type ValueFlags = Readonly<Record<string, string>>

/** The words of every command (`connections list`), with its flags that take a value. */
export type Commands = Readonly<Record<string, ValueFlags>>

export interface CommandLine {
  readonly argv: readonly string[]
  /** The words of the command that the line begins with; undefined when it begins with none. */
  readonly command: readonly string[] | undefined
  /** The words before the first flag or value: they name a command or an area, and may hold first arguments. */
  readonly words: readonly string[]
  /** Every argument that is neither a flag nor the value of one. */
  readonly positionals: readonly string[]
  /** The first flag, or `--`, where a positional follows it. */
  readonly leadingFlag: string | undefined
  /** Words that help is asked about, none for the whole program; undefined when it is not asked for. */
  readonly help: readonly string[] | undefined
  readonly asksForVersion: boolean
  /** `--columns` without a value: list what it takes. */
  readonly asksForColumns: boolean
  /** `--json`, `--jq` or `-o json|ndjson`: errors are JSON, too. */
  readonly json: boolean
  readonly debug: boolean
  readonly env: string | undefined
}

export function readCommandLine(argv: readonly string[], commands: Commands): CommandLine {
  const notAWord = argv.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word))
  const words = notAWord === -1 ? argv : argv.slice(0, notAWord)
  const command = commandIn(words, commands)
  const { values, tokens } = parseArgs({
    args: [...argv],
    // A command may have a --version of its own; without one it is the program's.
    options:
      command === undefined
        ? { ...optionsOf(Object.values(commands)), ...programOptions }
        : { ...programOptions, ...optionsOf([commands[command.join(' ')] ?? {}]) },
    strict: false,
    tokens: true,
  })
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? argv.length
  const placed = tokens.filter((token) => token.kind === 'positional')
  const asked = placed.filter(({ index }) => index < end).map(({ value }) => value)
  const first = tokens.find(({ kind }) => kind !== 'positional')
  const has = (name: string) => tokens.some((token) => token.kind === 'option' && token.name === name)
  const asksForHelp = argv.length === 0 || argv[0] === 'help' || has('help')
  return {
    argv,
    command,
    words,
    positionals: placed.map(({ value }) => value),
    leadingFlag: first && placed.some(({ index }) => index > first.index) ? argv[first.index] : undefined,
    help: asksForHelp ? asked.slice(asked[0] === 'help' ? 1 : 0) : undefined,
    asksForVersion: command === undefined && has('version'),
    asksForColumns: tokens.some(
      (token) =>
        token.kind === 'option' &&
        token.name === 'columns' &&
        (!token.value || (!token.inlineValue && token.value.startsWith('-'))),
    ),
    json: has('json') || has('jq') || values['output'] === 'json' || values['output'] === 'ndjson',
    debug: has('debug'),
    env: typeof values['env'] === 'string' ? values['env'] : undefined,
  }
}

/** As many of the first words as are a command together; undefined when they go on into an area of it: `sync lineage`. */
export function commandIn(words: readonly string[], commands: Commands): readonly string[] | undefined {
  for (let length = words.length; length > 0; length--) {
    const named = words.slice(0, length)
    if (Object.hasOwn(commands, named.join(' '))) return named
    if (isArea(named, commands)) return undefined
  }
  return undefined
}

/** Whether there are commands that begin with these words and another. */
export function isArea(words: readonly string[], commands: Commands): boolean {
  return Object.keys(commands).some((command) => command.startsWith(`${words.join(' ')} `))
}

type Option = { type: 'string' | 'boolean'; short?: string }

const programOptions: Readonly<Record<string, Option>> = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  json: { type: 'boolean' },
  debug: { type: 'boolean' },
}

/** Flags of these commands, so that no value is taken for a flag: `-Omarch.pdf` holds an h. */
function optionsOf(flags: readonly ValueFlags[]): Record<string, Option> {
  const options: Record<string, Option> = {}
  for (const [name, char] of flags.flatMap((one) => Object.entries(one))) {
    options[name] = { type: 'string', ...(char === '' ? {} : { short: char }) }
  }
  return options
}
