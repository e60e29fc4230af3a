import { type AccountPage, AccountRowsCommand, accountArgs } from '../../cli/command/account-rows-command.ts'
import { dateFlag } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { Transaction } from '../../contract/transactions.ts'
import { transactionFields } from '../../output/resources.ts'

export default class TransactionsList extends AccountRowsCommand<typeof TransactionsList, Transaction> {
  static override summary =
    "List an account's transactions, or those of every account, most recently recorded first"
  static override description =
    'Money out is negative, money in is positive, on every source. Amount, description and date of a pending charge can ' +
    'still change. --from and --to bound the transaction date.\n' +
    'Without an account, those of every account of the Clients, one account after the other, each with the names of its ' +
    'Client, institution and account. An id is unique within its account only.'
  static override examples = [
    '<%= config.bin %> transactions list acc_FDE_9 --client cli_demo',
    '<%= config.bin %> transactions list acc_FDE_9 --client cli_demo --from 2026-01-01 --output ndjson',
    '<%= config.bin %> transactions list --all-clients --from 2026-01-01 --output csv > transactions.csv',
  ]
  static override args = accountArgs
  static override flags = {
    from: dateFlag({ summary: 'First transaction date: yesterday, 30d (so long ago) or 2026-01-31' }),
    to: dateFlag({ summary: 'Last transaction date, inclusive' }),
  }

  protected override readonly itemFields = transactionFields
  protected override readonly known = Object.keys(Transaction.shape)

  protected override readonly page: AccountPage<Transaction> = (query, options) => {
    const { from, to } = this.flags
    return this.api.transactions.list({ ...query, from, to }, options)
  }

  protected override source() {
    const { from, to } = this.flags
    if (from !== undefined && to !== undefined && from > to) {
      throw new UsageError(`--from ${from} is after --to ${to}`, { hint: 'Turn them around' })
    }
    return super.source()
  }

  protected override none(account: string | undefined): string {
    const { from, to } = this.flags
    const period = from === undefined && to === undefined ? '' : ' in this period'
    return `No transactions of ${account ?? 'these accounts'}${period}.`
  }
}
