import { Args } from '@oclif/core'
import { SettingsCommand } from './_settings-command.ts'

interface Unset {
  readonly name: string
  readonly was_set: boolean
}

export default class ConfigUnset extends SettingsCommand<typeof ConfigUnset, Unset> {
  static override summary = 'Remove a setting'
  static override examples = ['<%= config.bin %> config unset default_environment']
  static override args = {
    name: Args.string({ description: 'Dotted name', required: true, ignoreStdin: true }),
  }

  protected override async execute(): Promise<Unset> {
    const { name } = this.args
    return { name, was_set: await this.settings.unset(name) }
  }

  protected override view({ name, was_set }: Unset): string {
    return was_set ? `${name} is no longer set.` : `${name} was not set.`
  }
}
