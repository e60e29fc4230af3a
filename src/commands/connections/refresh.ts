import { connectionArg, DEFAULT_TIMEOUT_MS, waitFlags } from '../../cli/command/flags.ts'
import { OperationCommand } from '../../cli/command/operation-command.ts'
import type { Operation } from '../../contract/operations.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import { refreshConnection } from '../../workflows/operations.ts'

export default class ConnectionsRefresh extends OperationCommand<typeof ConnectionsRefresh> {
  static override summary = 'Ask the source for fresh data'
  static override description =
    'Each refresh uses one of the daily refresh budget and is never sent twice. The outcome comes with --wait, with ' +
    'bankapi operations wait, or as account.refresh.completed and account.refresh.failed webhooks.'
  static override examples = [
    '<%= config.bin %> connections refresh con_FDE_123 --wait',
    '<%= config.bin %> connections refresh con_FDE_123 --wait --json | jq .status',
  ]
  static override args = { id: connectionArg() }
  static override flags = { ...waitFlags }

  protected override async execute(): Promise<OperationAccepted | Operation> {
    const { wait, timeout } = this.flags
    return refreshConnection(this.waiting, {
      connectionId: this.args.id,
      timeoutMs: wait ? (timeout ?? DEFAULT_TIMEOUT_MS) : undefined,
      onAccepted: (accepted) => this.started(accepted, 'account.refresh', this.args.id),
    })
  }
}
