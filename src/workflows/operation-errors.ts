/** How waiting for an operation ends when it did not succeed. */
import type { Operation } from '../contract/operations.ts'
import { BankapiError } from '../errors.ts'

/** The operation reached `failed`; `operation.error` says why. */
export class OperationFailedError extends BankapiError {
  override readonly name = 'OperationFailedError'
  readonly operation: Operation
  /** The Connection or Client it was on, when the caller knew it. */
  readonly subject: string | undefined

  constructor(operation: Operation, subject?: string) {
    const { code = 'operation_failed', message = `${operation.type} failed` } = operation.error ?? {}
    super(message, { code, exit: 'operationFailed' })
    this.operation = operation
    this.subject = subject
  }
}

/** The operation was still `queued` when the time ran out. It goes on; waiting can be resumed. */
export class WaitTimeoutError extends BankapiError {
  override readonly name = 'WaitTimeoutError'

  constructor(operationId: string, timeoutMs: number) {
    super(`${operationId} is still running after ${Math.round(timeoutMs / 1000)} s`, {
      code: 'still_running',
      exit: 'stillRunning',
      hint: `bankapi operations wait ${operationId}`,
    })
  }
}
