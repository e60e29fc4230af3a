import { clientFlag, idArg } from '../../cli/command/flags.ts'
import { ListCommand, type ListSource } from '../../cli/command/list-command.ts'
import { Statement } from '../../contract/statements.ts'
import { statementFields } from '../../output/resources.ts'

export default class StatementsList extends ListCommand<typeof StatementsList, Statement> {
  static override summary = "List an account's statements"
  static override examples = ['<%= config.bin %> statements list acc_FDE_9 --client cli_demo']
  static override args = { account: idArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }) }
  static override flags = { client: clientFlag }

  protected override readonly fields = statementFields
  protected override readonly known = Object.keys(Statement.shape)

  protected override source(): ListSource<Statement> {
    const query = { account_id: this.args.account, client_id: this.clientId }
    return {
      page: (paging) => this.api.statements.list({ ...query, ...paging }, { signal: this.signal }),
      none: `No statements of ${query.account_id}.`,
    }
  }
}
