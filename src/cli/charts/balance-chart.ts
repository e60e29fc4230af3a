/** Draws the history of a balance for people. */
import { joined, lineChart, moneyText } from '../../output/chart.ts'
import type { View } from '../../output/view.ts'
import { truncate, truncateMiddle, wrap } from '../../output/width.ts'
import { type BalanceHistory, basisSentence } from '../../workflows/balance-history.ts'
import { DecimalSum } from '../../workflows/decimal.ts'

/** The chart with a heading, its extremes and its basis. `rows` are those of the terminal, which it fits into where it can. */
export function balanceChart(history: BalanceHistory, rows: number, out: View): string {
  const { account_id, account_name, mask, iso_currency_code: currency, data } = history
  const [first, last] = [data[0], data.at(-1)]
  if (first === undefined || last === undefined) return ''
  const change = new DecimalSum(last.current_balance, -first.current_balance).value
  const changed = `${change > 0 ? '+' : ''}${moneyText(change, currency)}`
  const lowest = data.reduce((least, day) => (day.current_balance < least.current_balance ? day : least))
  const highest = data.reduce((most, day) => (day.current_balance > most.current_balance ? day : most))
  const name = [account_name, mask === null ? null : `•••• ${mask}`].filter((part) => part !== null).join(' ')
  const names = [
    ...(name === '' ? [] : [out.bold(truncate(name, out.width))]),
    out.dim(truncateMiddle(account_id, out.width)),
  ]
  const figures = [
    `${out.bold(`${moneyText(last.current_balance, currency)} ${currency}`)} on ${last.date}`,
    ...(data.length > 1 ? [`${change < 0 ? out.bad(changed) : out.good(changed)} since ${first.date}`] : []),
  ]
  const lines = [joined(names, out.width, '  '), joined(figures, out.width, '  ')]
  const below = [
    joined(
      [
        `lowest ${moneyText(lowest.current_balance, currency)} on ${lowest.date}`,
        `highest ${moneyText(highest.current_balance, currency)} on ${highest.date}`,
      ],
      out.width,
    ),
    dimLines(wrap(basisSentence(history), out.width), out),
  ].join('\n')
  const days = data.map(({ date, current_balance }) => ({ date, value: current_balance }))
  if (days.length === 1) return `${lines.join('\n')}\n${below}\n`
  // A small screen has no blank lines.
  const gap = rows < 20 ? '' : '\n'
  // Beside the plot: the texts, the axis and its dates, the line of the next prompt, and one that a pager would ask in.
  const others = [...lines, below].join('\n').split('\n').length + 4 + 2 * gap.length
  const height = Math.max(4, Math.min(20, rows - others))
  return `${lines.join('\n')}\n${gap}${lineChart({ days, height }, out)}${gap}${below}\n`
}

function dimLines(text: string, out: View): string {
  return text
    .split('\n')
    .map((line) => out.dim(line))
    .join('\n')
}
