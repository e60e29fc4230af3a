import { clientFlag, connectionFlag } from '../../cli/command/flags.ts'
import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { Account } from '../../contract/accounts.ts'
import { accountFields } from '../../output/resources.ts'

export default class AccountsList extends ListCommand<typeof AccountsList, Account> {
  static override summary = "List a Client's accounts"
  static override description =
    "Balances are signed from the holder's view: what is owed is negative. `available` is not sign-flipped: on a card it " +
    'is the credit still available.'
  static override examples = [
    '<%= config.bin %> accounts list --client cli_demo',
    '<%= config.bin %> accounts list --client cli_demo --connection con_FDE_123 --output csv',
  ]
  static override flags = { client: clientFlag, connection: connectionFlag() }

  protected override readonly fields = accountFields
  protected override readonly known = Object.keys(Account.shape)

  protected override source(): ListSource<Account> {
    const client_id = this.clientId
    const connection_id = this.flags.connection
    return {
      page: (paging) =>
        this.api.accounts.list({ client_id, connection_id, ...paging }, { signal: this.signal }),
      none: `No accounts of ${connection_id ?? client_id}.`,
    }
  }
}
