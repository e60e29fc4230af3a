import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delivery, emptyState, operation, resource } from '../../../test/tui/sample-state.ts'
import { bodyOf } from './detail.ts'
import type { TuiEvent } from './events.ts'
import { MINUTES } from './figures.ts'
import { namedKeys } from './keys.ts'
import { layoutOf } from './layout.ts'
import type { State } from './model.ts'
import { reduce } from './reduce.ts'
import { resourceKinds } from './resource-row.ts'
import { MAX_ROWS } from './rows.ts'
import { nextTickAt } from './schedule.ts'
import { rowsOf, windowOver } from './window.ts'

const keys = fc.oneof(
  fc.constantFrom(...namedKeys, ...'jkgG/fRrcop?qnNxy :tla!1234 '),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)
const lines = fc.array(fc.record({ text: fc.string() }), { maxLength: 3 })
const deliveryIds = fc.integer({ min: 1, max: 5000 })
const facts = fc
  .record({
    id: deliveryIds,
    verified: fc.boolean(),
    duplicate: fc.boolean(),
    settled: fc.boolean(),
    from: fc.constantFrom('listener', 'inbox'),
    type: fc.option(fc.constantFrom('connection.active', 'account.refresh.failed'), { nil: undefined }),
    mentions: fc.array(fc.constantFrom('con_FDE_123', 'con_X', 'cli_demo'), { maxLength: 3 }),
  })
  .map(({ id, ...change }) => delivery(id, { ...change, forward: undefined }))
const operationFacts = fc
  .record({
    id: fc.integer({ min: 1, max: 3000 }),
    status: fc.constantFrom('queued', 'succeeded', 'failed', 'new'),
  })
  .map(({ id, status }) => operation(`op_${id}`, { status }))
/** Many rows at once, so that the bounds are met. */
const flood = fc.integer({ min: 1, max: 4000 }).map((first) => ({
  kind: 'deliveries' as const,
  deliveries: Array.from({ length: 700 }, (_, index) => delivery(first + index)),
}))

const tuiEvents: fc.Arbitrary<TuiEvent> = fc.oneof(
  { weight: 10, arbitrary: keys.map((key) => ({ kind: 'key' as const, key })) },
  {
    weight: 3,
    arbitrary: fc
      .array(facts, { maxLength: 20 })
      .map((deliveries) => ({ kind: 'deliveries' as const, deliveries })),
  },
  { weight: 1, arbitrary: flood },
  {
    weight: 2,
    arbitrary: fc
      .array(operationFacts, { maxLength: 20 })
      .map((operations) => ({ kind: 'operations' as const, operations })),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(facts, { maxLength: 5 })
      .map((deliveries) => ({ kind: 'reread' as const, deliveries })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('polled' as const),
      operation: operationFacts,
      nextInMs: fc.double(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('poll-failed' as const),
      id: fc.constant('op_1'),
      text: fc.string(),
      gone: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resized' as const),
      columns: fc.oneof(fc.integer(), fc.constant(Number.NaN)),
      lines: fc.integer(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('detail' as const),
      list: fc.constantFrom('operations' as const, 'deliveries' as const, 'resources' as const),
      key: deliveryIds.map(String),
      notes: fc.array(lines),
      tabs: fc.array(fc.record({ name: fc.string(), lines: fc.array(lines, { maxLength: 6000 }) }), {
        maxLength: 4,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('replayed' as const),
      id: deliveryIds,
      text: fc.string(),
      ok: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('target' as const),
      url: fc.webUrl(),
      up: fc.boolean(),
      error: fc.string(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('resources' as const),
      reading: fc.integer({ min: 0, max: 5 }),
      rows: fc.array(
        fc
          .tuple(fc.constantFrom(...resourceKinds), fc.nat(20))
          .map(([kind, id]) => resource(kind, `id_${id}`)),
      ),
      done: fc.constantFrom('complete' as const, 'failed' as const, undefined),
      note: fc.option(fc.string(), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      ...{ connectionId: fc.string(), url: fc.webUrl(), note: fc.string() },
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'not-listening' as const, text: 'no' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'tick' as const }) },
)

test('no sequence of events throws, grows beyond the bounds, or asks for a wake-up in the past', () => {
  const course = fc.array(fc.tuple(tuiEvents, fc.integer({ min: -1000, max: 5000 })), {
    maxLength: 120,
    size: 'max',
  })
  fc.assert(
    fc.property(course, (events) => {
      let state = emptyState()
      let now = state.now
      for (const [tuiEvent, ms] of events) {
        now += ms
        const [next, effects] = reduce(state, { ...tuiEvent, now })
        state = next
        expect(effects.length).toBeLessThan(800)
        check(state)
      }
    }),
    { numRuns: 60 },
  )
}, 120_000)

function check(state: State): void {
  expect(state.operations.rows.length).toBeLessThanOrEqual(MAX_ROWS)
  expect(state.deliveries.rows.length).toBeLessThanOrEqual(MAX_ROWS)
  expect(state.replaying.length).toBeLessThanOrEqual(8)
  expect(state.listener.down.length).toBeLessThanOrEqual(20)
  for (const { lines } of state.detail?.tabs ?? []) expect(lines.length).toBeLessThanOrEqual(5000)
  expect(state.rate.perMinute.length).toBeLessThanOrEqual(MINUTES)
  expect(state.detail?.top ?? 0).toBeLessThanOrEqual(bodyOf(state).length)
  expect(state[state.focusedList].search.length).toBeLessThanOrEqual(80)
  expect(nextTickAt(state) ?? Infinity).toBeGreaterThan(state.now)
  const layout = layoutOf(state)
  for (const { name, rows } of layout.lists) {
    const window = windowOver(rowsOf(state, name), state[name].cursor, rows)
    expect(window.rows.length).toBeLessThanOrEqual(rows)
    if (window.total > 0) {
      expect(window.cursor).toBeGreaterThanOrEqual(window.top)
      expect(window.cursor).toBeLessThan(window.top + rows)
    }
  }
}
