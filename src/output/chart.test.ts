import { Chalk } from 'chalk'
import { describe, expect, it } from 'vitest'
import { flowChart, lineChart, moneyText, stackedBar } from './chart.ts'
import { paintWith, plainPaint } from './palette.ts'
import { createView } from './view.ts'
import { displayWidth } from './width.ts'

const view = (width: number, color = false) =>
  createView({
    width,
    paint: color ? paintWith(new Chalk({ level: 1 })) : plainPaint,
    tty: true,
    now: () => 0,
  })

const days = (values: readonly number[], start = '2026-01-01') =>
  values.map((value, at) => ({
    date: new Date(Date.parse(start) + at * 86_400_000).toISOString().slice(0, 10),
    value,
  }))

const wave = (count: number) => days(Array.from({ length: count }, (_, at) => Math.sin(at / 9) * 1200 - 300))

/** The heights at which a column of the plot has dots, from 0 at the top. */
function dotsIn(chart: string, column: number): number[] {
  const bits = [0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80]
  return chart.split('\n').flatMap((line, row) => {
    const axis = line.search(/[│┤]/)
    const code = line.charCodeAt(axis + 1 + Math.floor(column / 2)) - 0x2800
    if (axis === -1 || !(code > 0 && code < 256)) return []
    return [0, 1, 2, 3].filter((y) => code & (bits[(column % 2) * 4 + y] ?? 0)).map((y) => row * 4 + y)
  })
}

describe('a line chart', () => {
  it.each([40, 60, 80, 120, 200])('fits into %i columns, with both axes', (width) => {
    const lines = lineChart({ days: wave(400), height: 8 }, view(width))
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(10)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
    expect(lines.filter((line) => line.includes('┤')).length).toBeGreaterThan(2)
    expect(lines.at(-1)).toMatch(/2026/)
  })

  it('draws steps: a value holds until the next, and a riser joins them without a gap', () => {
    const chart = lineChart({ days: days([0, 0, 100, 100]), height: 4 }, view(80))
    expect(dotsIn(chart, 0)).toEqual([15])
    expect(dotsIn(chart, 20)).toEqual([15])
    // 24 characters have 48 columns of dots: 12 for each day.
    expect(dotsIn(chart, 24)).toEqual(Array.from({ length: 16 }, (_, y) => y))
    expect(dotsIn(chart, 25)).toEqual([0])
    expect(dotsIn(chart, 47)).toEqual([0])
  })

  it('shows a peak of one day however many days a column has', () => {
    const values = Array.from({ length: 3000 }, (_, at) => (at === 1234 ? 100 : 0))
    const chart = lineChart({ days: days(values), height: 4 }, view(60))
    const tops = Array.from({ length: 120 }, (_, column) => Math.min(...dotsIn(chart, column)))
    expect(tops.filter((top) => top === 0).length).toBeGreaterThan(0)
  })

  it('marks zero where the values are on both sides of it, and is red below it', () => {
    const chart = lineChart({ days: days([5, -5, 5, -5]), height: 4 }, view(80))
    expect(chart).toContain('┈')
    expect(lineChart({ days: days([5, 7]), height: 4 }, view(80))).not.toContain('┈')
    const first = (tone: string, chart: string) => chart.split(tone)[1]?.[0] ?? ''
    const painted = lineChart({ days: days([5, -5]), height: 4 }, view(80, true))
    expect(first('\u001b[32m', painted)).toMatch(/[⠁-⣿]/)
    expect(first('\u001b[31m', painted)).toMatch(/[⠁-⣿]/)
    expect(lineChart({ days: days([5, 7]), height: 4 }, view(80, true))).not.toContain('\u001b[31m')
  })

  it('a level line, a line of one value and a terminal without room are no failure', () => {
    expect(lineChart({ days: days([7, 7, 7]), height: 4 }, view(80))).toMatch(/[⠀-⣿]/)
    expect(lineChart({ days: days([0, 0]), height: 4 }, view(80))).toMatch(/[⠀-⣿]/)
    expect(lineChart({ days: days([1, 2]), height: 4 }, view(10))).toBe('')
  })
})

describe('money in and out', () => {
  const rows = [
    { label: '2026-01', moneyIn: 100, moneyOut: -50, net: 50 },
    { label: '2026-02', moneyIn: 0, moneyOut: -0.01, net: -0.01 },
  ]
  const total = { label: 'total', moneyIn: 100, moneyOut: -50.01, net: 49.99 }
  const options = { total, heading: 'month', currency: 'USD' }

  it.each([40, 60, 80, 120, 200])('fits into %i columns, with every amount', (width) => {
    const chart = flowChart(rows, options, view(width))
    for (const line of chart.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width)
    for (const amount of ['50.00', '100.00', '0.01', '50.01']) expect(chart).toContain(amount)
  })

  it('has both sides to one scale, and shows the smallest amount', () => {
    const [, first = '', second = '', last = ''] = flowChart(rows, options, view(80)).split('\n')
    const [out = '', into = ''] = first.split('│').map((side) => '▇'.repeat(side.split('▇').length - 1))
    expect(into.length).toBeGreaterThan(10)
    expect(Math.abs(into.length - 2 * out.length)).toBeLessThanOrEqual(1)
    // Less than half a block is a thin line.
    expect(second).not.toContain('▇')
    expect(second).toContain('▕│')
    expect(last).not.toContain('▇')
    expect(last).toMatch(/^total +50\.01 +100\.00 +\+49\.99$/)
  })

  it('cuts a long label and never an amount', () => {
    const label = 'A merchant with a name that nobody has ever read to its end'
    const chart = flowChart(
      [{ label, moneyIn: 0, moneyOut: -1234567.89, net: -1234567.89 }],
      options,
      view(40),
    )
    expect(chart).toContain('1,234,567.89')
    expect(chart).toContain('…')
  })

  it('is without bars where there is no room, of which labels give theirs first, and without sums where there are none', () => {
    expect(flowChart(rows, options, view(28))).not.toContain('▇')
    const label = 'Northpole Outfitters of Alder'
    const named = flowChart([{ ...rows[0], label } as (typeof rows)[0]], options, view(60))
    expect(named).toContain('▇')
    expect(named).toContain('…')
    const none = { label: 'x', moneyIn: 0, moneyOut: 0, net: 0 }
    expect(flowChart([none], { ...options, total: none }, view(80))).toMatch(/x .* 0\.00/)
  })
})

describe('a stacked bar', () => {
  const parts = (good: number, bad: number) => [
    { count: good, tone: 'good', fill: '█' } as const,
    { count: bad, tone: 'bad', fill: '▓' } as const,
  ]

  it('shows one failure among thousands, and is as long as its share of the largest', () => {
    expect(stackedBar(parts(5000, 1), 5001, 20, view(80))).toBe(`${'█'.repeat(19)}▓`)
    expect(stackedBar(parts(5, 5), 20, 20, view(80))).toBe(
      `${'█'.repeat(5)}${'▓'.repeat(5)}${' '.repeat(10)}`,
    )
    expect(stackedBar(parts(0, 0), 20, 20, view(80))).toBe(' '.repeat(20))
  })

  it('tells its parts apart without colours', () => {
    expect(new Set(stackedBar(parts(1, 1), 2, 10, view(80))).size).toBe(2)
  })
})

it('money for people has separators and the decimals of its currency', () => {
  expect([
    moneyText(-1234567.5, 'USD'),
    moneyText(298210, 'JPY'),
    moneyText(999, 'USD'),
    moneyText(0.5, 'KWD'),
  ]).toEqual(['-1,234,567.50', '298,210', '999.00', '0.500'])
})
