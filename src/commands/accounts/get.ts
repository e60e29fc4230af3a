import { ApiCommand } from '../../cli/command/api-command.ts'
import { clientFlag, idArg } from '../../cli/command/flags.ts'
import type { Account } from '../../contract/accounts.ts'

export default class AccountsGet extends ApiCommand<typeof AccountsGet, Account> {
  static override summary = 'Show an account'
  static override examples = ['<%= config.bin %> accounts get acc_FDE_9 --client cli_demo']
  static override args = { id: idArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }) }
  static override flags = { client: clientFlag }

  protected override async execute(): Promise<Account> {
    return this.api.accounts.get(
      { account_id: this.args.id, client_id: this.clientId },
      { signal: this.signal },
    )
  }
}
