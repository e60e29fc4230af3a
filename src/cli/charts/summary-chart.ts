/** Draws sums of transactions for people: a chart per currency. */
import { type FlowRow, flowChart } from '../../output/chart.ts'
import type { View } from '../../output/view.ts'
import { DecimalSum } from '../../workflows/decimal.ts'
import type { SummaryRow } from '../../workflows/transaction-sums.ts'

/** The first `shown` of the rows, what the others come to in one more, and the total of all, of each currency. */
export function summaryChart(rows: readonly SummaryRow[], shown: number, out: View): string {
  const byCurrency = Map.groupBy(rows.entries(), ([, { iso_currency_code: code }]) => code)
  return [...byCurrency]
    .map(([currency, entries]) => {
      const sums = entries.map(([, row]) => row)
      const count = sums.reduce((total, { transactions }) => total + transactions, 0)
      const heading = `${out.bold(currency)}  ${out.dim(`${count} settled transaction${count === 1 ? '' : 's'}`)}`
      const others = sums.slice(entries.filter(([at]) => at < shown).length)
      const flows = sums.slice(0, sums.length - others.length).map(flowOf)
      const more = others.length === 0 ? [] : [sumOf(others, `${others.length} more`)]
      const options = { total: sumOf(sums, 'total'), heading: sums[0]?.by ?? '', currency }
      return `${heading}\n${flowChart([...flows, ...more], options, out)}`
    })
    .join('\n')
}

function flowOf({ by, group, money_in: moneyIn, money_out: moneyOut, net }: SummaryRow): FlowRow {
  return { label: group ?? `no ${by}`, moneyIn, moneyOut, net }
}

function sumOf(rows: readonly SummaryRow[], label: string): FlowRow {
  const sum = (key: 'money_in' | 'money_out' | 'net') => new DecimalSum(...rows.map((row) => row[key])).value
  return { label, moneyIn: sum('money_in'), moneyOut: sum('money_out'), net: sum('net') }
}
