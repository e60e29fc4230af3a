import type { MetricsSummary } from '../../contract/metrics.ts'
import { MetricsCommand, metricsFlags } from './_metrics-command.ts'

export default class MetricsSummaryCommand extends MetricsCommand<
  typeof MetricsSummaryCommand,
  MetricsSummary
> {
  static override summary = 'Counts of Clients, Connections, accounts and data'
  static override description =
    'total_clients is all-time, active_connections and linked_accounts are as of now, statements and transactions are those ' +
    'created in the window (default: the last 30 days; at most 366).'
  static override examples = [
    '<%= config.bin %> metrics summary',
    '<%= config.bin %> metrics summary --from 2026-01-01 --to 2026-02-01 --json',
  ]
  static override flags = metricsFlags

  protected override async execute(): Promise<MetricsSummary> {
    return this.api.metrics.summary(this.window, { signal: this.signal })
  }
}
