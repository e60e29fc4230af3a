import { describe, expect, it } from 'vitest'
import { type ListedCommand, listedCommands, type ManifestFlag } from '../../scripts/docs/manifest.ts'

const onPurpose = `
The commands are not those of test/contracts/commands.txt. Scripts depend on them: a line that is gone or changed breaks one.
If that is meant: npm run build && npx vitest run test/contracts -u, commit commands.txt, and say it in CHANGELOG.md.
`

/** All commands but help, which has no result to format. */
const printing = listedCommands().filter(({ words }) => words !== 'help')

/** Flags that every command has, listed once. */
function sharedFlags(commands: readonly ListedCommand[]): string[] {
  const [first, ...others] = commands.map(({ flags }) => Object.values(flags).map(flagLine))
  return (first ?? []).filter((line) => others.every((lines) => lines.includes(line))).sort()
}

/** The interface that scripts rely on, one line each, so that a diff shows each change. */
function snapshot(): string {
  const commands = listedCommands()
  const shared = sharedFlags(printing)
  const blocks = commands.map((command) => {
    const flags = Object.values(command.flags).map(flagLine)
    return [
      `bankapi ${command.words}${command.hidden ? ' (hidden)' : ''}`,
      `  ${command.summary ?? ''}`,
      ...[...command.aliases, ...command.hiddenAliases].map((alias) => `  also: bankapi ${alias}`),
      ...Object.values(command.args).map(argumentLine),
      ...flags.filter((line) => !shared.includes(line)).sort(),
    ].join('\n')
  })
  return `${[['every command', ...shared].join('\n'), ...blocks].join('\n\n')}\n`
}

function argumentLine({
  name,
  required,
  multiple,
  options,
  description,
}: ListedCommand['args'][string]): string {
  const marks = [...(required ? ['required'] : []), ...(multiple ? ['several'] : []), ...(options ?? [])]
  return `  <${name}>${bracketed(marks)}  ${description ?? ''}`
}

function flagLine(flag: ManifestFlag): string {
  const { name, char, type, helpValue, options, required, multiple, exclusive = [], env } = flag
  const short = char === undefined ? '' : `-${char}, `
  const value = type === 'boolean' ? '' : `=${options?.join('|') ?? helpValue ?? 'VALUE'}`
  const marks = [
    ...(required ? ['required'] : []),
    ...(multiple ? ['several'] : []),
    ...(flag.allowNo ? [`--no-${name}`] : []),
    ...(flag.default === undefined ? [] : [`default ${String(flag.default)}`]),
    ...exclusive.map((other) => `not with --${other}`),
    ...(env === undefined ? [] : [env]),
    ...(flag.hidden ? ['hidden'] : []),
  ]
  return `  ${short}--${name}${value}${bracketed(marks)}  ${flag.summary ?? flag.description ?? ''}`
}

function bracketed(marks: readonly string[]): string {
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`
}

it('no command, argument, flag, alias or summary changes unnoticed', async () => {
  try {
    await expect(snapshot()).toMatchFileSnapshot('commands.txt')
  } catch (error) {
    if (error instanceof Error) error.message = `${onPurpose}\n${error.message}`
    throw error
  }
})

describe.each(printing.map((command) => [command.words, command] as const))('%s', (_, command) => {
  it('has a summary, an example and JSON output', () => {
    expect(command.summary).toMatch(/\w/)
    expect(command.examples?.length).toBeGreaterThan(0)
    expect(Object.keys(command.flags)).toContain('json')
  })

  it('has no two flags with the same letter', () => {
    const letters = Object.values(command.flags).flatMap(({ char }) => char ?? [])
    expect(new Set(letters).size).toBe(letters.length)
  })
})
