import { ApiCommand } from '../../cli/command/api-command.ts'
import { clientFlag, idArg } from '../../cli/command/flags.ts'
import type { Check } from '../../contract/checks.ts'

export default class ChecksGet extends ApiCommand<typeof ChecksGet, Check> {
  static override summary =
    'Show a check: what the bank reported, and apart from it what was read off the image'
  static override examples = ['<%= config.bin %> checks get acc_FDE_9 chk_FDE_1 --client cli_demo']
  static override args = {
    account: idArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }),
    id: idArg({ summary: 'Check, chk_<SOURCE>_<id>', prefix: 'chk_' }),
  }
  static override flags = { client: clientFlag }

  protected override async execute(): Promise<Check> {
    const { account, id } = this.args
    return this.api.checks.get(
      { account_id: account, check_id: id, client_id: this.clientId },
      { signal: this.signal },
    )
  }
}
