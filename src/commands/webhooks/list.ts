import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { Subscription } from '../../contract/webhooks.ts'
import { subscriptionFields } from '../../output/resources.ts'

export default class WebhooksList extends ListCommand<typeof WebhooksList, Subscription> {
  static override summary = 'List webhook subscriptions'
  static override description =
    'A subscription stays active however badly delivery goes; `delivering` says how it went last: failed means the ' +
    'last failure is newer than the last success.'
  static override examples = ['<%= config.bin %> webhooks list']

  protected override readonly fields = subscriptionFields
  protected override readonly known = Object.keys(Subscription.shape)

  protected override source(): ListSource<Subscription> {
    return {
      page: (paging) => this.api.webhooks.list(paging, { signal: this.signal }),
      none: 'There are no webhook subscriptions. Make one: bankapi webhooks create --url https://…',
    }
  }
}
