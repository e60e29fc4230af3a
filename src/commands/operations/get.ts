import { idArg } from '../../cli/command/flags.ts'
import { OperationCommand } from '../../cli/command/operation-command.ts'
import type { Operation } from '../../contract/operations.ts'

export default class OperationsGet extends OperationCommand<typeof OperationsGet, Operation> {
  static override summary = 'Show an operation'
  static override examples = ['<%= config.bin %> operations get op_123']
  static override args = { id: idArg({ summary: 'Operation, op_<id>', prefix: 'op_' }) }

  protected override async execute(): Promise<Operation> {
    const operation = await this.api.operations.get({ operation_id: this.args.id }, { signal: this.signal })
    await this.journal.seen(operation)
    return operation
  }
}
