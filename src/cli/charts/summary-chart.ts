/** Draws sums of transactions for people: a chart per currency. */
import { type FlowRow, flowChart } from '../../output/chart.ts'
import type { View } from '../../output/view.ts'
import { DecimalSum } from '../../workflows/decimal.ts'
import type { SummaryRow } from '../../workflows/transaction-sums.ts'

export function summaryChart(rows: readonly SummaryRow[], out: View): string {
  const byCurrency = Map.groupBy(rows, ({ iso_currency_code: code }) => code)
  return [...byCurrency]
    .map(([currency, sums]) => {
      const count = sums.reduce((total, { transactions }) => total + transactions, 0)
      const heading = `${out.bold(currency)}  ${out.dim(`${count} settled transaction${count === 1 ? '' : 's'}`)}`
      return `${heading}\n${flowChart(sums.map(flowOf), { total: totalOf(sums), heading: sums[0]?.by ?? '', currency }, out)}`
    })
    .join('\n')
}

function flowOf({ by, group, money_in: moneyIn, money_out: moneyOut, net }: SummaryRow): FlowRow {
  return { label: group ?? `no ${by}`, moneyIn, moneyOut, net }
}

function totalOf(rows: readonly SummaryRow[]): FlowRow {
  const sum = (key: 'money_in' | 'money_out' | 'net') => new DecimalSum(...rows.map((row) => row[key])).value
  return { label: 'total', moneyIn: sum('money_in'), moneyOut: sum('money_out'), net: sum('net') }
}
