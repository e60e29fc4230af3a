import { type AccountPage, AccountRowsCommand, accountArgs } from '../../cli/command/account-rows-command.ts'
import type { Account } from '../../contract/accounts.ts'
import { Check } from '../../contract/checks.ts'
import { isOfSource } from '../../contract/ids.ts'
import { checkFields } from '../../output/resources.ts'

export default class ChecksList extends AccountRowsCommand<typeof ChecksList, Check> {
  static override summary = "List an account's checks, or those of every account (FDE accounts only have any)"
  static override description =
    'Without an account, those of every FDE account of the Clients, each with the names of its Client, institution and account.'
  static override examples = [
    '<%= config.bin %> checks list acc_FDE_9 --client cli_demo',
    '<%= config.bin %> checks list --all-clients --output ndjson',
  ]
  static override args = accountArgs

  protected override readonly itemFields = checkFields
  protected override readonly known = Object.keys(Check.shape)

  protected override readonly page: AccountPage<Check> = (query, options) =>
    this.api.checks.list(query, options)

  /** The list of any other account is always empty. */
  protected override lists({ source }: Account): boolean {
    return source === 'FDE'
  }

  protected override none(account: string | undefined): string {
    if (account === undefined) return 'No checks of these accounts.'
    return isOfSource(account, 'FDE')
      ? `No checks of ${account}.`
      : `No checks of ${account}: only FDE accounts have any.`
  }
}
