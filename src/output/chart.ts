/** Draws charts for a terminal: a line of braille dots over time, and bars on both sides of a middle, or stacked. */
import { brailleCharacter, brailleSteps, dotRow } from './braille.ts'
import { formatMoney } from './cell.ts'
import type { View } from './view.ts'
import { displayWidth, pad, truncate } from './width.ts'

export interface DayValue {
  /** YYYY-MM-DD; each the day after the one before. */
  readonly date: string
  readonly value: number
}

export interface LineChart {
  readonly days: readonly DayValue[]
  /** Lines of the plot, without the axis below it. */
  readonly height: number
}

/**
 * A line chart with both axes, every line ended by a newline and none wider than the view. What is below zero is red. A value
 * holds until the next, so the line has steps and no slopes; where a column of dots has several days, it shows all they reach.
 */
export function lineChart({ days, height }: LineChart, out: View): string {
  const values = days.map(({ value }) => value)
  const { ticks, low, high } = scaleOf(values, Math.max(2, Math.floor(height / 3)))
  const labels = ticks.map((tick) => grouped(tickText(tick, ticks)))
  const labelWidth = Math.max(...labels.map(displayWidth))
  const width = Math.min(out.width - labelWidth - 2, Math.max(24, days.length * 4))
  if (width < 8) return ''
  const scale = { low, high, height }
  const rowOf = (value: number) => dotRow(value, scale) >> 2
  const columns = Array.from({ length: width * 2 }, (_, x) => {
    const first = Math.floor((x * days.length) / (width * 2))
    return values.slice(first, Math.max(first + 1, Math.floor(((x + 1) * days.length) / (width * 2))))
  })
  const isNegative = (x: number) => [2 * x, 2 * x + 1].some((at) => (columns[at]?.at(-1) ?? 0) < 0)
  const cells = brailleSteps(columns, scale)
  const zero = low < 0 && high > 0 ? rowOf(0) : -1
  const plot = cells.map((row, y) => {
    const at = ticks.findIndex((tick) => rowOf(tick) === y)
    const axis = `${pad(labels[at] ?? '', labelWidth, 'right')} ${at === -1 ? '│' : '┤'}`
    const runs = runsOf([...row], (dot, x) =>
      dot === 0 ? 'dim' : y >= zero && isNegative(x) ? 'bad' : 'good',
    )
    const drawn = runs.map(({ tone, items }) => {
      const text = items.map((dot) => (dot === 0 ? (y === zero ? '┈' : ' ') : brailleCharacter(dot)))
      return tone === 'dim' ? out.dim(text.join('')) : out[tone](text.join(''))
    })
    return `${out.dim(axis)}${drawn.join('')}`.trimEnd()
  })
  return [...plot, ...timeAxis(days, labelWidth + 1, width, out)].map((line) => `${line}\n`).join('')
}

/** Neighbours with the same tone together. */
function runsOf<T, Tone>(
  items: readonly T[],
  toneOf: (item: T, at: number) => Tone,
): { tone: Tone; items: T[] }[] {
  const runs: { tone: Tone; items: T[] }[] = []
  for (const [at, item] of items.entries()) {
    const tone = toneOf(item, at)
    const last = runs.at(-1)
    if (last?.tone === tone) last.items.push(item)
    else runs.push({ tone, items: [item] })
  }
  return runs
}

/** Round values that enclose all of them, some `count` of them. */
function scaleOf(values: readonly number[], count: number): { ticks: number[]; low: number; high: number } {
  const least = Math.min(...values)
  const most = Math.max(...values)
  // A level line is in the middle.
  const span = most - least || Math.max(1, Math.abs(most) / 10)
  const power = 10 ** Math.floor(Math.log10(span / count))
  const step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((one) => span / one <= count) ?? span
  const from = Math.floor((most === least ? least - span / 2 : least) / step)
  const to = Math.ceil((most === least ? most + span / 2 : most) / step)
  const ticks = Array.from({ length: to - from + 1 }, (_, at) => (from + at) * step)
  return { ticks, low: from * step, high: to * step }
}

/** As few decimals as tell the ticks apart. */
function tickText(tick: number, ticks: readonly number[]): string {
  const decimals =
    [0, 1, 2, 3, 4].find((few) => ticks.every((one) => Math.abs(Number(one.toFixed(few)) - one) < 1e-9)) ?? 4
  return (tick || 0).toFixed(decimals)
}

