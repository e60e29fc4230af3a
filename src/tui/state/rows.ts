/** Merges facts about operations and deliveries into the rows of the lists, which stay ordered and limited in length. */
import {
  type DeliveryFacts,
  type DeliveryRow,
  forwardStateOf,
  mergeDelivery,
  verdictOf,
} from './delivery-row.ts'
import type { Effect, Step } from './events.ts'
import { withDelivery } from './figures.ts'
import type { Counts, State } from './model.ts'
import {
  isSettled,
  newOperation,
  type OperationFacts,
  type OperationRow,
  withFacts,
} from './operation-row.ts'
import { changedElsewhere } from './resources.ts'
import { afterFailedPoll, afterPoll, afterReread, bringForward, dueAfterFailure } from './schedule.ts'

/** Of each list. The oldest rows leave it; they are still in the inbox. */
export const MAX_ROWS = 1000

/** Merges facts about operations; an unknown operation gets a row. */
export function mergeOperations(state: State, operations: readonly OperationFacts[]): Step<State> {
  let { rows } = state.operations
  let { paused } = state
  const effects: Effect[] = []
  for (const facts of operations) {
    const at = operationAt(rows, facts.id)
    const known = rows[at]
    if (known === undefined) {
      rows = insertBounded(rows, newOperation(facts, state.now), isOlder)
      if (paused !== undefined) paused = { ...paused, missed: paused.missed + 1 }
    } else {
      const row = withFacts(known, facts, state.now)
      rows = replaceAt(rows, at, row)
      if (row.status !== known.status || row.outcome !== known.outcome)
        effects.push(...reloadOperation(state, facts.id))
    }
  }
  return [withRows({ ...state, paused }, rows), effects]
}

/** Merges the result of a read. */
export function polled(state: State, operation: OperationFacts, nextInMs: number): Step<State> {
  const { now } = state
  const [next, effects] = mergeOperations({ ...state, schedule: afterPoll(state.schedule, now) }, [operation])
  const rows = changeRow(next, operation.id, (row) => ({
    ...row,
    problem: undefined,
    poll: { due: isSettled(row) ? undefined : now + Math.max(0, nextInMs), failures: 0 },
  }))
  return [withRows(next, rows), effects]
}

/** Notes a failed read. An operation that the service does not know is not read again. */
export function failedPoll(
  state: State,
  { id, text, gone }: { readonly id: string; readonly text: string; readonly gone: boolean },
): Step<State> {
  const { now, schedule } = state
  const rows = changeRow(state, id, (row) => {
    const failures = row.poll.failures + 1
    const due = gone ? undefined : dueAfterFailure(failures, now)
    return { ...row, problem: text, poll: { due, failures } }
  })
  const next = { ...state, schedule: gone ? afterPoll(schedule, now) : afterFailedPoll(schedule, now) }
  return [withRows(next, rows), []]
}

function changeRow(
  state: State,
  id: string,
  change: (row: OperationRow) => OperationRow,
): readonly OperationRow[] {
  const { rows } = state.operations
  const at = operationAt(rows, id)
  const row = rows[at]
  return row === undefined ? rows : replaceAt(rows, at, change(row))
}

function withRows(state: State, rows: readonly OperationRow[]): State {
  return { ...state, operations: { ...state.operations, rows } }
}

function reloadOperation(state: State, id: string): readonly Effect[] {
  const { detail } = state
  if (detail?.list !== 'operations' || detail.key !== id) return []
  return [{ kind: 'load-detail', list: 'operations', key: id, ask: false }]
}

function operationAt(rows: readonly OperationRow[], id: string): number {
  return rows.findLastIndex((row) => row.id === id)
}

function isOlder(a: OperationRow, b: OperationRow): boolean {
  return a.startedAt < b.startedAt
}

