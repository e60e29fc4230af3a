import { AcrossCommand, filterFlag, inContext } from '../../cli/command/across-command.ts'
import type { ListSource, RowSource } from '../../cli/command/list-command.ts'
import { Account, accountTypes } from '../../contract/accounts.ts'
import { sources } from '../../contract/shapes.ts'
import { accountFields } from '../../output/resources.ts'
import { accountsAcross } from '../../workflows/across-clients.ts'

export default class AccountsList extends AcrossCommand<typeof AccountsList, Account> {
  static override summary = "List Clients' accounts"
  static override description =
    "Balances are signed from the holder's view: what is owed is negative. `available` is not sign-flipped: on a card it " +
    'is the credit still available. Across Clients, or with --institution, each row names its Client and institution.'
  static override examples = [
    '<%= config.bin %> accounts list --client cli_demo',
    '<%= config.bin %> accounts list --client cli_demo --connection con_FDE_123 --output csv',
    '<%= config.bin %> accounts list --all-clients --type credit_card --output csv',
  ]
  static override flags = {
    source: filterFlag('Only of this source', sources),
    type: filterFlag('Only of this type', accountTypes),
  }

  protected override readonly itemFields = accountFields
  protected override readonly known = Object.keys(Account.shape)
  protected override readonly shownContext = ['client_id', 'client_external_id', 'institution_name'] as const

  protected override get crosses(): boolean {
    const { connection = [], institution } = this.flags
    return this.oneClient === undefined || institution !== undefined || connection.length > 1
  }

  protected override source(): ListSource<Account> | RowSource<Account> {
    const { source, type, connection = [] } = this.flags
    const client_id = this.oneClient
    const accept = (account: Account) =>
      (source?.includes(account.source) ?? true) && (type?.includes(account.type) ?? true)
    if (this.crosses || client_id === undefined) {
      return { rows: () => this.#rows(accept), none: 'No such accounts of these Clients.' }
    }
    const [connection_id] = connection
    const filtered = source !== undefined || type !== undefined
    return {
      page: (paging) =>
        this.api.accounts.list({ client_id, connection_id, ...paging }, { signal: this.signal }),
      ...(filtered ? { accept } : {}),
      none: `No ${filtered ? 'such ' : ''}accounts of ${connection_id ?? client_id}.`,
    }
  }

  async *#rows(accept: (account: Account) => boolean): AsyncGenerator<readonly Account[]> {
    const { ofConnection } = this
    for await (const page of accountsAcross(this.api, this.acrossOptions, { ofConnection, accept })) {
      yield page.map((of) => inContext(of.account, of))
    }
  }
}
