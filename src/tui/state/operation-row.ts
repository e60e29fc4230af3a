/** An operation as a row of the list. Every text in it is safe to show. */

export interface OperationRow {
  readonly id: string
  readonly type: string | undefined
  /** The id of the Connection, Client or Statement it is on. */
  readonly subject: string | undefined
  /** `unknown` until the first read, when only its id was given. */
  readonly status: string
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly completedAt: number | undefined
  /** Milliseconds from start to end by the service's own clock, which may differ from this machine's. */
  readonly tookMs: number | undefined
  /** The service's best-effort estimate; a floor. */
  readonly estimatedSeconds: number | undefined
  /** The result's kind, or the error's code and message. */
  readonly outcome: string | undefined
  readonly docUrl: string | undefined
  /** The error of the last read, if it failed. */
  readonly problem: string | undefined
  readonly poll: Poll
}

export interface Poll {
  /** When it is read next, Unix milliseconds; undefined when no further read is needed. */
  readonly due: number | undefined
  /** Consecutive failed reads. */
  readonly failures: number
}

/** New facts about an operation; what is left out stays as it was. */
export interface OperationFacts {
  readonly id: string
  readonly type?: string | undefined
  readonly subject?: string | undefined
  readonly status?: string | undefined
  readonly startedAt?: number | undefined
  readonly completedAt?: number | undefined
  readonly tookMs?: number | undefined
  readonly estimatedSeconds?: number | undefined
  readonly outcome?: string | undefined
  readonly docUrl?: string | undefined
}

/** Between the start of an operation and its first read. */
const FIRST_READ_AFTER_MS = 500
/** The outcome of an operation that succeeded longer ago is not read. */
const RECENT_MS = 10 * 60_000

export function isSettled(row: Pick<OperationRow, 'status'>): boolean {
  return row.status === 'succeeded' || row.status === 'failed'
}

/** Whether it may still change; one that the service does not know cannot. */
export function isRunning(row: OperationRow): boolean {
  return !isSettled(row) && row.poll.due !== undefined
}

/** Whether no read is needed any more: it is settled, and its outcome known. */
function isComplete(row: Pick<OperationRow, 'status' | 'outcome'>): boolean {
  return isSettled(row) && row.outcome !== undefined
}

/** A row from the first facts; `now` is used for an unknown start. */
export function newOperation(facts: OperationFacts, now: number): OperationRow {
  const startedAt = facts.startedAt ?? now
  const row = {
    id: facts.id,
    type: facts.type,
    subject: facts.subject,
    status: facts.status ?? 'unknown',
    startedAt,
    completedAt: facts.completedAt,
    tookMs: facts.tookMs,
    estimatedSeconds: facts.estimatedSeconds,
    outcome: facts.outcome,
    docUrl: facts.docUrl,
    problem: undefined,
  }
  return { ...row, poll: { due: firstRead(row, now), failures: 0 } }
}

/** One that was settled when first seen is read once for its outcome or, if it succeeded long ago, never. */
function firstRead(row: Omit<OperationRow, 'poll'>, now: number): number | undefined {
  if (!isSettled(row)) return Math.max(now, row.startedAt + FIRST_READ_AFTER_MS)
  if (isComplete(row)) return undefined
  return row.status === 'failed' || now - row.startedAt < RECENT_MS ? now : undefined
}

/** The row with new facts. A settled operation stays settled, because an older response may arrive late. */
export function withFacts(row: OperationRow, facts: OperationFacts, now: number): OperationRow {
  const status = isSettled(row) ? row.status : (facts.status ?? row.status)
  const next = {
    ...row,
    type: facts.type ?? row.type,
    subject: facts.subject ?? row.subject,
    status,
    // The start that this machine recorded stays, because elapsed time is measured by its clock.
    startedAt: row.status === 'unknown' ? (facts.startedAt ?? row.startedAt) : row.startedAt,
    completedAt: facts.completedAt ?? row.completedAt,
    tookMs: facts.tookMs ?? row.tookMs,
    estimatedSeconds: facts.estimatedSeconds ?? row.estimatedSeconds,
    outcome: facts.outcome ?? row.outcome,
    docUrl: facts.docUrl ?? row.docUrl,
  }
  if (isComplete(next)) return { ...next, problem: undefined, poll: { due: undefined, failures: 0 } }
  // Another process saw it settle: read its outcome.
  if (isSettled(next) && !isSettled(row)) return { ...next, poll: { ...row.poll, due: now } }
  return next
}

/** Milliseconds from the start to now or, once it is settled, to its end; undefined when the end is unknown. */
export function elapsedMs(row: OperationRow, now: number): number | undefined {
  if (!isSettled(row)) return Math.max(0, now - row.startedAt)
  if (row.tookMs !== undefined) return row.tookMs
  return row.completedAt === undefined ? undefined : Math.max(0, row.completedAt - row.startedAt)
}

/** The Connection an operation is on. */
export function connectionOf(row: OperationRow): string | undefined {
  return row.subject?.startsWith('con_') ? row.subject : undefined
}
