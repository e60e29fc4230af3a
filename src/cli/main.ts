/**
 * Runs the program: finds what the command line names, a page of help or a command, and turns a failure into one message
 * on stderr and an exit code. The list of commands is enough to find it: what oclif does at a start (read the manifest,
 * load plugins, make a Config of both) takes longer than most commands.
 */
import { writeSync } from 'node:fs'
import type { Interfaces } from '@oclif/core'
import type { ProgramFiles } from './built-files.ts'
import { type CommandLine, commandIn, isArea, readCommandLine } from './command-line.ts'
import { programOf } from './program.ts'

export { builtFiles } from './built-files.ts'

/**
 * Runs one command. `files` are those of the built program, or in bin/dev.js the sources.
 * Sets `process.exitCode`.
 */
export async function main(argv: string[], files: ProgramFiles): Promise<void> {
  const line = readCommandLine(argv, files.commands())
  try {
    await dispatch(line, files)
  } catch (error) {
    const { loadFailureReport } = await files.bundle('failure')
    const { reportFailure } = await loadFailureReport()
    process.exitCode = await reportFailure(error, line, process)
  }
}

/** Shows help or runs a command. @throws UsageError for words that name nothing, and whatever the command throws. */
async function dispatch(line: CommandLine, files: ProgramFiles): Promise<void> {
  const { argv, command, words, help } = line
  if (line.asksForVersion) {
    writeVersion(programOf(files.root).userAgent)
    return
  }
  const namesArea = command === undefined && words.length === argv.length && isArea(words, files.commands())
  const subject = help ?? (namesArea ? words : undefined)
  if (subject !== undefined && (await showHelp(subject, files))) return
  if (subject === undefined && command !== undefined) return run(command, line, files)

  const { loadUnknownCommand } = await files.bundle('failure')
  const { unknownCommand } = await loadUnknownCommand()
  const asked = subject === undefined ? line : { ...line, words: subject, positionals: subject }
  throw unknownCommand(asked, programOf(files.root))
}

/** Writes without process.stdout, whose making takes a fifth of the time of this. */
function writeVersion(version: string): void {
  try {
    writeSync(1, `${version}\n`)
  } catch (error) {
    // The reader went away, which is no failure.
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EPIPE') return
    process.stderr.write(`Error: stdout cannot be written: ${message}\n`)
    process.exitCode = 1
  }
}

async function run(words: readonly string[], line: CommandLine, files: ProgramFiles): Promise<void> {
  const { loadCommand } = await files.bundle(words.join('-'))
  const { default: command } = await loadCommand(words)
  command.id = words.join(':')
  // oclif's Config can do more than any command here asks of it: test/arch/start-up.test.ts holds them to Program.
  const program = programOf(files.root) as Interfaces.Config
  const made = new command(line.argv.slice(words.length), program)
  await (line.asksForColumns ? made.listColumns() : made.run())
}

/** Help of exactly these words, or of the command they begin with: what follows it are its arguments. */
async function showHelp(subject: readonly string[], files: ProgramFiles): Promise<boolean> {
  const notAWord = subject.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word))
  const named = notAWord === -1 ? subject : subject.slice(0, notAWord)
  const words = commandIn(named, files.commands()) ?? (notAWord === -1 ? subject : undefined)
  const page = words === undefined ? undefined : await files.helpPage(words)
  if (page === undefined) return false
  const { writeHelp } = await import('./help/page.ts')
  writeHelp(page, process, programOf(files.root).userAgent)
  return true
}
