import { describe, expect, test } from 'vitest'
import { delivery, emptyState, later, operation, press, run, start } from '../../../test/tui/sample-state.ts'
import type { TuiEvent } from './events.ts'
import type { State } from './model.ts'
import { nextTickAt } from './schedule.ts'
import { deliveryRows } from './window.ts'

const watching = (...ids: string[]) =>
  run(emptyState(), [{ kind: 'operations', operations: ids.map((id) => operation(id)) }]).state

/** Sleeps exactly as long as the state asks to, and answers each read after 10 ms. Returns when reads began. */
function simulate(first: State, forMs: number, answer: (id: string, now: number) => TuiEvent): number[] {
  const reads: number[] = []
  let state = first
  const replies: { at: number; tuiEvent: TuiEvent }[] = []
  const end = first.now + forMs
  while (state.now < end) {
    const wake = nextTickAt(state) ?? end
    replies.sort((a, b) => a.at - b.at)
    const reply = replies[0] !== undefined && replies[0].at <= wake ? replies.shift() : undefined
    const now = Math.min(end, reply?.at ?? wake)
    const course = run({ ...state, now }, [reply?.tuiEvent ?? { kind: 'tick' }])
    state = course.state
    for (const effect of course.effects) {
      if (effect.kind !== 'poll') continue
      reads.push(now - first.now)
      replies.push({ at: now + 10, tuiEvent: answer(effect.id, now) })
    }
  }
  return reads
}

describe('one polite schedule', () => {
  test('an operation is first read half a second after its start, and no two at once', () => {
    const state = watching('op_1', 'op_2')
    expect(later(state, 499).effects).toEqual([])
    const { state: reading, effects } = later(state, 500)
    expect(effects).toEqual([{ kind: 'poll', id: 'op_1' }])
    expect(later(reading, 5000).effects).toEqual([])
  })

  test('many operations together are read four times in a second at most', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `op_${index}`)
    const reads = simulate(watching(...ids), 10_000, (id) => ({
      kind: 'polled',
      operation: { id, status: 'queued' },
      nextInMs: 500,
    }))
    expect(reads.length).toBeGreaterThan(20)
    expect(reads.length).toBeLessThanOrEqual(40)
  })

  test('a settled operation is not read again, and nothing wakes the process then', () => {
    const { state } = run(later(watching('op_1'), 500).state, [
      {
        kind: 'polled',
        operation: { id: 'op_1', status: 'failed', outcome: 'refresh_timed_out: no answer' },
        nextInMs: 500,
      },
    ])
    expect(later(state, 60_000).effects).toEqual([])
    expect(nextTickAt(state)).toBeUndefined()
  })

  test('a service that does not answer is asked less and less often', () => {
    const reads = simulate(watching('op_1', 'op_2', 'op_3'), 300_000, (id) => ({
      kind: 'poll-failed',
      id,
      text: 'unreachable',
      gone: false,
    }))
    expect(reads.length).toBeLessThan(14)
    const gaps = reads.slice(1).map((at, index) => at - (reads[index] ?? 0))
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(60_000)
  })

  test('an operation that the service does not know is not read again', () => {
    const { state } = run(later(watching('op_1'), 500).state, [
      { kind: 'poll-failed', id: 'op_1', text: 'not found', gone: true },
    ])
    expect(later(state, 600_000).effects).toEqual([])
    expect(state.operations.rows[0]?.problem).toBe('not found')
  })

  test('one that another process saw end is read once, to learn how', () => {
    const { state, effects } = run(watching('op_1'), [
      { kind: 'operations', operations: [{ id: 'op_1', status: 'failed' }] },
    ])
    expect(effects).toEqual([{ kind: 'poll', id: 'op_1' }])
    const polled: TuiEvent = { kind: 'polled', operation: { id: 'op_1', status: 'failed' }, nextInMs: 500 }
    expect(later(run(state, [polled]).state, 60_000).effects).toEqual([])
  })

  test('one that was over before it was noticed is read once when it failed or is recent', () => {
    const noticed = (change: object) =>
      run(emptyState(), [{ kind: 'operations', operations: [operation('op_1', change)] }]).effects
    const old = { startedAt: start - 3_600_000 }
    expect(noticed({ status: 'failed', ...old })).toEqual([{ kind: 'poll', id: 'op_1' }])
    expect(noticed({ status: 'succeeded' })).toEqual([{ kind: 'poll', id: 'op_1' }])
    expect(noticed({ status: 'succeeded', ...old })).toEqual([])
  })

  test('a settled operation stays settled when an older answer comes late', () => {
    const { state } = run(watching('op_1'), [
      { kind: 'operations', operations: [{ id: 'op_1', status: 'succeeded', outcome: 'connection' }] },
      { kind: 'operations', operations: [{ id: 'op_1', status: 'queued' }] },
    ])
    expect(state.operations.rows[0]?.status).toBe('succeeded')
  })

  test('nothing is read while paused', () => {
    const { state } = press(watching('op_1'), 'p')
    expect(later(state, 60_000).effects).toEqual([])
    expect(press(later(state, 60_000).state, 'p').effects).toEqual([{ kind: 'poll', id: 'op_1' }])
  })
})

