import type { WebhookDeliveryMetrics } from '../../contract/metrics.ts'
import { meter } from '../../output/bar.ts'
import { formatDuration } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { MetricsCommand, metricsFlags } from './_metrics-command.ts'

export default class MetricsWebhookDelivery extends MetricsCommand<
  typeof MetricsWebhookDelivery,
  WebhookDeliveryMetrics
> {
  static override summary = 'How webhook deliveries went'
  static override description =
    'On a terminal with the share that succeeded, and times in words. p95_latency_ms is the time from an event to its attempted delivery. failures_by_event holds the ten event types with ' +
    'the most failures. The window defaults to the last 30 days and is at most 366 days.'
  static override examples = [
    '<%= config.bin %> metrics webhook-delivery',
    "<%= config.bin %> metrics webhook-delivery --from 7d --jq '.success_count / .total_deliveries'",
  ]
  static override flags = metricsFlags

  protected override async execute(): Promise<WebhookDeliveryMetrics> {
    return this.api.metrics.webhookDelivery(this.window, { signal: this.signal })
  }

  protected override view(metrics: WebhookDeliveryMetrics, out: View): string {
    const { failures_by_event: failures, ...counts } = metrics
    const text = out.tty && !out.hasColumns ? summaryOf(metrics, out) : out.record(counts)
    if (failures.length === 0) return text
    const rows = failures.map(({ event_type, count }) => ({ label: event_type, value: count }))
    return `${text}\n${out.bold('failures by event')}\n${out.bars(rows)}`
  }
}

/** The share that succeeded as a bar, the counts, and times in words. */
function summaryOf(metrics: WebhookDeliveryMetrics, out: View): string {
  const { total_deliveries: total, success_count: good, failure_count: failed, p95_latency_ms: p95 } = metrics
  const digits = String(total).length
  const lines = [
    ['deliveries', String(total)],
    ['succeeded', String(good).padStart(digits)],
    ['failed', failed === 0 ? '0'.padStart(digits) : out.bad(String(failed).padStart(digits))],
    ['p95 latency', formatDuration(p95)],
  ].map(([label, value]) => `${out.dim((label ?? '').padEnd(12))}  ${value}\n`)
  if (total === 0) return lines.join('')
  const share = good / total
  // Never 100 % with a failure among them.
  const rate = `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
  const width = Math.min(40, out.width - 14 - rate.length - 2)
  const bar = meter(share, Math.max(0, width))
  const full = bar.lastIndexOf('█') + 1
  const drawn = width < 8 ? '' : `${out.good(bar.slice(0, full))}${out.dim(bar.slice(full))}  `
  return `${out.dim('success rate')}  ${drawn}${out.bold(rate)}\n${lines.join('')}`
}
