import type { View } from '../../output/view.ts'
import { SettingsCommand } from './_settings-command.ts'

interface Paths {
  readonly settings: string
  readonly data: string
}

export default class ConfigPath extends SettingsCommand<typeof ConfigPath, Paths> {
  static override summary = 'Show where settings and data are kept'
  static override examples = ['<%= config.bin %> config path', '<%= config.bin %> config path --jq .settings']

  protected override async execute(): Promise<Paths> {
    return { settings: this.settings.path, data: this.dataFolder }
  }

  protected override view(paths: Paths, out: View): string {
    return out.record(paths)
  }
}
