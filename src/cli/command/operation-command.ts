/** The base class of commands about an operation: records it, shows progress while waiting, and says how to resume. */
import type { Command } from '@oclif/core'
import { Operation } from '../../contract/operations.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import type { Progress } from '../../output/progress.ts'
import { operationText } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'
import { redacted } from '../../secrets/redaction.ts'
import type { WorkflowContext } from '../../workflows/context.ts'
import type { WaitProgress } from '../../workflows/operations.ts'
import { InterruptedError } from '../errors/errors.ts'
import { ApiCommand } from './api-command.ts'
import type { Columns } from './base-command.ts'

export abstract class OperationCommand<
  T extends typeof Command,
  Result = OperationAccepted | Operation,
> extends ApiCommand<T, Result> {
  #progress: Progress | undefined

  protected override async prepare(): Promise<void> {
    await super.prepare()
    this.#progress = await this.createProgress()
  }

  protected get progress(): Progress {
    if (this.#progress === undefined) throw new Error('the command does not run')
    return this.#progress
  }

  /** The context of a workflow that waits for an operation. */
  protected get waiting(): WorkflowContext<WaitProgress> {
    return {
      ...this.context,
      onProgress: ({ operation, elapsedMs }) => {
        const { type, status } = operation
        this.progress.update(redacted(`${type} ${status} ${Math.floor(elapsedMs / 1000)} s`))
        if (operation.status !== 'queued') void this.journal.seen(operation)
      },
    }
  }

  /** Call it once the service has accepted the call: from then on the operation goes on after Ctrl-C. */
  protected async started(accepted: OperationAccepted, type: string, subject: string): Promise<void> {
    this.resumable(accepted.operation_id)
    await this.journal.started({
      id: accepted.operation_id,
      type,
      subject,
      estimatedSeconds: accepted.estimated_seconds,
    })
  }

  /** Makes the message of Ctrl-C name the operation. */
  protected resumable(operationId: string): void {
    this.signal.addEventListener('abort', () => {
      if (!(this.signal.reason instanceof InterruptedError)) return
      this.signal.reason.hint = `The operation goes on. Wait for it: bankapi operations wait ${operationId}`
    })
  }

  /** The keys of both results: the accepted call, and the operation with `--wait`. */
  protected override async columns(): Promise<Columns> {
    return {
      known: [...new Set([...Object.keys(Operation.shape), ...((await super.columns()).known ?? [])])],
    }
  }

  protected override view(result: Result, out: View): string {
    const operation = result as OperationAccepted | Operation
    if (!('operation_id' in operation)) return operationText(operation as Operation, out)
    return `${out.record(operation)}Wait for it: bankapi operations wait ${String(operation.operation_id)}`
  }

  /** Clears the progress line before the result is written: both may be on one terminal. */
  protected override async render(result: Result): Promise<void> {
    this.#progress?.stop()
    await super.render(result)
  }

  protected override async close(): Promise<void> {
    this.#progress?.stop()
    await super.close()
  }
}
