/**
 * One polite schedule for all operations: one read at a time, a pause after each, longer and longer while the service
 * does not answer, none for what is settled. A webhook about the same Connection hurries it.
 */
import { type DeliveryFacts, type DeliveryRow, forwardStateOf } from './delivery-row.ts'
import type { Effect } from './events.ts'
import type { Schedule, State } from './model.ts'
import { isSettled, type OperationRow } from './operation-row.ts'

/** Milliseconds between the end of one read and the next: at most four in a second, whatever runs. */
const PAUSE = 250
/** Milliseconds of the first and the longest wait for a service that does not answer. */
const FIRST_BACKOFF = 1000
const LONGEST_BACKOFF = 60_000
/** Milliseconds between looks at deliveries that another listener is forwarding. */
const REREAD_EVERY = 300
/** Deliveries looked at in one go. */
const MOST_REREAD = 50

/** Starts the reads that are due. */
export function startDue(state: State): readonly [State, readonly Effect[]] {
  const effects: Effect[] = []
  let { schedule } = state
  const next = nextPoll(state)
  if (next !== undefined && next.at <= state.now) {
    schedule = { ...schedule, polling: next.id }
    effects.push({ kind: 'poll', id: next.id })
  }
  const waiting = schedule.rereading || schedule.rereadAt > state.now ? [] : waitingForOthers(state)
  if (waiting.length > 0) {
    schedule = { ...schedule, rereading: true }
    effects.push({ kind: 'reread', ids: waiting.slice(0, MOST_REREAD).map(({ id }) => id) })
  }
  return [schedule === state.schedule ? state : { ...state, schedule }, effects]
}

/** The operation to read next, and when; undefined while one is being read, while paused, and when all is settled. */
export function nextPoll(state: State): { id: string; at: number } | undefined {
  const { schedule } = state
  if (schedule.polling !== undefined || state.paused !== undefined) return undefined
  let next: { id: string; due: number } | undefined
  for (const { id, poll } of state.operations.rows) {
    if (poll.due !== undefined && (next === undefined || poll.due < next.due)) next = { id, due: poll.due }
  }
  return next && { id: next.id, at: Math.max(next.due, schedule.notBefore) }
}

/** When deliveries under way elsewhere are to be looked at again. */
export function nextReread(state: State): number | undefined {
  const { rereading, rereadAt } = state.schedule
  return rereading || waitingForOthers(state).length === 0 ? undefined : Math.max(rereadAt, state.now)
}

/** What another listener is forwarding: its outcome has to be looked up. */
function waitingForOthers(state: State): readonly DeliveryRow[] {
  return state.deliveries.rows.filter((row) => row.from === 'inbox' && forwardStateOf(row) === 'pending')
}

export function afterReread(schedule: Schedule, now: number): Schedule {
  return { ...schedule, rereading: false, rereadAt: now + REREAD_EVERY }
}

export function afterPoll(schedule: Schedule, now: number): Schedule {
  return { ...schedule, polling: undefined, failures: 0, notBefore: now + PAUSE }
}

export function afterFailedPoll(schedule: Schedule, now: number): Schedule {
  const failures = schedule.failures + 1
  return { ...schedule, polling: undefined, failures, notBefore: now + backoff(failures) }
}

/** When to read an operation again after failures in a row of its own, Unix milliseconds. */
export function dueAfterFailure(failures: number, now: number): number {
  return now + backoff(failures)
}

function backoff(failures: number): number {
  return Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** Math.min(failures - 1, 10))
}

/** The operations with those that a genuine delivery is about due at once. */
export function hurry(
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
