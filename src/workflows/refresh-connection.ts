import type { Operation } from '../contract/operations.ts'
import type { OperationAccepted } from '../contract/shapes.ts'
import type { WorkflowContext } from './context.ts'
import { type WaitProgress, waitForOperation } from './wait-for-operation.ts'

export interface RefreshOptions {
  readonly connectionId: string
  /** Milliseconds to wait for the outcome; undefined: do not wait. */
  readonly timeoutMs: number | undefined
  /** Called once, as soon as the service accepted the call. */
  readonly onAccepted?: (accepted: OperationAccepted) => void
}

/**
 * Starts a refresh and, when asked, waits for its outcome. Each call uses one of the daily refresh budget, so it is
 * never sent twice.
 * @throws OperationFailedError, WaitTimeoutError, or the signal's reason.
 */
export async function refreshConnection(
  context: WorkflowContext<WaitProgress>,
  options: RefreshOptions,
): Promise<OperationAccepted | Operation> {
  const accepted = await context.api.connections.refresh(
    { connection_id: options.connectionId },
    { signal: context.signal },
  )
  options.onAccepted?.(accepted)
  if (options.timeoutMs === undefined) return accepted
  return waitForOperation(context, {
    operationId: accepted.operation_id,
    timeoutMs: options.timeoutMs,
    subject: options.connectionId,
    estimatedSeconds: accepted.estimated_seconds,
  })
}
