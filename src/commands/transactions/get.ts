import { ApiCommand } from '../../cli/command/api-command.ts'
import { clientFlag, idArg } from '../../cli/command/flags.ts'
import type { Transaction } from '../../contract/transactions.ts'

export default class TransactionsGet extends ApiCommand<typeof TransactionsGet, Transaction> {
  static override summary = 'Show a transaction'
  static override description =
    'A transaction that its source retracted, or a pending charge the bank reissued under a new id, is not found.'
  static override examples = ['<%= config.bin %> transactions get txn_FDE_9_1 --client cli_demo']
  static override args = { id: idArg({ summary: 'Transaction, txn_<SOURCE>_<id>', prefix: 'txn_' }) }
  static override flags = { client: clientFlag }

  protected override async execute(): Promise<Transaction> {
    return this.api.transactions.get(
      { transaction_id: this.args.id, client_id: this.clientId },
      { signal: this.signal },
    )
  }
}
