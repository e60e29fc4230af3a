import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.ts'
import { readCommandLine } from '../cli/command-line.ts'
import { unknownCommand } from '../cli/errors/unknown-command.ts'

/** `bankapi help keys list` is `bankapi keys list --help`, and shown before a command would run (cli/main.ts). */
export default class Help extends BaseCommand<typeof Help, never> {
  static override summary = 'Display help for bankapi.'
  static override strict = false
  static override baseFlags = {}
  static override args = {
    command: Args.string({ description: 'Command to show help for.', ignoreStdin: true }),
  }

  protected override async execute(): Promise<never> {
    throw unknownCommand(readCommandLine(this.argv, {}), this.config)
  }
}
