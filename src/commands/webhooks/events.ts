import { Flags } from '@oclif/core'
import { localLimit, localLimitFlag, sinceFlag } from '../../cli/command/flags.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { View } from '../../output/view.ts'
import { type DeliverySummary, deliveryFields, deliverySummary } from './_delivery-document.ts'
import { InboxCommand } from './_inbox-command.ts'

interface Deliveries {
  readonly data: readonly DeliverySummary[]
  readonly has_more: boolean
}

export default class WebhooksEvents extends InboxCommand<typeof WebhooksEvents, Deliveries> {
  static override summary = 'List the deliveries that listeners on this machine received'
  static override description =
    'Every delivery is in the inbox, newest first: also those that did not verify, repeats, and replays. On a terminal a ' +
    'line each, as webhooks listen has them, after the number that webhooks show and webhooks replay take. Of every ' +
    'environment, unless --env names one. --failed are those that somebody still has to do something about: events that were ' +
    'forwarded or replayed and no target has answered 2xx to, and what was refused, until it verifies (webhooks reverify), its event comes with a ' +
    'right signature, or a replay is answered 2xx. Exactly these are what webhooks replay --failed takes. How long they are kept: bankapi config set inbox.keep 30d.'
  static override examples = [
    '<%= config.bin %> webhooks events',
    '<%= config.bin %> webhooks events --type "connection.*" --since 1h',
    "<%= config.bin %> webhooks events --failed --jq '.data[] | {event_id, reason}'",
  ]
  static override flags = {
    type: Flags.string({ summary: 'Only this event type; * at its end stands for any text' }),
    since: sinceFlag({ summary: 'Only those received since then' }),
    failed: Flags.boolean({ summary: 'Only those refused, or not accepted by a target yet' }),
    limit: localLimitFlag,
  }

  /** Set on a terminal: the list as lines. */
  #lines: ((data: readonly DeliverySummary[], out: View) => string) | undefined

  protected override async execute(): Promise<Deliveries> {
    const { type, since, failed } = this.flags
    const limit = localLimit(this.flags.limit, this.format)
    const { environment } = this
    const filter = { type, since, environment, limit: limit + 1, ...(failed ? { failed } : {}) }
    const found = (await this.inbox.deliveries.list(filter)).reverse()
    if (found.length === 0) this.note('No such deliveries are in the inbox.')
    if (this.terminal.stdout.isTTY && this.format === undefined) await this.#showLines(found)
    return { data: found.slice(0, limit).map(deliverySummary), has_more: found.length > limit }
  }

  protected override view({ data }: Deliveries, out: View): string {
    return this.#lines === undefined || out.hasColumns
      ? out.table(data, deliveryFields)
      : this.#lines(data, out)
  }

  async #showLines(deliveries: readonly Delivery[]): Promise<void> {
    const [{ deliveryLines }, { describeBody }] = await Promise.all([
      import('./_terminal-lines.ts'),
      import('../../listener/describe-body.ts'),
    ])
    const subjects = new Map(
      deliveries.map(({ id, body, verified }) => [id, describeBody(body, {}, { verified }).subject]),
    )
    this.#lines = (data, out) => deliveryLines(data, subjects, out)
  }

  protected override async columns() {
    return { fields: deliveryFields as never, known: ['id', 'reason', 'detail'] }
  }
}
