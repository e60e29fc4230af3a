/** A command about the settings: it works without an environment, an address or a key. */
import type { Command } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { openSettings, type Settings } from '../../config/settings.ts'
import { settingKeys } from '../../config/settings-keys.ts'
import { dataDir } from '../../machine/paths.ts'

export abstract class SettingsCommand<T extends typeof Command, Result> extends BaseCommand<T, Result> {
  #settings: Settings | undefined

  protected get settings(): Settings {
    if (this.#settings === undefined) throw new Error('settings are there only while the command runs')
    return this.#settings
  }

  /** What can be set, and what for. */
  protected get everySetting(): readonly { readonly name: string; readonly about: string }[] {
    return settingKeys.map(({ name, about }) => ({ name, about }))
  }

  /** Where the inbox and the emulator's data are. */
  protected get dataFolder(): string {
    return dataDir(this.machine)
  }

  protected override async prepare(): Promise<void> {
    this.#settings = await openSettings(this.machine, this.warning)
  }
}
