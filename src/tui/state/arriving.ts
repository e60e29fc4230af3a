/** Deliveries that come, and what becomes of them. */
import { insertBounded, MOST_ROWS, replaceAt } from './bounded.ts'
import {
  type DeliveryFacts,
  type DeliveryRow,
  forwardStateOf,
  mergeDelivery,
  verdictOf,
} from './delivery-row.ts'
import type { Effect, Step } from './events.ts'
import type { Counts, State } from './model.ts'
import { afterReread, hurry } from './schedule.ts'

/** New deliveries, or news of known ones. */
export function arrived(state: State, deliveries: readonly DeliveryFacts[]): Step<State> {
  let { rows } = state.deliveries
  let operations = state.operations.rows
  let { counts, paused } = state
  const effects: Effect[] = []
  for (const facts of deliveries) {
    const at = indexOf(rows, facts.id)
    const known = rows[at]
    if (known === undefined) {
      // What left the list long ago does not come back.
      if (isForgotten(rows, facts.id)) continue
      const row = { ...facts, seenAt: state.now }
      rows = insertBounded(rows, row, (a, b) => a.id < b.id)
      counts = counted(counts, row)
      if (paused !== undefined) paused = { ...paused, missed: paused.missed + 1 }
      operations = hurry(operations, facts, state.now)
    } else {
      const row = mergeDelivery(known, facts)
      rows = replaceAt(rows, at, row)
      if (forwardStateOf(known) !== 'failed' && forwardStateOf(row) === 'failed') counts = failed(counts)
      effects.push(...reload(state, facts.id))
    }
  }
  const next = {
    ...state,
    counts,
    paused,
    deliveries: { ...state.deliveries, rows },
    operations: { ...state.operations, rows: operations },
  }
  return [next, effects]
}

/** What the inbox says of deliveries that another listener is forwarding. */
export function changed(state: State, deliveries: readonly DeliveryFacts[]): Step<State> {
  const schedule = afterReread(state.schedule, state.now)
  const known = deliveries.filter(({ id }) => indexOf(state.deliveries.rows, id) !== -1)
  return arrived({ ...state, schedule }, known)
}

function reload(state: State, id: number): readonly Effect[] {
  const { detail } = state
  if (detail?.list !== 'deliveries' || detail.key !== String(id)) return []
  return [{ kind: 'load-detail', list: 'deliveries', key: detail.key }]
}

/** Rows are in the order of their ids, and the one looked for is mostly near the end. */
function indexOf(rows: readonly DeliveryRow[], id: number): number {
  return rows.findLastIndex((row) => row.id === id)
}

function isForgotten(rows: readonly DeliveryRow[], id: number): boolean {
  const oldest = rows[0]
  return rows.length >= MOST_ROWS && oldest !== undefined && id < oldest.id
}

function counted(counts: Counts, row: DeliveryRow): Counts {
  const refused = counts.refused + (verdictOf(row) === 'refused' ? 1 : 0)
  const more = { ...counts, received: counts.received + 1, refused }
  return forwardStateOf(row) === 'failed' ? failed(more) : more
}

function failed(counts: Counts): Counts {
  return { ...counts, forwardFailed: counts.forwardFailed + 1 }
}