/** The axis below the plot, and the dates at its marks. */
function timeAxis(days: readonly DayValue[], indent: number, width: number, out: View): string[] {
  const columnOf = (at: number) => Math.floor((at * width) / days.length)
  const each: readonly [isMark: (date: string, at: number) => boolean, text: (date: string) => string][] = [
    [() => true, (date) => date.slice(5)],
    [(_, at) => at % 7 === 0, (date) => date.slice(5)],
    [(date) => date.endsWith('-01'), (date) => date.slice(0, 7)],
    [(date) => /-(01|04|07|10)-01$/.test(date), (date) => date.slice(0, 7)],
    [(date) => date.endsWith('-01-01'), (date) => date.slice(0, 4)],
  ]
  const choices = each.map(([isMark, text]) =>
    days.flatMap(({ date }, at) => (isMark(date, at) ? [{ column: columnOf(at), text: text(date) }] : [])),
  )
  const fits = (marks: readonly { column: number; text: string }[]) =>
    marks.length > 0 &&
    marks.every(({ column, text }, at) => {
      const next = marks[at + 1]?.column
      return next === undefined || next - column >= text.length + 2
    })
  const marks = (choices.find(fits) ?? [{ column: 0, text: days[0]?.date ?? '' }]).filter(
    ({ column, text }) => column + text.length <= width,
  )
  const line = Array.from({ length: width }, () => '─')
  let labels = ''
  for (const { column, text } of marks) {
    line[column] = '┬'
    labels = `${labels.padEnd(column)}${text}`
  }
  const space = ' '.repeat(indent)
  return [out.dim(`${space}└${line.join('')}`), out.dim(`${space} ${labels}`.trimEnd())]
}

export interface FlowRow {
  readonly label: string
  /** At least 0. */
  readonly moneyIn: number
  /** At most 0. */
  readonly moneyOut: number
  readonly net: number
}

/**
 * A line per row with the money out to the left of a middle and the money in to the right, to one scale, and their
 * difference; `total` is a last line without bars. Where there is little room the difference goes first, then the bars.
 */
export function flowChart(
  rows: readonly FlowRow[],
  {
    total,
    heading,
    currency,
  }: { readonly total: FlowRow; readonly heading: string; readonly currency: string },
  out: View,
): string {
  const all = [...rows, total]
  const headers = ['out', 'in', 'net'].map((text) => text.toUpperCase())
  const figures = all.map(({ moneyOut, moneyIn, net }) => [
    moneyOut === 0 ? '' : moneyText(-moneyOut, currency),
    moneyIn === 0 ? '' : moneyText(moneyIn, currency),
    `${net > 0 ? '+' : ''}${moneyText(net, currency)}`,
  ])
  const widths = headers.map((header, at) =>
    Math.max(header.length, ...figures.map((row) => displayWidth(row[at] ?? ''))),
  )
  const [outWidth = 0, inWidth = 0, netWidth = 0] = widths
  const labels = all.map(({ label }) => out.text(label))
  const longest = Math.max(heading.length, ...labels.map(displayWidth))
  const { labelWidth, room, withNet } = fittedFlow(out.width - outWidth - inWidth - 4, longest, netWidth + 2)
  const sides = room === 0 ? undefined : sidesOf(rows, room)
  const between = room === 0 ? 2 : room + 3
  const lines = all.map(({ net, ...row }, at) => {
    const isTotal = at === rows.length
    const [outText = '', inText = '', netText = ''] = (figures[at] ?? []).map((text, column) =>
      pad(text, widths[column] ?? 0, 'right'),
    )
    const label = pad(truncate(labels[at] ?? '', labelWidth), labelWidth)
    const bars = sides === undefined || isTotal ? ' '.repeat(between) : ` ${flowBars(row, sides, out)} `
    const shownNet = withNet ? `  ${net > 0 ? out.good(netText) : netText}` : ''
    return `${isTotal ? out.bold(label) : label}  ${isTotal ? out.bold(outText) : outText}${bars}${out.good(inText)}${shownNet}`
  })
  const [outHead = '', inHead = '', netHead = ''] = headers.map((text, at) =>
    pad(text, widths[at] ?? 0, 'right'),
  )
  const head = `${pad(heading.toUpperCase(), labelWidth)}  ${outHead}${' '.repeat(between)}${inHead}${withNet ? `  ${netHead}` : ''}`
  return [out.bold(head), ...lines].map((line) => `${line.trimEnd()}\n`).join('')
}

