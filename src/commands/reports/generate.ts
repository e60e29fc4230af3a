import { clientFlag, DEFAULT_TIMEOUT_MS, waitFlags } from '../../cli/command/flags.ts'
import { OperationCommand } from '../../cli/command/operation-command.ts'
import type { Operation } from '../../contract/operations.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import { waitForOperation } from '../../workflows/operations.ts'

export default class ReportsGenerate extends OperationCommand<typeof ReportsGenerate> {
  static override summary = 'Generate a verification report of a Client'
  static override description =
    'With --wait it shows the accounts of the report with their balances. The reference names this operation but does not show its path: the one used is an assumption. ' +
    "Set another: <%= config.bin %> config set endpoints.reports.generate 'POST /path/{client_id}'"
  static override examples = ['<%= config.bin %> reports generate --client cli_demo --wait']
  static override flags = { client: clientFlag, ...waitFlags }

  protected override async execute(): Promise<OperationAccepted | Operation> {
    const client_id = this.clientId
    const { wait, timeout } = this.flags
    const accepted = await this.api.reports.generate({ client_id }, { signal: this.signal })
    await this.started(accepted, 'report.generate', client_id)
    if (!wait) return accepted
    return waitForOperation(this.waiting, {
      operationId: accepted.operation_id,
      timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
      estimatedSeconds: accepted.estimated_seconds,
    })
  }
}
