import { ApiCommand } from '../../cli/command/api-command.ts'
import { idArg } from '../../cli/command/flags.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Output } from '../../contract/endpoint.ts'

type Queued = Output<Contract['webhooks']['test']>

export default class WebhooksTest extends ApiCommand<typeof WebhooksTest, Queued> {
  static override summary = 'Queue a webhook.test delivery, signed with the real secret'
  static override description =
    'The service answers before it delivers: see the delivery arrive with bankapi webhooks listen. It is sent whatever ' +
    'event types the subscription names.'
  static override examples = ['<%= config.bin %> webhooks test whk_0a1b']
  static override args = { id: idArg({ summary: 'Subscription, whk_<hex>', prefix: 'whk_' }) }

  protected override async execute(): Promise<Queued> {
    return this.api.webhooks.test({ subscription_id: this.args.id }, { signal: this.signal })
  }
}
