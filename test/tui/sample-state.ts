/** Sample states and deliveries for tests of the state, and a way to send events one after another. */
import type { DeliveryFacts } from '../../src/tui/state/delivery-row.ts'
import type { Effect, TuiEvent } from '../../src/tui/state/events.ts'
import { type DetailTab, initialState, type State } from '../../src/tui/state/model.ts'
import type { OperationFacts } from '../../src/tui/state/operation-row.ts'
import { reduce } from '../../src/tui/state/reduce.ts'
import type { ResourceKind, ResourceRow } from '../../src/tui/state/resource-row.ts'

export const start = Date.UTC(2026, 4, 22, 15, 4, 5)

export function emptyState(
  change: Partial<State> = {},
  focusedList: State['homeList'] = 'deliveries',
): State {
  const about = { environment: 'local', live: false, keyPrefix: 'sk_test_ab12…', utc: true }
  return { ...initialState({ now: start, columns: 100, lines: 24, about, focusedList }), ...change }
}

export function delivery(id: number, change: Partial<DeliveryFacts> = {}): DeliveryFacts {
  return {
    id,
    receivedAt: start + id * 1000,
    eventId: `evt_${id}`,
    type: 'connection.active',
    livemode: false,
    subject: 'con_FDE_123',
    mentions: ['con_FDE_123', 'cli_demo'],
    verified: true,
    reason: undefined,
    duplicate: false,
    replayOf: undefined,
    docUrl: undefined,
    settled: true,
    forward: { url: 'http://localhost:3000/', status: 200, durationMs: 12, error: undefined },
    from: 'listener',
    ...change,
  }
}

export function operation(id: string, change: Partial<OperationFacts> = {}): OperationFacts {
  return {
    id,
    type: 'account.refresh',
    subject: 'con_FDE_123',
    status: 'queued',
    startedAt: start,
    estimatedSeconds: 120,
    ...change,
  }
}

/** A tab with this many lines. */
export function tab(name: string, count: number): DetailTab {
  return { name, lines: Array.from({ length: count }, (_, index) => [{ text: `${name} line ${index}` }]) }
}

export function resource(kind: ResourceKind, id: string, change: Partial<ResourceRow> = {}): ResourceRow {
  return {
    ...{ id, kind, cells: { name: `The ${id}`, id }, type: undefined, status: undefined, failed: false },
    ...{
      income: false,
      clientId: 'cli_demo',
      connectionId: undefined,
      docUrl: undefined,
      balance: undefined,
    },
    ...change,
  }
}

export interface Course {
  readonly state: State
  /** All effects, in order. */
  readonly effects: readonly Effect[]
}

/** Sends the events, `ms` apart from each other. */
export function run(state: State, tuiEvents: readonly TuiEvent[], ms = 0): Course {
  const effects: Effect[] = []
  let current = state
  for (const tuiEvent of tuiEvents) {
    const [next, asked] = reduce(current, { ...tuiEvent, now: current.now + ms })
    current = next
    effects.push(...asked)
  }
  return { state: current, effects }
}

export function press(state: State, ...keys: string[]): Course {
  return run(
    state,
    keys.map((key) => ({ kind: 'key', key })),
  )
}

/** Lets time pass, in one tick. */
export function later(state: State, ms: number): Course {
  const [next, effects] = reduce(state, { kind: 'tick', now: state.now + ms })
  return { state: next, effects }
}

/** A state with deliveries 1 to `count` and finished operations. */
export function filled(count = 10, change: Partial<State> = {}): State {
  const deliveries = Array.from({ length: count }, (_, index) => delivery(index + 1))
  const operations = [
    operation('op_1', { status: 'succeeded', outcome: 'connection', completedAt: start + 1000 }),
    operation('op_2', {
      status: 'failed',
      outcome: 'refresh_timed_out: no answer',
      completedAt: start + 2000,
      docUrl: 'https://docs.example/refresh_timed_out',
    }),
  ]
  return run(emptyState(change), [
    { kind: 'deliveries', deliveries },
    { kind: 'operations', operations },
  ]).state
}
