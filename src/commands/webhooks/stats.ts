import { Flags } from '@oclif/core'
import type { Columns } from '../../cli/command/base-command.ts'
import { sinceFlag } from '../../cli/command/flags.ts'
import type { DeliveryPeriod, DeliveryStats, Period } from '../../inbox/delivery-stats.ts'
import { systemClock } from '../../machine/machine.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import { InboxCommand } from './_inbox-command.ts'

const fields: readonly Field<DeliveryPeriod>[] = [
  { key: 'start', kind: 'time', priority: 9 },
  { key: 'deliveries', kind: 'number', priority: 8 },
  { key: 'accepted', kind: 'number', priority: 7 },
  { key: 'failed', kind: 'number', priority: 7 },
  { key: 'not_verified', header: 'not verified', kind: 'number', priority: 6 },
  { key: 'not_forwarded', header: 'not forwarded', kind: 'number', priority: 4 },
  { key: 'p50_ms', header: 'p50 ms', kind: 'number', priority: 3 },
  { key: 'p95_ms', header: 'p95 ms', kind: 'number', priority: 5 },
]

const HOUR_MS = 3_600_000

export default class WebhooksStats extends InboxCommand<typeof WebhooksStats, DeliveryStats> {
  static override summary =
    'Draw how many deliveries came per hour, which failed, and how fast the target answers'
  static override description =
    'Of the inbox of this machine, of every environment unless --env names one. accepted: the target answered 2xx. failed: it ' +
    'answered something else, or nothing. not_verified: refused for its signature. not_forwarded: there was no target, or it had ' +
    'accepted the event before. p50_ms and p95_ms are how long the target took to answer: half, and 95 of 100, were as fast. ' +
    'Replays are left out. How deliveries look to the service: bankapi metrics webhook-delivery.'
  static override examples = [
    '<%= config.bin %> webhooks stats',
    '<%= config.bin %> webhooks stats --since 7d --by day',
    '<%= config.bin %> webhooks stats --type "connection.*" --since 1h --by minute',
    "<%= config.bin %> webhooks stats --jq '.success_rate'",
  ]
  static override flags = {
    since: sinceFlag({ summary: 'Only those received since then', defaultHelp: async () => '24h' }),
    type: Flags.string({ summary: 'Only this event type; * at its end stands for any text' }),
    by: Flags.option({
      summary: 'The length of a row (default: an hour; a day when it is more than two)',
      options: ['minute', 'hour', 'day'] as const satisfies readonly Period[],
    })(),
  }

  protected override async execute(): Promise<DeliveryStats> {
    const until = systemClock.now()
    const since = this.flags.since ?? until - 24 * HOUR_MS
    const by = this.flags.by ?? (until - since > 48 * HOUR_MS ? 'day' : 'hour')
    const { environment } = this
    const { type } = this.flags
    const outcomes = await this.inbox.deliveries.outcomes({ since, type, environment })
    if (outcomes.length === 0) this.note('No such deliveries are in the inbox.')
    const utc = this.flags.utc || this.preference('output.utc') === true
    const { deliveryStats } = await import('../../inbox/delivery-stats.ts')
    return deliveryStats(outcomes, { since, until, by, utc })
  }

  protected override async columns(): Promise<Columns> {
    return { fields: fields as readonly Field<never>[] }
  }

  protected override view({ data }: DeliveryStats, out: View): string {
    return out.table(data, fields)
  }

  protected override async rendered(stats: DeliveryStats): Promise<string> {
    const out = await this.createView()
    if (this.format !== undefined || !out.tty || out.hasColumns) return super.rendered(stats)
    if (stats.deliveries === 0) return ''
    const { statsChart } = await import('../../cli/charts/charts.ts')
    return statsChart(stats, out)
  }
}
