import { clientFlag, dateFlag, idArg } from '../../cli/command/flags.ts'
import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { Transaction } from '../../contract/transactions.ts'
import { transactionFields } from '../../output/resources.ts'

export default class TransactionsList extends ListCommand<typeof TransactionsList, Transaction> {
  static override summary = "List an account's transactions, most recently recorded first"
  static override description =
    'Money out is negative, money in is positive, on every source. Amount, description and date of a pending charge can ' +
    'still change. --from and --to bound the transaction date.'
  static override examples = [
    '<%= config.bin %> transactions list acc_FDE_9 --client cli_demo',
    '<%= config.bin %> transactions list acc_FDE_9 --client cli_demo --from 2026-01-01 --all --output ndjson',
  ]
  static override args = { account: idArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }) }
  static override flags = {
    client: clientFlag,
    from: dateFlag({ summary: 'First transaction date: yesterday, 30d (so long ago) or 2026-01-31' }),
    to: dateFlag({ summary: 'Last transaction date, inclusive' }),
  }

  protected override readonly fields = transactionFields
  protected override readonly known = Object.keys(Transaction.shape)

  protected override source(): ListSource<Transaction> {
    const { from, to } = this.flags
    if (from !== undefined && to !== undefined && from > to) {
      throw new UsageError(`--from ${from} is after --to ${to}`, { hint: 'Turn them around' })
    }
    const query = {
      account_id: this.args.account,
      client_id: this.clientId,
      from,
      to,
    }
    return {
      page: (paging) => this.api.transactions.list({ ...query, ...paging }, { signal: this.signal }),
      none: `No transactions of ${query.account_id}${from === undefined && to === undefined ? '' : ' in this period'}.`,
    }
  }
}
