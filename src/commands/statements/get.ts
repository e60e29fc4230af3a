import { ApiCommand } from '../../cli/command/api-command.ts'
import { clientFlag, idArg } from '../../cli/command/flags.ts'
import type { Statement } from '../../contract/statements.ts'

export default class StatementsGet extends ApiCommand<typeof StatementsGet, Statement> {
  static override summary = 'Show a statement'
  static override examples = ['<%= config.bin %> statements get stmt_FDE_9 --client cli_demo']
  static override args = { id: idArg({ summary: 'Statement, stmt_<SOURCE>_<id>', prefix: 'stmt_' }) }
  static override flags = { client: clientFlag }

  protected override async execute(): Promise<Statement> {
    return this.api.statements.get(
      { statement_id: this.args.id, client_id: this.clientId },
      { signal: this.signal },
    )
  }
}
