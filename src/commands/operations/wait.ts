import { DEFAULT_TIMEOUT_MS, duration, idArg } from '../../cli/command/flags.ts'
import { OperationCommand } from '../../cli/command/operation-command.ts'
import type { Operation } from '../../contract/operations.ts'
import { waitForOperation } from '../../workflows/operations.ts'

export default class OperationsWait extends OperationCommand<typeof OperationsWait, Operation> {
  static override summary = 'Wait until an operation is done'
  static override description = 'Exit code 0 when it succeeded, 9 when it failed, 10 when the time ran out.'
  static override examples = ['<%= config.bin %> operations wait op_123 --timeout 10m']
  static override args = { id: idArg({ summary: 'Operation, op_<id>', prefix: 'op_' }) }
  static override flags = {
    timeout: duration({ summary: 'Give up after this long (default 5m); the operation goes on' }),
  }

  protected override async execute(): Promise<Operation> {
    this.resumable(this.args.id)
    return waitForOperation(this.waiting, {
      operationId: this.args.id,
      timeoutMs: this.flags.timeout ?? DEFAULT_TIMEOUT_MS,
      subject: await this.journal.subjectOf(this.args.id),
    })
  }
}
