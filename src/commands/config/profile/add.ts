import { Args, Flags } from '@oclif/core'
import type { View } from '../../../output/view.ts'
import { ProfileCommand, type ShownProfile } from './_profile-command.ts'

export default class ConfigProfileAdd extends ProfileCommand<typeof ConfigProfileAdd, ShownProfile> {
  static override summary = 'Add an environment of your own, such as another customer'
  static override description =
    'From then on `--env NAME` works everywhere, with a key, a portal secret, signing secrets, an inbox, a mirror and settings ' +
    'of its own. --mode decides what it takes: `sandbox` keys sk_test_…, `live` keys sk_live_… and the banner of live data; it ' +
    'does not change later. A setting for this environment alone: environments.NAME.<setting>.'
  static override examples = [
    '<%= config.bin %> config profile add acme --mode sandbox --base-url https://api.example.com/v3',
    '<%= config.bin %> login --env acme',
    '<%= config.bin %> config set environments.acme.sync.to acme.sqlite',
  ]
  static override args = {
    name: Args.string({
      description: 'Its name: lower-case letters, digits and hyphens',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    mode: Flags.option({
      summary: 'Whether its data is made up or real',
      options: ['sandbox', 'live'] as const,
      required: true,
    })(),
    'base-url': Flags.string({
      summary: 'Address of the service, ending in /v3; `login --base-url` sets it, too',
      helpValue: 'URL',
    }),
  }

  protected override async execute(): Promise<ShownProfile> {
    const { name } = this.args
    await this.settings.addProfile({ name, mode: this.flags.mode }, this.flags['base-url'])
    return this.shownProfile({ name, mode: this.flags.mode })
  }

  protected override view({ name, mode, base_url }: ShownProfile, out: View): string {
    const at = base_url === null ? '' : ` at ${out.text(base_url)}`
    const next = `bankapi login --env ${name}${base_url === null ? ' --base-url https://…/v3' : ''}`
    return `${out.good('✓')} ${name} (${mode})${at}\nStore its key: ${next}`
  }
}