/** Merges facts about deliveries; an unknown delivery gets a row. */
export function mergeDeliveries(state: State, deliveries: readonly DeliveryFacts[]): Step<State> {
  let { rows } = state.deliveries
  let operations = state.operations.rows
  let { counts, paused, rate } = state
  let changes = false
  const effects: Effect[] = []
  for (const facts of deliveries) {
    const at = deliveryAt(rows, facts.id)
    const known = rows[at]
    if (known === undefined) {
      // A row that has left the list does not come back.
      if (isForgotten(rows, facts.id)) continue
      const row = { ...facts, seenAt: state.now, attempt: attemptOf(rows, facts) }
      rows = insertBounded(rows, row, (a, b) => a.id < b.id)
      counts = counted(counts, row)
      rate = withDelivery(rate, row.receivedAt)
      changes ||= row.verified
      if (paused !== undefined) paused = { ...paused, missed: paused.missed + 1 }
      operations = bringForward(operations, facts, state.now)
    } else {
      const row = mergeDelivery(known, facts)
      rows = replaceAt(rows, at, row)
      if (forwardStateOf(known) !== 'failed' && forwardStateOf(row) === 'failed') counts = failed(counts)
      effects.push(...reloadDelivery(state, facts.id))
    }
  }
  const next = {
    ...state,
    counts,
    paused,
    rate,
    deliveries: { ...state.deliveries, rows },
    operations: { ...state.operations, rows: operations },
  }
  return [changes ? changedElsewhere(next) : next, effects]
}

/** Merges deliveries of other listeners that were read from the inbox again. */
export function rereadDeliveries(state: State, deliveries: readonly DeliveryFacts[]): Step<State> {
  const schedule = afterReread(state.schedule, state.now)
  const known = deliveries.filter(({ id }) => deliveryAt(state.deliveries.rows, id) !== -1)
  return mergeDeliveries({ ...state, schedule }, known)
}

function reloadDelivery(state: State, id: number): readonly Effect[] {
  const { detail } = state
  if (detail?.list !== 'deliveries' || detail.key !== String(id)) return []
  return [{ kind: 'load-detail', list: 'deliveries', key: detail.key, ask: false }]
}

/** Which time it is that the event comes, as far as the list tells. A replay is none, and nothing unsigned counts. */
function attemptOf(
  rows: readonly DeliveryRow[],
  { id, eventId, verified, duplicate, replayOf }: DeliveryFacts,
): number {
  if (!verified || eventId === undefined || !duplicate || replayOf !== undefined) return 1
  const before = rows.findLast(
    (row) => row.eventId === eventId && row.verified && row.replayOf === undefined && row.id < id,
  )
  return (before?.attempt ?? 1) + 1
}

/** Searches from the end, because rows are ordered by id and mostly the newest change. */
function deliveryAt(rows: readonly DeliveryRow[], id: number): number {
  return rows.findLastIndex((row) => row.id === id)
}

function isForgotten(rows: readonly DeliveryRow[], id: number): boolean {
  const oldest = rows[0]
  return rows.length >= MAX_ROWS && oldest !== undefined && id < oldest.id
}

function counted(counts: Counts, row: DeliveryRow): Counts {
  const refused = counts.refused + (verdictOf(row) === 'refused' ? 1 : 0)
  const more = { ...counts, received: counts.received + 1, refused }
  return forwardStateOf(row) === 'failed' ? failed(more) : more
}

function failed(counts: Counts): Counts {
  return { ...counts, forwardFailed: counts.forwardFailed + 1 }
}

/** The rows with one more, ordered by `before`; the oldest leave when there are more than `MAX_ROWS`. */
function insertBounded<R>(rows: readonly R[], row: R, before: (a: R, b: R) => boolean): readonly R[] {
  let at = rows.length
  while (at > 0 && before(row, rows[at - 1] as R)) at--
  const next = [...rows.slice(0, at), row, ...rows.slice(at)]
  return next.length > MAX_ROWS ? next.slice(next.length - MAX_ROWS) : next
}

/** The rows with one replaced; the same array when nothing changed. */
function replaceAt<R>(rows: readonly R[], index: number, row: R): readonly R[] {
  return rows[index] === row || index < 0 || index >= rows.length ? rows : rows.with(index, row)
}