/** Divides `width` among the label, the bars and the difference: where there is little, a long label is cut first. */
function fittedFlow(
  width: number,
  longest: number,
  net: number,
): { readonly labelWidth: number; readonly room: number; readonly withNet: boolean } {
  const short = Math.min(longest, 16)
  const layouts = [
    { label: Math.min(longest, 28), withNet: true, least: 12 },
    { label: short, withNet: true, least: 12 },
    { label: short, withNet: false, least: 8 },
  ]
  for (const { label, withNet, least } of layouts) {
    const room = width - label - (withNet ? net : 0) - 3
    if (room >= least) return { labelWidth: label, room: Math.min(72, room), withNet }
  }
  const withNet = width - net >= Math.min(longest, 10)
  return { labelWidth: Math.min(longest, Math.max(4, width - (withNet ? net : 0))), room: 0, withNet }
}

interface Sides {
  readonly left: number
  readonly right: number
  /** The amount that a column stands for. */
  readonly scale: number
}

/** Both sides to one scale, each as wide as its longest bar. */
function sidesOf(rows: readonly FlowRow[], room: number): Sides {
  const most = (amounts: readonly number[]) => Math.max(0, ...amounts)
  const mostOut = most(rows.map(({ moneyOut }) => -moneyOut))
  const mostIn = most(rows.map(({ moneyIn }) => moneyIn))
  const least = (amount: number) => (amount > 0 ? 1 : 0)
  const left = Math.max(
    least(mostOut),
    Math.min(room - least(mostIn), Math.round((room * mostOut) / (mostOut + mostIn || 1))),
  )
  return { left, right: room - left, scale: (mostOut + mostIn) / room }
}

function flowBars(
  { moneyIn, moneyOut }: Omit<FlowRow, 'net'>,
  { left, right, scale }: Sides,
  out: View,
): string {
  // What is less than half a block is a thin line, so that it looks like less than what is one.
  const of = (amount: number, width: number, thin: string) =>
    amount > 0 && amount < scale / 2 ? thin : fullBlock.repeat(Math.min(width, blocks(amount, scale)))
  const outBar = pad(of(-moneyOut, left, '▕'), left, 'right')
  return `${out.dim(`${outBar}│`)}${out.good(pad(of(moneyIn, right, '▏'), right))}`
}

/** Leaves a gap to the line above, so that bars stay apart. */
const fullBlock = '▇'

/** Whole blocks of a value: anything above nothing shows at least one. */
function blocks(value: number, scale: number): number {
  return value <= 0 || scale <= 0 ? 0 : Math.max(1, Math.round(value / scale))
}

export interface BarPart {
  readonly count: number
  readonly tone: 'good' | 'bad' | 'warn' | 'dim'
  /** Told apart without colours, too. */
  readonly fill: string
}

/** A bar of parts one after the other, `width` columns wide for `most`: each part that is above nothing shows. */
export function stackedBar(parts: readonly BarPart[], most: number, width: number, out: View): string {
  const total = parts.reduce((sum, { count }) => sum + count, 0)
  const shown = parts.filter(({ count }) => count > 0)
  const long = Math.min(width, Math.max(shown.length, blocks(total, most / width)))
  // The largest part gives what rounding takes.
  const sizes = shown.map(({ count }) => Math.max(1, Math.round((count / total) * long)))
  const largest = sizes.indexOf(Math.max(...sizes))
  const over = sizes.reduce((sum, size) => sum + size, 0) - long
  const bars = shown.map(({ tone, fill }, at) =>
    out[tone](fill.repeat(Math.max(1, (sizes[at] ?? 0) - (at === largest ? over : 0)))),
  )
  return bars.join('') + ' '.repeat(Math.max(0, width - long))
}

/** Parts, which may be coloured, on as few lines as they fit on. */
export function joined(parts: readonly string[], width: number, separator = ' · '): string {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    const longer = last === undefined ? part : `${last}${separator}${part}`
    if (last !== undefined && displayWidth(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines.join('\n')
}

/** An amount for people, without its currency: `-1,234.50`. */
export function moneyText(amount: number, currency: string): string {
  return grouped(formatMoney(amount, currency).split(' ')[0] ?? '')
}

function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.')
  const separated = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? separated : `${separated}.${fraction}`
}
