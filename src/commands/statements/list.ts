import { type AccountPage, AccountRowsCommand, accountArgs } from '../../cli/command/account-rows-command.ts'
import type { Account } from '../../contract/accounts.ts'
import { Statement } from '../../contract/statements.ts'
import { statementFields } from '../../output/resources.ts'

export default class StatementsList extends AccountRowsCommand<typeof StatementsList, Statement> {
  static override summary = "List an account's statements, or those of every account"
  static override description =
    'Without an account, those of every account of the Clients, each with the names of its Client, institution and account.'
  static override examples = [
    '<%= config.bin %> statements list acc_FDE_9 --client cli_demo',
    '<%= config.bin %> statements list --all-clients --output csv',
  ]
  static override args = accountArgs

  protected override readonly itemFields = statementFields
  protected override readonly known = Object.keys(Statement.shape)

  protected override readonly page: AccountPage<Statement> = (query, options) =>
    this.api.statements.list(query, options)

  /** The service has no statements of uploaded PDFs. */
  protected override lists({ source }: Account): boolean {
    return source !== 'PDF'
  }

  protected override none(account: string | undefined): string {
    return `No statements of ${account ?? 'these accounts'}.`
  }
}
