import { expect, test } from 'vitest'
import { delivery, emptyState, operation, start } from '../../test/tui/sample-state.ts'
import { lineOf, reportsOf } from './lines.ts'
import type { TuiEvent } from './state/events.ts'
import { reduce } from './state/reduce.ts'

function told(...tuiEvents: TuiEvent[]): object[] {
  let state = emptyState()
  return tuiEvents.flatMap((tuiEvent) => {
    const event = { ...tuiEvent, now: start }
    const before = state
    ;[state] = reduce(before, event)
    return reportsOf(before, event, state)
  })
}

const deliveries = (...facts: ReturnType<typeof delivery>[]): TuiEvent => ({
  kind: 'deliveries',
  deliveries: facts,
})

test('a delivery is told once, when it is settled, whoever tells of it how often', () => {
  const pending = delivery(1, { settled: false, forward: undefined })
  const settled = delivery(1)
  const reports = told(deliveries(pending), deliveries(settled), deliveries({ ...settled, from: 'inbox' }))
  expect(reports).toHaveLength(1)
  expect(reports[0]).toMatchObject({
    kind: 'delivery',
    event_id: 'evt_1',
    verdict: 'verified',
    forward: { status: 200 },
  })
})

test('an operation is told when it is noticed and whenever its status changes', () => {
  const queued = operation('op_1')
  const reports = told(
    { kind: 'operations', operations: [queued] },
    { kind: 'operations', operations: [queued] },
    { kind: 'polled', operation: { id: 'op_1', status: 'queued' }, nextInMs: 500 },
    { kind: 'polled', operation: { id: 'op_1', status: 'succeeded', outcome: 'connection' }, nextInMs: 500 },
  )
  expect(reports.map((report) => (report as { status: string }).status)).toEqual(['queued', 'succeeded'])
})

test('keys, frames and ticks are not told', () => {
  expect(
    told({ kind: 'key', key: 'j' }, { kind: 'tick' }, { kind: 'resized', columns: 40, lines: 12 }),
  ).toEqual([])
})

test('a line for people holds what is known, in the same order', () => {
  const [report = {}] = told(deliveries(delivery(1)))
  expect(lineOf(report, '15:04:05')).toBe(
    '15:04:05  delivery  evt_1  connection.active  con_FDE_123  verified  http://localhost:3000/ 200 12',
  )
})
