/** What the service and the inbox say about an operation, as facts that are safe to show. */
import type { KnownOperation } from '../../inbox/operations.ts'
import type { WaitProgress } from '../../workflows/wait-for-operation.ts'
import type { OperationFacts } from '../state/operation-row.ts'
import { clipped } from './clipped.ts'

export type Operation = WaitProgress['operation']

/** The service's answer. */
export function factsOfOperation(operation: Operation, safe: (text: string) => string): OperationFacts {
  const shown = clipped(safe)
  const { id, type, status, error, result } = operation
  const startedAt = timeOf(operation.created_at)
  const completedAt = timeOf(operation.completed_at)
  return {
    id: shown(id),
    type: shown(type),
    status: shown(status),
    startedAt,
    completedAt,
    tookMs:
      startedAt === undefined || completedAt === undefined ? undefined : Math.max(0, completedAt - startedAt),
    outcome: outcomeOf(status, error, result, shown),
    docUrl: error?.doc_url === undefined ? undefined : shown(error.doc_url),
  }
}

/** What this machine noted. How it ended is not among it. */
export function factsOfKnown(operation: KnownOperation, safe: (text: string) => string): OperationFacts {
  const shown = clipped(safe)
  const { id, type, subject, status, startedAt, completedAt, estimatedSeconds } = operation
  return {
    id: shown(id),
    type: type === undefined ? undefined : shown(type),
    subject: subject === undefined ? undefined : shown(subject),
    status: shown(status),
    startedAt,
    completedAt,
    estimatedSeconds,
  }
}

function outcomeOf(
  status: string,
  error: Operation['error'],
  result: Operation['result'],
  shown: (text: string) => string,
): string | undefined {
  if (status === 'failed') {
    if (!error) return 'failed'
    const accounts = error.accounts?.length ? ` (${error.accounts.length} accounts)` : ''
    return shown(`${error.code}${accounts}: ${error.message}`)
  }
  if (status === 'succeeded') return result ? shown(result.kind) : 'done'
  return undefined
}

function timeOf(text: string | null | undefined): number | undefined {
  const time = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
