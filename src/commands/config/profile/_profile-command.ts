/** The base class of commands about profiles: environments of the user's own, kept in the settings. */
import type { Command } from '@oclif/core'
import type { Profile } from '../../../config/environments.ts'
import { SettingsCommand } from '../_settings-command.ts'

export interface ShownProfile {
  readonly name: string
  readonly mode: 'sandbox' | 'live'
  readonly base_url: string | null
  readonly client_id: string | null
  /** Used without --env and BANKAPI_ENV. */
  readonly default: boolean
}

export abstract class ProfileCommand<T extends typeof Command, Result> extends SettingsCommand<T, Result> {
  protected get profiles(): ShownProfile[] {
    return this.settings.profiles.map((profile) => this.shownProfile(profile))
  }

  protected shownProfile({ name, mode }: Profile): ShownProfile {
    const listed = this.settings.list()
    const own = (setting: string) => listed[`environments.${name}.${setting}`]?.toString() ?? null
    return {
      name,
      mode,
      base_url: own('base_url'),
      client_id: own('client_id'),
      default: listed['default_environment'] === name,
    }
  }
}
