import { Flags } from '@oclif/core'
import { type AccountPage, AccountPagesCommand, accountArgs } from '../../cli/command/account-rows-command.ts'
import type { Columns } from '../../cli/command/base-command.ts'
import { dateFlag } from '../../cli/command/flags.ts'
import type { RowSource } from '../../cli/command/list-command.ts'
import { PageWalk } from '../../cli/command/list-walk.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Transaction } from '../../contract/transactions.ts'
import type { Page } from '../../contract/values.ts'
import type { Field } from '../../output/fields.ts'
import type { Progress } from '../../output/progress.ts'
import { groupings, type SummaryRow, TransactionSums } from '../../workflows/transaction-sums.ts'

const currency = ({ iso_currency_code: code }: SummaryRow) => code

const fields: readonly Field<SummaryRow>[] = [
  { key: 'group', priority: 9 },
  { key: 'transactions', kind: 'number', priority: 1 },
  { key: 'money_out', header: 'out', kind: 'money', currency, priority: 8 },
  { key: 'money_in', header: 'in', kind: 'money', currency, priority: 7 },
  { key: 'net', kind: 'money', currency, priority: 6 },
]

const keys: readonly (keyof SummaryRow)[] = [
  'by',
  'group',
  'iso_currency_code',
  'transactions',
  'money_in',
  'money_out',
  'net',
]

export default class TransactionsSummary extends AccountPagesCommand<
  typeof TransactionsSummary,
  SummaryRow,
  Transaction
> {
  static override summary = 'Sum up money in and money out by month, category, merchant or day'
  static override description =
    "Of one account, or of every account of the Clients. Money out is negative. Only settled transactions count: a pending one's " +
    'amount can still change. Each currency has its own rows and is never added to another. Sums are exact. A transfer between ' +
    'two accounts is money out of one and money in to the other.\n' +
    'On a terminal it is a chart; in a pipe, and with --columns, rows. --limit is of the rows: all transactions are read.'
  static override examples = [
    '<%= config.bin %> transactions summary --client cli_demo --from 2026-01-01',
    '<%= config.bin %> transactions summary acc_FDE_12301 --by category --from 90d',
    '<%= config.bin %> transactions summary --all-clients --by merchant --limit 20',
    "<%= config.bin %> transactions summary --all-clients --jq '.data[] | select(.net < 0) | .group'",
  ]
  static override args = accountArgs
  static override flags = {
    by: Flags.option({ summary: 'What to sum up by', options: groupings, default: 'month' as const })(),
    from: dateFlag({ summary: 'First transaction date: yesterday, 30d (so long ago) or 2026-01-31' }),
    to: dateFlag({ summary: 'Last transaction date, inclusive' }),
  }

  protected override readonly itemFields = fields
  protected override readonly known = keys
  protected override readonly shownContext = [] as const

  #sums: TransactionSums | undefined
  #progress: Progress | undefined

  protected override readonly page: AccountPage<Transaction> = (query, options) => {
    const { from, to } = this.flags
    return this.api.transactions.list({ ...query, from, to }, options)
  }

  protected override source(): RowSource<SummaryRow> {
    const { from, to } = this.flags
    if (from !== undefined && to !== undefined && from > to) {
      throw new UsageError(`--from ${from} is after --to ${to}`, { hint: 'Turn them around' })
    }
    if (this.flags.cursor !== undefined) {
      throw new UsageError('--cursor goes on with one list of the service: a summary reads all of it', {
        hint: 'Leave out --cursor',
      })
    }
    const { account } = this
    const pages = account === undefined ? () => this.#pagesAcross() : this.#pagesOf(account)
    return { rows: () => this.#summed(pages()), none: this.none(account) }
  }

  #pagesOf(account: string): () => AsyncGenerator<readonly Transaction[]> {
    const page = this.pageOf(account)
    return () => new PageWalk(page).batches()
  }

  async *#pagesAcross(): AsyncGenerator<readonly Transaction[]> {
    for await (const { rows } of this.pagesAcross()) yield rows
  }

  async *#summed(pages: AsyncGenerator<readonly Transaction[]>): AsyncGenerator<readonly SummaryRow[]> {
    const sums = new TransactionSums(this.flags.by)
    this.#sums = sums
    this.#progress = await this.createProgress()
    const most = Number(this.preference('output.max_rows') ?? 100_000)
    try {
      for await (const rows of pages) {
        sums.add(rows)
        this.#progress.update(`${sums.settled + sums.pending} transactions read`)
        if (sums.groups > most) {
          throw new UsageError(`There are more than ${most} rows, which have to be in memory at once`, {
            code: 'too_many_rows',
            hint: 'Sum up less: --from, --to, or by something else',
          })
        }
      }
    } finally {
      this.#progress.stop()
    }
    yield sums.rows()
  }

  protected override note(sentence: string): void {
    this.#progress?.stop()
    super.note(sentence)
  }

  protected override none(account: string | undefined): string {
    return `No settled transactions of ${account ?? 'these accounts'} in this period.`
  }

  protected override restOf(): string {
    return 'There is more: a larger --limit, or --all'
  }

  protected override async columns(): Promise<Columns> {
    return { fields: fields as readonly Field<never>[], known: keys }
  }

  protected override async rendered(page: Page<SummaryRow>): Promise<string> {
    const out = await this.createView()
    if (this.format !== undefined || !out.tty || out.hasColumns) return super.rendered(page)
    const { summaryChart } = await import('../../cli/charts/charts.ts')
    return summaryChart(this.#sums?.rows() ?? [], page.data.length, out)
  }

  protected override async render(page: Page<SummaryRow> | undefined): Promise<void> {
    await super.render(page)
    const pending = this.#sums?.pending ?? 0
    if (pending > 0) this.note(`${pending} pending ${pending === 1 ? 'one is' : 'ones are'} not in the sums.`)
  }
}
