/** The charts of commands, which only a terminal shows: a file of its own in the built program. */
export { balanceChart } from './balance-chart.ts'
export { statsChart } from './stats-chart.ts'
export { summaryChart } from './summary-chart.ts'
