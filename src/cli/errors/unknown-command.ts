/** Makes the error for words that name no command, with the command that was probably meant. */
import { closest } from '../../config/errors.ts'
import type { CommandLine } from '../command-line.ts'
import { topicNames } from '../help/topic-names.ts'
import type { Program } from '../program.ts'
import { UsageError } from './errors.ts'

export function unknownCommand(
  {
    argv,
    leadingFlag,
    positionals,
    ...line
  }: Pick<CommandLine, 'argv' | 'leadingFlag' | 'positionals' | 'words'>,
  { bin, commands, topics }: Program,
): UsageError {
  // After a flag that no command has, its value cannot be told from a word.
  const words = line.words.length > 0 ? line.words : positionals
  const [first = ''] = words
  const code = 'unknown_command'
  const names = commands.map(({ id }) => id.replaceAll(':', ' '))
  const named = names
    .filter((name) => `${positionals.join(' ')} `.startsWith(`${name} `))
    .at(-1)
    ?.split(' ')
  if (leadingFlag !== undefined && named !== undefined) {
    const left = [...named]
    const rest = argv.filter((word) => word !== left[0] || left.shift() === undefined)
    const hint = `Put it after them: ${bin} ${[...named, ...rest].join(' ')}`
    return new UsageError(`${leadingFlag} stands before the words of a command`, { code, hint })
  }
  if (words.length === 0) return new UsageError('There is no command', { code, hint: `${bin} --help` })
  if (words.length === 1 && topicNames.some((name) => name === first)) {
    const hint = `${bin} help ${first}`
    return new UsageError(`${first} is a help topic, not a command`, { code, hint })
  }
  const isArea = (begin: readonly string[]) => names.some((name) => name.startsWith(`${begin.join(' ')} `))
  if (isArea(words)) {
    const hint = `See what there is: ${bin} ${words.join(' ')} --help`
    return new UsageError(`"${words.join(' ')}" names several commands`, { code, hint })
  }
  const area = [words.slice(0, 2), [first]].find(isArea) ?? []
  const areas = topics.map(({ name }) => name.replaceAll(':', ' '))
  // The last words may be arguments: all of them are tried first, then the first two, then the first.
  const meant =
    closest(words.join(' '), [...names, ...areas]) ??
    closest(words.slice(0, 2).join(' '), names) ??
    closest(first, areas)
  return new UsageError(
    `"${words.join(' ')}" is not a command.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
    { code, hint: `See what there is: ${[bin, ...area].join(' ')} --help` },
  )
}
