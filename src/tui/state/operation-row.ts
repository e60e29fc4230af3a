/** An operation as a row. Every text in it is safe to show. */

export interface OperationRow {
  readonly id: string
  readonly type: string | undefined
  /** What it is on: a Connection, Client or Statement id. */
  readonly subject: string | undefined
  /** `unknown` until the first answer when only its id was given. */
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
  /** Why the last read of it did not work. */
  readonly problem: string | undefined
  readonly poll: Poll
}

export interface Poll {
  /** When it is to be read next, Unix milliseconds; undefined when that is not needed any more. */
  readonly due: number | undefined
  /** Reads in a row that failed. */
  readonly failures: number
}

/** What is known of an operation; what is left out stays as it was. */
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

/** Milliseconds after its start before an operation is first read: whoever started it is just as quick. */
const FIRST_LOOK = 500
/** Milliseconds: how it ended is still of interest. */
const RECENT = 10 * 60_000

export function isSettled(row: Pick<OperationRow, 'status'>): boolean {
  return row.status === 'succeeded' || row.status === 'failed'
}

/** Whether it may still change: one that the service does not know will not. */
export function isRunning(row: OperationRow): boolean {
  return !isSettled(row) && row.poll.due !== undefined
}

/** Reads that are still needed: until it is settled, and once more to learn how it ended. */
function isComplete(row: Pick<OperationRow, 'status' | 'outcome'>): boolean {
  return isSettled(row) && row.outcome !== undefined
}

/** A row from the first facts; `now` stands in for a start nobody noted. */
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

/** One that was over before it was noticed is read once for its reason or, if it is old and all went well, never. */
function firstRead(row: Omit<OperationRow, 'poll'>, now: number): number | undefined {
  if (!isSettled(row)) return Math.max(now, row.startedAt + FIRST_LOOK)
  if (isComplete(row)) return undefined
  return row.status === 'failed' || now - row.startedAt < RECENT ? now : undefined
}

/** The row with new facts. A settled operation stays settled: an older answer may come late. */
export function withFacts(row: OperationRow, facts: OperationFacts, now: number): OperationRow {
  const status = isSettled(row) ? row.status : (facts.status ?? row.status)
  const next = {
    ...row,
    type: facts.type ?? row.type,
    subject: facts.subject ?? row.subject,
    status,
    // What this machine noted stays: elapsed time is counted by its clock.
    startedAt: row.status === 'unknown' ? (facts.startedAt ?? row.startedAt) : row.startedAt,
    completedAt: facts.completedAt ?? row.completedAt,
    tookMs: facts.tookMs ?? row.tookMs,
    estimatedSeconds: facts.estimatedSeconds ?? row.estimatedSeconds,
    outcome: facts.outcome ?? row.outcome,
    docUrl: facts.docUrl ?? row.docUrl,
  }
  if (isComplete(next)) return { ...next, problem: undefined, poll: { due: undefined, failures: 0 } }
  // Another process saw it end: how it ended is asked for.
  if (isSettled(next) && !isSettled(row)) return { ...next, poll: { ...row.poll, due: now } }
  return next
}

/** Milliseconds from the start to now or, once it is settled, to its end; undefined when nobody knows that. */
export function elapsedMs(row: OperationRow, now: number): number | undefined {
  if (!isSettled(row)) return Math.max(0, now - row.startedAt)
  if (row.tookMs !== undefined) return row.tookMs
  return row.completedAt === undefined ? undefined : Math.max(0, row.completedAt - row.startedAt)
}

/** The Connection an operation is on. */
export function connectionOf(row: OperationRow): string | undefined {
  return row.subject?.startsWith('con_') ? row.subject : undefined
}