describe('a webhook hurries', () => {
  const waiting = () => {
    const { state } = run(later(watching('op_1'), 500).state, [
      { kind: 'polled', operation: { id: 'op_1', status: 'queued' }, nextInMs: 10_000 },
    ])
    return later(state, 1000).state
  }

  test('an operation on the same connection', () => {
    expect(waiting().operations.rows[0]?.poll.due).toBeGreaterThan(start + 9000)
    const { effects } = run(waiting(), [{ kind: 'deliveries', deliveries: [delivery(1)] }])
    expect(effects).toEqual([{ kind: 'poll', id: 'op_1' }])
  })

  test.each([
    ['on another connection', { mentions: ['con_FDE_999'] }],
    ['that did not verify', { verified: false }],
  ])('but not one %s', (_, change) => {
    const { effects } = run(waiting(), [{ kind: 'deliveries', deliveries: [delivery(1, change)] }])
    expect(effects).toEqual([])
  })
})

describe('deliveries under way', () => {
  const pending = { settled: false, forward: undefined }

  test('a pending row shows only after 100 ms', () => {
    const { state } = run(emptyState(), [{ kind: 'deliveries', deliveries: [delivery(1, pending)] }])
    expect(deliveryRows(later(state, 99).state)).toHaveLength(0)
    expect(nextTickAt(state)).toBe(start + 100)
    expect(deliveryRows(later(state, 100).state)).toHaveLength(1)
  })

  test('one that settles sooner shows at once', () => {
    const { state } = run(
      emptyState(),
      [
        { kind: 'deliveries', deliveries: [delivery(1, pending)] },
        { kind: 'deliveries', deliveries: [delivery(1)] },
      ],
      5,
    )
    expect(deliveryRows(state)).toHaveLength(1)
    expect(state.counts.received).toBe(1)
  })

  test('those of another listener are looked up by id until they settle', () => {
    const { state, effects } = run(emptyState(), [
      { kind: 'deliveries', deliveries: [delivery(1, { ...pending, from: 'inbox' })] },
    ])
    expect(effects).toEqual([{ kind: 'reread', ids: [1] }])
    const { state: still } = run(state, [
      { kind: 'reread', deliveries: [delivery(1, { ...pending, from: 'inbox' })] },
    ])
    expect(later(still, 299).effects).toEqual([])
    expect(later(still, 300).effects).toEqual([{ kind: 'reread', ids: [1] }])
    const { state: settled } = run(still, [{ kind: 'reread', deliveries: [delivery(1, { from: 'inbox' })] }])
    expect(later(settled, 10_000).effects).toEqual([])
  })

  test('what the inbox says later does not unsettle what the listener told', () => {
    const { state } = run(emptyState(), [
      { kind: 'deliveries', deliveries: [delivery(1)] },
      { kind: 'deliveries', deliveries: [delivery(1, { ...pending, from: 'inbox' })] },
    ])
    expect(state.deliveries.rows).toHaveLength(1)
    expect(state.deliveries.rows[0]).toMatchObject({ settled: true, forward: { status: 200 } })
  })

  test('rows stand in the order of storing, whoever tells first', () => {
    const { state } = run(emptyState(), [
      { kind: 'deliveries', deliveries: [delivery(3), delivery(1), delivery(2)] },
    ])
    expect(state.deliveries.rows.map(({ id }) => id)).toEqual([1, 2, 3])
  })
})
