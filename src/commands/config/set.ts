import { Args } from '@oclif/core'
import { SettingsCommand } from './_settings-command.ts'

export default class ConfigSet extends SettingsCommand<typeof ConfigSet, Record<string, unknown>> {
  static override summary = 'Change a setting'
  static override description = 'The settings and what they take: <%= config.bin %> config list --all'
  static override examples = [
    '<%= config.bin %> config set environments.sandbox.base_url https://api.example.com/v3',
    '<%= config.bin %> config set default_environment local',
    "<%= config.bin %> config set endpoints.webhooks.test 'POST /webhooks/subscriptions/{subscription_id}/fire'",
    "<%= config.bin %> config set endpoints.health.check 'GET {root}/healthz'",
  ]
  static override args = {
    name: Args.string({ description: 'Dotted name', required: true, ignoreStdin: true }),
    value: Args.string({ description: 'New value', required: true, ignoreStdin: true }),
  }

  protected override async execute(): Promise<Record<string, unknown>> {
    const { name, value } = this.args
    await this.settings.set(name, value)
    return { [name]: this.settings.get(name) }
  }
}
