/**
 * From the words to what they name. The list of commands is enough for that: what oclif does at a start (read the
 * manifest, load plugins, make a Config of both) takes longer than most commands.
 */
import type { Interfaces } from '@oclif/core'
import { writeHelp } from './help-page.ts'
import type { Place } from './place.ts'
import { programOf } from './program.ts'

/** Shows help or runs a command. @throws UsageError for words that name nothing, and whatever the command throws. */
export async function dispatch(argv: readonly string[], place: Place): Promise<void> {
  const asked = helpSubject(argv)
  const words = namingWords(argv)
  const command = commandIn(words, place)
  const isArea = command === undefined && words.length === argv.length && isAreaOf(words, place)
  const subject = asked ?? (isArea ? words : undefined)
  if (subject !== undefined && (await showHelp(subject, place))) return
  if (subject === undefined && command !== undefined) return run(command, argv.slice(command.length), place)

  const { loadUnknownCommand } = await place.bundle('failure')
  const { unknownCommand } = await loadUnknownCommand()
  throw unknownCommand(subject ?? argv, programOf(place.root))
}

/** What help is asked about: `bankapi`, `bankapi help keys`, `bankapi keys list --help`. Undefined when it is not. */
function helpSubject(argv: readonly string[]): readonly string[] | undefined {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const asked = argv.length === 0 || own[0] === 'help' || own.includes('--help') || own.includes('-h')
  if (!asked) return undefined
  const words = own.filter((word) => !word.startsWith('-'))
  return words[0] === 'help' ? words.slice(1) : words
}

/** The words that can name a command: those before the first flag or value. */
function namingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word))
  return end === -1 ? argv : argv.slice(0, end)
}

/** As many of the first words as are a command together. */
function commandIn(words: readonly string[], place: Place): readonly string[] | undefined {
  const commands = place.commands()
  for (let length = words.length; length > 0; length--) {
    const command = words.slice(0, length)
    if (commands.includes(command.join(' '))) return command
  }
  return undefined
}

/** Whether there are commands that begin with these words and another. */
function isAreaOf(words: readonly string[], place: Place): boolean {
  return words.length > 0 && place.commands().some((command) => command.startsWith(`${words.join(' ')} `))
}

async function run(words: readonly string[], argv: string[], place: Place): Promise<void> {
  const { loadCommand } = await place.bundle(words.join('-'))
  const { default: command } = await loadCommand(words)
  command.id = words.join(':')
  // oclif's Config can do more than any command here asks of it: test/arch/start-up.test.ts holds them to Program.
  await new command(argv, programOf(place.root) as Interfaces.Config).run()
}

/** Help of exactly these words, or of the command they begin with: what follows it are its arguments. */
async function showHelp(words: readonly string[], place: Place): Promise<boolean> {
  const named = namingWords(words)
  const command = commandIn(named, place)
  const subject = command ?? (named.length === words.length ? named : undefined)
  const page = subject === undefined ? undefined : await place.helpPage(subject)
  if (page === undefined) return false
  writeHelp(page, process, programOf(place.root).userAgent)
  return true
}
