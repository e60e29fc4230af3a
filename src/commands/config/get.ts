import { Args } from '@oclif/core'
import { UsageError } from '../../cli/errors/errors.ts'
import { SettingsCommand } from './_settings-command.ts'

export default class ConfigGet extends SettingsCommand<typeof ConfigGet, string | boolean> {
  static override summary = 'Show a setting'
  static override examples = ['<%= config.bin %> config get environments.sandbox.base_url']
  static override args = {
    name: Args.string({ description: 'Dotted name', required: true, ignoreStdin: true }),
  }

  protected override async execute(): Promise<string | boolean> {
    const value = this.settings.get(this.args.name)
    if (value === undefined) {
      throw new UsageError(`${this.args.name} is not set`, {
        code: 'not_set',
        hint: `bankapi config set ${this.args.name} …`,
      })
    }
    return value
  }
}
