import { clientFlag, idArg } from '../../cli/command/flags.ts'
import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { Check } from '../../contract/checks.ts'
import { isOfSource } from '../../contract/ids.ts'
import { checkFields } from '../../output/resources.ts'

export default class ChecksList extends ListCommand<typeof ChecksList, Check> {
  static override summary = "List an account's checks (FDE accounts only have any)"
  static override examples = ['<%= config.bin %> checks list acc_FDE_9 --client cli_demo']
  static override args = { account: idArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }) }
  static override flags = { client: clientFlag }

  protected override readonly fields = checkFields
  protected override readonly known = Object.keys(Check.shape)

  protected override source(): ListSource<Check> {
    const query = { account_id: this.args.account, client_id: this.clientId }
    return {
      page: (paging) => this.api.checks.list({ ...query, ...paging }, { signal: this.signal }),
      none: isOfSource(query.account_id, 'FDE')
        ? `No checks of ${query.account_id}.`
        : `No checks of ${query.account_id}: only FDE accounts have any.`,
    }
  }
}
