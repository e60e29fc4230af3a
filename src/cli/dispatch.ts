/**
 * Finds and runs what the command line names: a page of help, or a command. The list of commands is enough for that:
 * what oclif does at a start (read the manifest, load plugins, make a Config of both) takes longer than most commands.
 */
import type { Interfaces } from '@oclif/core'
import type { CommandLine } from './command-line.ts'
import { writeHelp } from './help/page.ts'
import type { Place } from './place.ts'
import { programOf } from './program.ts'

/** Shows help or runs a command. @throws UsageError for words that name nothing, and whatever the command throws. */
export async function dispatch(line: CommandLine, place: Place): Promise<void> {
  const { argv, words, help } = line
  const command = commandIn(words, place)
  const isArea = command === undefined && words.length === argv.length && isAreaOf(words, place)
  const subject = help ?? (isArea ? words : undefined)
  if (subject !== undefined && (await showHelp(subject, place))) return
  if (subject === undefined && command !== undefined) return run(command, line, place)

  const { loadUnknownCommand } = await place.bundle('failure')
  const { unknownCommand } = await loadUnknownCommand()
  throw unknownCommand({ ...line, positionals: subject ?? line.positionals }, programOf(place.root))
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

async function run(words: readonly string[], line: CommandLine, place: Place): Promise<void> {
  const { loadCommand } = await place.bundle(words.join('-'))
  const { default: command } = await loadCommand(words)
  command.id = words.join(':')
  // oclif's Config can do more than any command here asks of it: test/arch/start-up.test.ts holds them to Program.
  const program = programOf(place.root) as Interfaces.Config
  const made = new command(line.argv.slice(words.length), program)
  await (line.asksForColumns ? made.listColumns() : made.run())
}

/** Help of exactly these words, or of the command they begin with: what follows it are its arguments. */
async function showHelp(subject: readonly string[], place: Place): Promise<boolean> {
  const notAWord = subject.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word))
  const named = notAWord === -1 ? subject : subject.slice(0, notAWord)
  const words = commandIn(named, place) ?? (notAWord === -1 ? subject : undefined)
  const page = words === undefined ? undefined : await place.helpPage(words)
  if (page === undefined) return false
  writeHelp(page, process, programOf(place.root).userAgent)
  return true
}
