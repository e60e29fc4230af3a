import { Args, Flags } from '@oclif/core'
import { duration, sinceFlag } from '../../cli/command/flags.ts'
import { BankapiError } from '../../errors.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import { safeText } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'
import { awaitDelivery, eventTypesMatching, type WatchedDeliveries } from './_awaited-event.ts'
import { type DeliveryDocument, deliveryDocument } from './_delivery-document.ts'
import { InboxCommand } from './_inbox-command.ts'

export default class WebhooksExpect extends InboxCommand<typeof WebhooksExpect, DeliveryDocument> {
  static override summary = 'Wait until a listener on this machine receives an event, for scripts and CI'
  static override description =
    'Ends at the first verified delivery that fits and was received since this command started: start it before what makes ' +
    'the event happen, or give --since. A listener has to run. With --accepted it has to be forwarded, too, and your server ' +
    'to answer 2xx, at once or to a retry. Exit code 0 when it came, 12 when not.'
  static override examples = [
    '<%= config.bin %> webhooks expect connection.active --within 60s',
    '<%= config.bin %> webhooks expect connection.active --where \'.data.connection.client_id == "cli_42"\' --since 10s',
    '<%= config.bin %> webhooks expect connection.active --accepted --since 10s',
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
    accepted: Flags.boolean({ summary: 'Wait until your server has answered 2xx to it' }),
    within: duration({ summary: 'Wait so long', default: 60_000, defaultHelp: async () => '60s' }),
    since: sinceFlag({ summary: 'Count what was received since then, too' }),
  }

  protected override async execute(): Promise<DeliveryDocument> {
    const { where, within, since, accepted } = this.flags
    const { type } = this.args
    await eventTypesMatching([type])
    const { signal, environment } = this
    // Long enough to search the deliveries that are already there.
    const end = AbortSignal.any([signal, AbortSignal.timeout(Math.max(within, 20))])
    const watched = await awaitDelivery(this.inbox, { type, where, environment, since, accepted }, end)
    if (watched.found !== undefined) return deliveryDocument(watched.found)
    signal.throwIfAborted()
    const fitting = `${type}${where === undefined ? '' : ' that fits'}`
    const came = watched.notAccepted.length > 0
    throw new BankapiError(
      came
        ? `A ${fitting} came, and your server did not answer 2xx within ${within / 1000} s`
        : `No ${fitting} came within ${within / 1000} s`,
      {
        code: came ? 'event_not_accepted' : 'event_did_not_come',
        exit: 'notVerified',
        hint: came ? whatBecameOf(watched.notAccepted) : whatCame(watched),
      },
    )
  }

  protected override view(delivery: DeliveryDocument, out: View): string {
    const { type, event_id, received_at } = delivery
    return `${out.good(type ?? '')}  ${safeText(event_id ?? '')}  ${out.time(received_at)}`
  }
}

/** What your server said to the last that fitted. */
function whatBecameOf(deliveries: readonly Delivery[]): string {
  const last = deliveries.at(-1)
  const forward = last?.forwards.at(-1)
  if (forward !== undefined) {
    const { url, status, error = 'no answer' } = forward
    return `${safeText(url)} answered ${safeText(status === undefined ? `nothing: ${error}` : String(status))}. See it: bankapi webhooks show ${safeText(last?.eventId ?? String(last?.id))}`
  }
  return last?.forwardTo === undefined
    ? 'The listener forwarded it nowhere: bankapi webhooks listen --forward localhost:3000'
    : `${safeText(last.forwardTo)} has not answered yet`
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
