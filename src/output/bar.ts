/** Draws numbers as bars of text. */
import { safeText } from './safe-text.ts'
import { displayWidth, pad, truncate } from './width.ts'

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of at most `width` columns, in eighths of a column; anything above zero shows at least an eighth. */
export function bar(share: number, width: number): string {
  const steps = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const shown = share > 0 ? Math.max(1, steps) : 0
  return '█'.repeat(Math.floor(shown / 8)) + (eighths[shown % 8] ?? '')
}

/** A bar on its track, always `width` columns: `███░░`. */
export function meter(share: number, width: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * width)
  return '█'.repeat(full) + '░'.repeat(width - full)
}

export interface BarRow {
  readonly label: string
  /** At least 0. */
  readonly value: number
  /** The number as text; its digits when absent. */
  readonly text?: string
}

/**
 * One line per row, `label  ████  12`: bars to one scale from zero, the longest as long as `width` allows.
 * No line takes more than `width` columns; when there is no room for a bar there is none.
 */
export function renderBars(rows: readonly BarRow[], width: number): string {
  const largest = Math.max(0, ...rows.map(({ value }) => value))
  const figures = rows.map(({ value, text }) => safeText(text ?? String(value)))
  const figureWidth = Math.max(0, ...figures.map(displayWidth))
  const labels = rows.map(({ label }) => safeText(label))
  const labelWidth = Math.min(
    Math.max(0, ...labels.map(displayWidth)),
    Math.max(1, Math.min(Math.floor(width / 2), width - figureWidth - 2)),
  )
  const barWidth = Math.min(60, width - labelWidth - figureWidth - 4)
  return rows
    .map(({ value }, at) => {
      const label = pad(truncate(labels[at] ?? '', labelWidth), labelWidth)
      const figure = pad(figures[at] ?? '', figureWidth, 'right')
      const drawn = barWidth < 4 ? '' : `  ${pad(bar(largest > 0 ? value / largest : 0, barWidth), barWidth)}`
      return `${truncate(`${label}${drawn}  ${figure}`, width)}\n`
    })
    .join('')
}

/** Bytes for people, in units of 1000: `512 B`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let amount = bytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000
    unit += 1
  }
  return `${unit === 0 || amount >= 99.5 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`
}
