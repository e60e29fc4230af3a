import type { WebhookDeliveryMetrics } from '../../contract/metrics.ts'
import type { View } from '../../output/view.ts'
import { MetricsCommand, metricsFlags } from './_metrics-command.ts'

export default class MetricsWebhookDelivery extends MetricsCommand<
  typeof MetricsWebhookDelivery,
  WebhookDeliveryMetrics
> {
  static override summary = 'How webhook deliveries went'
  static override description =
    'p95_latency_ms is the time from an event to its attempted delivery. failures_by_event holds the ten event types with ' +
    'the most failures. The window defaults to the last 30 days and is at most 366 days.'
  static override examples = ['<%= config.bin %> metrics webhook-delivery']
  static override flags = metricsFlags

  protected override async execute(): Promise<WebhookDeliveryMetrics> {
    return this.api.metrics.webhookDelivery(this.window, { signal: this.signal })
  }

  protected override view(metrics: WebhookDeliveryMetrics, out: View): string {
    const { failures_by_event: failures, ...counts } = metrics
    const text = out.record(counts)
    if (failures.length === 0) return text
    const rows = failures.map(({ event_type, count }) => ({ label: event_type, value: count }))
    return `${text}\n${out.bold('failures by event')}\n${out.bars(rows)}`
  }
}
