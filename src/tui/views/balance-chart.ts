/** Draws a balance over time, above an account's transactions. */
import { brailleCharacter, brailleSteps } from '../../output/braille.ts'
import type { Line } from '../state/pieces.ts'
import type { ResourceRow } from '../state/resource-row.ts'

const LABEL = 14

/** Lines of the chart, with the highest and the lowest balance at its side; one that says why when there is none. */
export function balanceChart(rows: readonly ResourceRow[], width: number, lines: number): Line[] {
  const days = balancesByDay(rows)
  const columns = width - LABEL - 2
  const first = days[0]
  const last = days.at(-1)
  if (first === undefined || last === undefined || days.length < 2 || columns < 10) {
    return [[{ text: ' Its balance is not drawn: it is no sum of these transactions', tone: 'dim' }]].slice(
      rows.length === 0 ? 1 : 0,
    ) as Line[]
  }
  const height = lines - 1
  const values = sampled(days, columns * 2)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const grid = brailleSteps(
    values.map((value) => [value]),
    { low, high, height },
  )
  const label = (index: number) => (index === 0 ? amount(high) : index === height - 1 ? amount(low) : '')
  const span = `${first.date} to ${last.date}`
  return [
    ...grid.map(
      (row, index): Line => [
        { text: label(index).padStart(LABEL), tone: 'dim' },
        { text: ' ' },
        { text: Array.from(row, brailleCharacter).join(''), tone: 'accent' },
      ],
    ),
    [{ text: `${' '.repeat(LABEL + 1)}${span}`, tone: 'dim' }],
  ]
}

interface Day {
  readonly date: string
  readonly balance: number
}

/** The balance at the end of each day that has a transaction; rows come newest first. */
function balancesByDay(rows: readonly ResourceRow[]): Day[] {
  const days: Day[] = []
  for (const { cells, balance } of rows) {
    const { date } = cells
    if (balance === undefined || date === undefined || days.at(-1)?.date === date) continue
    days.push({ date, balance })
  }
  return days.reverse()
}

/** The balance at equal steps of time. */
function sampled(days: readonly Day[], count: number): number[] {
  const times = days.map(({ date }) => Date.parse(date))
  const [from = 0, to = 0] = [times[0], times.at(-1)]
  let day = 0
  return Array.from({ length: count }, (_, index) => {
    const at = from + ((to - from) * index) / (count - 1)
    while (day + 1 < days.length && (times[day + 1] ?? 0) <= at) day++
    return days[day]?.balance ?? 0
  })
}

function amount(value: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}
