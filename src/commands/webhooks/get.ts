import { ApiCommand } from '../../cli/command/api-command.ts'
import { idArg } from '../../cli/command/flags.ts'
import type { Subscription } from '../../contract/webhooks.ts'

export default class WebhooksGet extends ApiCommand<typeof WebhooksGet, Subscription> {
  static override summary = 'Show a webhook subscription'
  static override examples = ['<%= config.bin %> webhooks get whk_0a1b']
  static override args = { id: idArg({ summary: 'Subscription, whk_<hex>', prefix: 'whk_' }) }

  protected override async execute(): Promise<Subscription> {
    return this.api.webhooks.get({ subscription_id: this.args.id }, { signal: this.signal })
  }
}
