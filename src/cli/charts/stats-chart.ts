/** Draws the deliveries of each period for people, with what became of them stacked. */
import type { DeliveryPeriod, DeliveryStats } from '../../inbox/delivery-stats.ts'
import { type BarPart, joined, stackedBar } from '../../output/chart.ts'
import { formatDuration } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { displayWidth, pad } from '../../output/width.ts'

const kinds = [
  { key: 'accepted', label: 'accepted', tone: 'good', fill: '█' },
  { key: 'failed', label: 'failed', tone: 'bad', fill: '▓' },
  { key: 'not_verified', label: 'not verified', tone: 'warn', fill: '▒' },
  { key: 'not_forwarded', label: 'not forwarded', tone: 'dim', fill: '░' },
] as const

export function statsChart(stats: DeliveryStats, out: View): string {
  const first = stats.data.findIndex(({ deliveries }) => deliveries > 0)
  const shown = stats.data.slice(Math.max(0, first))
  const labels = labelsOf(shown, stats.by, out)
  const figures = shown.map((period) => [
    String(period.deliveries),
    period.failed === 0 ? '' : String(period.failed),
    timeOf(period.p50_ms),
    timeOf(period.p95_ms),
  ])
  const headers = ['', 'all', 'failed', 'p50', 'p95'].map((text) => text.toUpperCase())
  // The last columns go first where there is no room.
  const widths = [0, 1, 2, 3].map((at) =>
    Math.max(headers[at + 1]?.length ?? 0, ...figures.map((row) => displayWidth(row[at] ?? ''))),
  )
  const labelWidth = Math.max(stats.by.length, ...labels.map(displayWidth))
  const columns = [4, 3, 2, 1].find((count) => barRoom(labelWidth, widths.slice(0, count), out) >= 10) ?? 1
  const room = Math.min(60, Math.max(1, barRoom(labelWidth, widths.slice(0, columns), out)))
  const most = Math.max(...shown.map(({ deliveries }) => deliveries))
  const lineOf = (label: string, bar: string, cells: readonly string[]) =>
    [label, bar, ...cells.slice(0, columns).map((cell, at) => pad(cell, widths[at] ?? 0, 'right'))]
      .join('  ')
      .trimEnd()
  const head = lineOf(pad(stats.by.toUpperCase(), labelWidth), ' '.repeat(room), headers.slice(1))
  const lines = shown.map((period, at) =>
    lineOf(
      pad(labels[at] ?? '', labelWidth),
      stackedBar(partsOf(period), most, room, out),
      figures[at] ?? [],
    ),
  )
  const legend = kinds
    .filter(({ key }) => stats[key] > 0)
    .map(({ key, label, tone, fill }) => `${out[tone](fill)} ${stats[key]} ${label}`)
  return `${summaryOf(stats, out)}\n\n${[out.bold(head), ...lines].join('\n')}\n\n${joined(legend, out.width)}\n`
}

/** Room for the bars beside the label and these columns. */
function barRoom(labelWidth: number, widths: readonly number[], out: View): number {
  return out.width - labelWidth - 2 - widths.reduce((sum, width) => sum + width + 2, 0)
}

function partsOf(period: DeliveryPeriod): BarPart[] {
  return kinds.map(({ key, tone, fill }) => ({ count: period[key], tone, fill }))
}

function timeOf(ms: number | null): string {
  return ms === null ? '' : formatDuration(ms)
}

/** The time of each period, with its date where that is another than the line before has. */
function labelsOf(periods: readonly DeliveryPeriod[], by: DeliveryStats['by'], out: View): string[] {
  let before = ''
  return periods.map(({ start }) => {
    const [date = '', time = ''] = out.time(start).split(' ')
    if (by === 'day') return date
    const isSame = date === before
    before = date
    return `${isSame ? ' '.repeat(5) : date.slice(5)} ${time.slice(0, 5)}`
  })
}

function summaryOf(
  { deliveries, accepted, failed, success_rate: rate, p50_ms, p95_ms, since }: DeliveryStats,
  out: View,
): string {
  const count = `${out.bold(String(deliveries))} ${deliveries === 1 ? 'delivery' : 'deliveries'} since ${out.time(since)}`
  if (rate === null) return joined([count], out.width)
  // Never 100 % with a failure among them.
  const share = `${(Math.floor(rate * 1000) / 10).toFixed(1)} %`
  const success = `${failed === 0 ? out.good(share) : out.bad(share)} of ${accepted + failed} forwarded were accepted`
  const speed = p50_ms === null ? [] : [`p50 ${timeOf(p50_ms)}, p95 ${timeOf(p95_ms)}`]
  return joined([count, success, ...speed], out.width)
}
