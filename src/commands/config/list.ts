import { Flags } from '@oclif/core'
import type { View } from '../../output/view.ts'
import { SettingsCommand } from './_settings-command.ts'

type Listed = Record<string, string | boolean> | readonly { readonly name: string; readonly about: string }[]

export default class ConfigList extends SettingsCommand<typeof ConfigList, Listed> {
  static override summary = 'Show what is set, or with --all every setting there is'
  static override examples = ['<%= config.bin %> config list', '<%= config.bin %> config list --all']
  static override flags = {
    all: Flags.boolean({ summary: 'Every setting with what it is for, set or not' }),
  }

  protected override async execute(): Promise<Listed> {
    if (this.flags.all) return this.everySetting
    for (const problem of await this.settings.problems()) this.warning(problem)
    const listed = this.settings.list()
    if (Object.keys(listed).length === 0)
      this.note('Nothing is set. What there is: bankapi config list --all')
    return listed
  }

  protected override view(listed: Listed, out: View): string {
    if (Array.isArray(listed)) return out.table(listed)
    return Object.keys(listed).length === 0 ? '' : out.record(listed)
  }
}
