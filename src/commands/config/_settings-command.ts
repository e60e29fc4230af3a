/** The base class of commands about settings, which need no environment, base URL or key. */
import type { Command } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { openSettings, type Settings } from '../../config/settings.ts'
import { settingKeys } from '../../config/settings-keys.ts'
import { dataDir } from '../../machine/paths.ts'

export abstract class SettingsCommand<T extends typeof Command, Result> extends BaseCommand<T, Result> {
  #settings: Settings | undefined

  protected get settings(): Settings {
    if (this.#settings === undefined) throw new Error('the command does not run')
    return this.#settings
  }

  /** Every setting, with its meaning. */
  protected get everySetting(): readonly { readonly name: string; readonly about: string }[] {
    return settingKeys.map(({ name, about }) => ({ name, about }))
  }

  /** The folder of the inbox and of the emulator's data. */
  protected get dataFolder(): string {
    return dataDir(this.machine)
  }

  protected override async prepare(): Promise<void> {
    this.#settings = await openSettings(this.machine, this.warning)
  }
}
