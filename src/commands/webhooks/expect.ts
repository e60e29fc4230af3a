import { Args, Flags } from '@oclif/core'
import { duration, sinceFlag } from '../../cli/command/flags.ts'
import { BankapiError } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'
import { awaitDelivery, eventTypesMatching, type WatchedDeliveries } from './_awaited-event.ts'
import { type DeliveryDocument, deliveryDocument } from './_delivery-document.ts'
import { InboxCommand } from './_inbox-command.ts'

export default class WebhooksExpect extends InboxCommand<typeof WebhooksExpect, DeliveryDocument> {
  static override summary = 'Wait until a listener on this machine receives an event, for scripts and CI'
  static override description =
    'Ends at the first verified delivery that fits and was received since this command started: start it before what makes ' +
    'the event happen, or give --since. A listener has to run. Exit code 0 when it came, 12 when not.'
  static override examples = [
    '<%= config.bin %> webhooks expect connection.active --within 60s',
    '<%= config.bin %> webhooks expect connection.active --where \'.data.connection.client_id == "cli_42"\' --since 10s',
    "<%= config.bin %> webhooks expect 'connection.*' --jq .event.data.connection.status",
  ]
  static override args = {
    type: Args.string({
      description: 'Event type; * stands for any text',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    where: Flags.string({ summary: 'Only an event for which this jq expression is true', helpValue: 'EXPR' }),
    within: duration({ summary: 'Wait so long', default: 60_000, defaultHelp: async () => '60s' }),
    since: sinceFlag({ summary: 'Count what was received since then, too' }),
  }

  protected override async execute(): Promise<DeliveryDocument> {
    const { where, within, since } = this.flags
    const { type } = this.args
    await eventTypesMatching([type])
    const { signal, environment } = this
    // Long enough to search the deliveries that are already there.
    const end = AbortSignal.any([signal, AbortSignal.timeout(Math.max(within, 20))])
    const watched = await awaitDelivery(this.inbox, { type, where, environment, since }, end)
    if (watched.found !== undefined) return deliveryDocument(watched.found)
    signal.throwIfAborted()
    throw new BankapiError(
      `No ${type}${where === undefined ? '' : ' that fits'} came within ${within / 1000} s`,
      {
        code: 'event_did_not_come',
        exit: 'notVerified',
        hint: whatCame(watched),
      },
    )
  }

  protected override view(delivery: DeliveryDocument, out: View): string {
    const { type, event_id, received_at } = delivery
    return `${out.good(type ?? '')}  ${safeText(event_id ?? '')}  ${out.time(received_at)}`
  }
}

/** Counts what was received instead, by type. */
function whatCame({ others }: WatchedDeliveries): string {
  if (others.length === 0) return 'Nothing came at all: is a listener running? bankapi webhooks listen'
  const counts = new Map<string, number>()
  for (const { type = 'no type', verified } of others) {
    const name = verified ? type : `${type} (not verified)`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return `What came: ${[...counts].map(([name, count]) => `${name} ×${count}`).join(', ')}`
}
