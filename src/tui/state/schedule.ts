/**
 * Schedules the reads of all operations: one at a time, with a pause after each that grows while the service does not
 * respond; settled ones are not read. A webhook about the same Connection brings a read forward.
 */
import { type DeliveryFacts, type DeliveryRow, forwardStateOf, shownFrom } from './delivery-row.ts'
import { nextDetail } from './detail.ts'
import type { Effect } from './events.ts'
import { nextMinute } from './figures.ts'
import type { Schedule, State } from './model.ts'
import { isRunning, isSettled, type OperationRow } from './operation-row.ts'
import { nextReading } from './resources.ts'

/** Between the end of one read and the next: at most four reads per second. */
const READ_PAUSE_MS = 250
const MIN_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 60_000
/** How often deliveries that another listener is forwarding are read again. */
const REREAD_EVERY_MS = 300
/** Deliveries read again at once. */
const MAX_REREAD = 50

/** Starts the reads that are due. */
export function startDue(state: State): readonly [State, readonly Effect[]] {
  const effects: Effect[] = []
  let { schedule } = state
  const next = nextPoll(state)
  if (next !== undefined && next.at <= state.now) {
    schedule = { ...schedule, polling: next.id }
    effects.push({ kind: 'poll', id: next.id })
  }
  const waiting = schedule.rereading || schedule.rereadAt > state.now ? [] : pendingElsewhere(state)
  if (waiting.length > 0) {
    schedule = { ...schedule, rereading: true }
    effects.push({ kind: 'reread', ids: waiting.slice(0, MAX_REREAD).map(({ id }) => id) })
  }
  return [schedule === state.schedule ? state : { ...state, schedule }, effects]
}

/** The operation to read next, and when; undefined while one is being read, while paused, and when all is settled. */
function nextPoll(state: State): { id: string; at: number } | undefined {
  const { schedule } = state
  if (schedule.polling !== undefined || state.paused !== undefined) return undefined
  let next: { id: string; due: number } | undefined
  for (const { id, poll } of state.operations.rows) {
    if (poll.due !== undefined && (next === undefined || poll.due < next.due)) next = { id, due: poll.due }
  }
  return next && { id: next.id, at: Math.max(next.due, schedule.notBefore) }
}

/** When pending deliveries of other listeners are read again. */
function nextReread(state: State): number | undefined {
  const { rereading, rereadAt } = state.schedule
  return rereading || pendingElsewhere(state).length === 0 ? undefined : Math.max(rereadAt, state.now)
}

/** Deliveries that another listener is forwarding: their outcome has to be read from the inbox. */
function pendingElsewhere(state: State): readonly DeliveryRow[] {
  return state.deliveries.rows.filter((row) => row.from === 'inbox' && forwardStateOf(row) === 'pending')
}

export function afterReread(schedule: Schedule, now: number): Schedule {
  return { ...schedule, rereading: false, rereadAt: now + REREAD_EVERY_MS }
}

export function afterPoll(schedule: Schedule, now: number): Schedule {
  return { ...schedule, polling: undefined, failures: 0, notBefore: now + READ_PAUSE_MS }
}

export function afterFailedPoll(schedule: Schedule, now: number): Schedule {
  const failures = schedule.failures + 1
  return { ...schedule, polling: undefined, failures, notBefore: now + backoff(failures) }
}

/** When to read an operation again after consecutive failures of its own, Unix milliseconds. */
export function dueAfterFailure(failures: number, now: number): number {
  return now + backoff(failures)
}

function backoff(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(failures - 1, 10))
}

/** Makes the operations that a verified delivery is about due at once. */
export function bringForward(
  rows: readonly OperationRow[],
  delivery: DeliveryFacts,
  now: number,
): readonly OperationRow[] {
  if (!delivery.verified || delivery.mentions.length === 0) return rows
  const concerns = (row: OperationRow) =>
    !isSettled(row) && row.poll.due !== undefined && row.poll.due > now && isAbout(delivery, row)
  if (!rows.some(concerns)) return rows
  return rows.map((row) => (concerns(row) ? { ...row, poll: { ...row.poll, due: now } } : row))
}

function isAbout({ mentions }: DeliveryFacts, { subject }: OperationRow): boolean {
  return subject !== undefined && mentions.includes(subject)
}

/**
 * When the passing of time next changes the state, Unix milliseconds: a read is due, a row is to be shown, an elapsed
 * time changes, a notice ends. Undefined when it never will: then no timer is set.
 */
export function nextTickAt(state: State): number | undefined {
  const { now, notice } = state
  const soon = [nextPoll(state)?.at, nextReread(state), nextDetail(state), nextReading(state)].filter(
    (moment) => moment !== undefined,
  )
  const later = [
    notice?.until,
    nextMinute(state.rate, now),
    ...state.deliveries.rows.filter((row) => !row.settled).map(shownFrom),
  ]
  // Elapsed times are shown in seconds.
  if (state.operations.rows.some(isRunning)) later.push((Math.floor(now / 1000) + 1) * 1000)
  const moments = [
    ...soon.map((moment) => Math.max(moment, now + 1)),
    ...later.filter((moment) => moment !== undefined && moment > now).map(Number),
  ]
  return moments.length === 0 ? undefined : Math.min(...moments)
}
