/** Starts operations and waits for their outcome. */
import type { Operation } from '../contract/operations.ts'
import type { OperationAccepted } from '../contract/shapes.ts'
import type { WorkflowContext } from './context.ts'
import { OperationFailedError, WaitTimeoutError } from './operation-errors.ts'

export interface WaitProgress {
  readonly operation: Operation
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number
}

export interface WaitOptions {
  readonly operationId: string
  /** Give up after this many milliseconds; the operation itself goes on. */
  readonly timeoutMs: number
  /** The server's estimate from the 202 answer, in seconds. */
  readonly estimatedSeconds?: number | undefined
  /** The Connection or Client the operation is on, when the caller knows it. */
  readonly subject?: string | undefined
}

/**
 * Polls an operation until it is settled and returns it `succeeded`.
 * @throws OperationFailedError, WaitTimeoutError, whatever the read throws, or the signal's reason.
 */
export async function waitForOperation(
  context: WorkflowContext<WaitProgress>,
  options: WaitOptions,
): Promise<Operation> {
  const { api, clock, signal } = context
  const started = clock.elapsed()
  for (;;) {
    const operation = await api.operations.get({ operation_id: options.operationId }, { signal })
    const elapsedMs = clock.elapsed() - started
    context.onProgress?.({ operation, elapsedMs })
    if (operation.status === 'succeeded') return operation
    if (operation.status === 'failed') throw new OperationFailedError(operation, options.subject)
    const left = options.timeoutMs - elapsedMs
    if (left <= 0) throw new WaitTimeoutError(options.operationId, options.timeoutMs)
    await clock.sleep(Math.min(left, pollDelay(elapsedMs, options.estimatedSeconds)), signal)
  }
}

const minPollDelayMs = 500
const maxPollDelayMs = 10_000

/**
 * Milliseconds to wait before an operation is read again. Grows with the time already spent, so that quick work is
 * noticed quickly and slow work is not read too often. `estimatedSeconds` is the server's best-effort floor: up to it
 * the reads stay further apart, by at most a twentieth of it, because nothing is expected sooner.
 */
export function pollDelay(elapsedMs: number, estimatedSeconds: number | undefined): number {
  const floorMs = (estimatedSeconds ?? 0) * 1000
  const maxMs =
    elapsedMs < floorMs ? Math.max(minPollDelayMs, Math.min(maxPollDelayMs, floorMs / 20)) : maxPollDelayMs
  return Math.min(Math.max(elapsedMs / 4, minPollDelayMs), maxMs)
}

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
