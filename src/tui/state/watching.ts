/** Operations that are learned of, and what reading them says. */
import { insertBounded, replaceAt } from './bounded.ts'
import type { Effect, Step } from './events.ts'
import type { State } from './model.ts'
import {
  isSettled,
  newOperation,
  type OperationFacts,
  type OperationRow,
  withFacts,
} from './operation-row.ts'
import { afterFailedPoll, afterPoll, dueAfterFailure } from './schedule.ts'

/** What this machine knows of operations: those that are new get a row. */
export function learned(state: State, operations: readonly OperationFacts[]): Step<State> {
  let { rows } = state.operations
  let { paused } = state
  const effects: Effect[] = []
  for (const facts of operations) {
    const at = indexOf(rows, facts.id)
    const known = rows[at]
    if (known === undefined) {
      rows = insertBounded(rows, newOperation(facts, state.now), isOlder)
      if (paused !== undefined) paused = { ...paused, missed: paused.missed + 1 }
    } else {
      const row = withFacts(known, facts, state.now)
      rows = replaceAt(rows, at, row)
      if (row.status !== known.status) effects.push(...reload(state, facts.id))
    }
  }
  return [withRows({ ...state, paused }, rows), effects]
}

/** The service's answer to a read. */
export function polled(state: State, operation: OperationFacts, nextInMs: number): Step<State> {
  const { now } = state
  const [next, effects] = learned({ ...state, schedule: afterPoll(state.schedule, now) }, [operation])
  const rows = changeRow(next, operation.id, (row) => ({
    ...row,
    problem: undefined,
    poll: { due: isSettled(row) ? undefined : now + Math.max(0, nextInMs), failures: 0 },
  }))
  return [withRows(next, rows), effects]
}

/** A read that did not work. One that the service does not know is not read again. */
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
  const at = indexOf(rows, id)
  const row = rows[at]
  return row === undefined ? rows : replaceAt(rows, at, change(row))
}

function withRows(state: State, rows: readonly OperationRow[]): State {
  return { ...state, operations: { ...state.operations, rows } }
}

function reload(state: State, id: string): readonly Effect[] {
  const { detail } = state
  if (detail?.list !== 'operations' || detail.key !== id) return []
  return [{ kind: 'load-detail', list: 'operations', key: id }]
}

function indexOf(rows: readonly OperationRow[], id: string): number {
  return rows.findLastIndex((row) => row.id === id)
}

function isOlder(a: OperationRow, b: OperationRow): boolean {
  return a.startedAt < b.startedAt
}
