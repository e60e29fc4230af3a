/** Words that name no command: one error that says what was meant, and never a question. */
import { closest } from '../config/closest.ts'
import { helpTopic } from './help-topics/topics.ts'
import type { Program } from './program.ts'
import { UsageError } from './usage-error.ts'

/** Flags of every command whose value is the next word. */
const takesValue: ReadonlySet<string> = new Set([
  '-o',
  '--output',
  '--jq',
  '--columns',
  '--env',
  '--base-url',
])

export function unknownCommand(argv: readonly string[], { bin, commands, topics }: Program): UsageError {
  const words = argv.filter((word) => !word.startsWith('-'))
  const [first = ''] = words
  const code = 'unknown_command'
  if (argv[0]?.startsWith('-')) {
    const flags = argv.slice(0, takesValue.has(argv[0]) ? 2 : 1)
    const rest = argv.slice(flags.length)
    const hint = `Put it after them: ${bin} ${[...(rest.length > 0 ? rest : ['…']), ...flags].join(' ')}`
    return new UsageError(`${argv[0]} stands before the words of a command`, { code, hint })
  }
  if (helpTopic(first) !== undefined && words.length === 1) {
    const hint = `${bin} help ${first}`
    return new UsageError(`${first} is a help topic, not a command`, { code, hint })
  }
  const names = commands.map(({ id }) => id.replaceAll(':', ' '))
  const area = names.some((name) => name.startsWith(`${first} `)) ? `${first} ` : ''
  const areas = topics.map(({ name }) => name)
  // What follows the command may be its arguments: the whole is tried, then its first words.
  const meant =
    closest(words.join(' '), [...names, ...areas]) ??
    closest(words.slice(0, 2).join(' '), names) ??
    closest(first, areas)
  return new UsageError(
    `"${words.join(' ')}" is not a command.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
    { code, hint: `See what there is: ${bin} ${area}--help` },
  )
}
