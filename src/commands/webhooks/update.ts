import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { eventsFlag, idArg } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Subscription } from '../../contract/webhooks.ts'

export default class WebhooksUpdate extends ApiCommand<typeof WebhooksUpdate, Subscription> {
  static override summary = "Change a webhook subscription's URL or event types"
  static override description = '--events is the complete new set, not an addition.'
  static override examples = [
    '<%= config.bin %> webhooks update whk_0a1b --events connection.active,connection.failed',
    '<%= config.bin %> webhooks update whk_0a1b --url https://example.com/new',
  ]
  static override args = { id: idArg({ summary: 'Subscription, whk_<hex>', prefix: 'whk_' }) }
  static override flags = {
    url: Flags.string({ summary: 'Where deliveries are sent', helpValue: 'URL' }),
    events: eventsFlag({ summary: 'Event types to send: all that are wanted' }),
  }

  protected override async execute(): Promise<Subscription> {
    const { url, events } = this.flags
    if (url === undefined && events === undefined) {
      throw new UsageError('Nothing to change', { hint: 'Give --url, --events or both' })
    }
    return this.api.webhooks.update(
      { subscription_id: this.args.id, url, event_types: events },
      { signal: this.signal },
    )
  }
}
