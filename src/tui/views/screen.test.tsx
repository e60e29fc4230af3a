import { renderToString } from 'ink'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { delivery, emptyState, filled, operation, press, run } from '../../../test/tui/sample-state.ts'
import type { State } from '../state/model.ts'
import { Screen } from './screen.tsx'

/** The screen as the terminal would show it. */
function screenOf(state: State): string[] {
  return renderToString(<Screen state={state} onKey={() => {}} />, { columns: state.columns }).split('\n')
}

const sizes = [
  [40, 12],
  [60, 20],
  [100, 30],
  [160, 40],
] as const

describe.each(sizes)('at %i columns and %i lines', (columns, lines) => {
  const size = { columns, lines }

  test.each([
    ['empty', () => emptyState(size)],
    ['full', () => filled(200, size)],
    ['detail', () => press(filled(20, size), 'enter').state],
    ['filter', () => press(filled(20, size), 'f').state],
    ['help', () => press(filled(20, size), '?').state],
    ['question', () => press(filled(20, size), 'R').state],
    ['search', () => press(filled(20, size), '/', 'e', 'v').state],
  ])('%s: exactly as many lines as there are, none wider than the terminal', (_, make) => {
    const screen = screenOf(make())
    expect(screen).toHaveLength(lines)
    for (const line of screen) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
  })

  test('the status, the verdict and the selected row can be read without colours', () => {
    const screen = screenOf(filled(3, size)).join('\n')
    expect(screen).toMatch(/> .*conn.*✓ verified/)
    const operations = screenOf(press(filled(3, size), 'tab').state).join('\n')
    expect(operations).toMatch(/✓ succeeded/)
    expect(operations).toMatch(/> .*✗ failed/)
  })

  test('wide characters neither break a line nor are cut in half', () => {
    const { state } = run(emptyState(size), [
      {
        kind: 'deliveries',
        deliveries: [delivery(1, { type: '銀行口座の更新が完了しました🙂🙂'.repeat(3) })],
      },
    ])
    for (const line of screenOf(state)) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
  })
})

test('rows below the fold are not rendered', () => {
  const state = filled(1000, { columns: 140, lines: 24 })
  const shown = screenOf(state).filter((line) => line.includes('evt_'))
  expect(shown.length).toBeLessThan(24)
  expect(shown.at(-1)).toContain('evt_1000')
})

test('the header names environment, key, listener, target and counts', () => {
  const { state } = run(filled(3, { columns: 120, lines: 24 }), [
    { kind: 'listening', url: 'http://127.0.0.1:4020/', targets: ['http://localhost:3000/'] },
    { kind: 'deliveries', deliveries: [delivery(4, { verified: false, reason: 'timestamp_too_old' })] },
  ])
  const [first, second] = screenOf(state)
  expect(first).toBe('bankapi local sk_test_ab12… · http://127.0.0.1:4020/ → http://localhost:3000/')
  expect(second).toBe('0 running, 1 failed · 4 received, 1 refused, 0 not accepted')
})

test('live is said in words', () => {
  const about = { environment: 'live', live: true, keyPrefix: 'sk_live_ab12…', utc: true }
  expect(screenOf({ ...filled(1), about })[0]).toContain('LIVE: REAL DATA')
  const asked = screenOf(press({ ...filled(1), about }, 'R').state).at(-1)
  expect(asked).toContain('Refresh LIVE con_FDE_123?')
})

test('time beyond the estimate, which is a floor, is marked', () => {
  const running = run(emptyState({ columns: 100 }), [
    { kind: 'operations', operations: [operation('op_1', { estimatedSeconds: 2 })] },
    { kind: 'tick' },
  ]).state
  const late = { ...running, now: running.now + 3000 }
  expect(screenOf(running).join('\n')).toMatch(/0\/2 s(?!!)/)
  expect(screenOf(late).join('\n')).toMatch(/3\/2 s!/)
})

test('what the target answered, or why it did not, stands in the row', () => {
  const forward = { url: 'http://t/', status: undefined, durationMs: 3, error: 'nothing listens there' }
  const { state } = run(emptyState({ columns: 160 }), [
    {
      kind: 'deliveries',
      deliveries: [
        delivery(1, { forward }),
        delivery(2, { forward: { ...forward, status: 503, error: undefined } }),
      ],
    },
  ])
  const screen = screenOf(state).join('\n')
  expect(screen).toContain('✗ nothing listens there')
  expect(screen).toContain('✗ 503')
  expect(screen).toContain('2 not accepted')
})

test('the status bar names the keys that work now, and what just happened', () => {
  const bar = (state: State) => screenOf(state).at(-1) ?? ''
  expect(bar(filled())).toContain('r replay  R refresh')
  expect(bar(press(filled(), 'tab').state)).toContain('R refresh  o open')
  expect(bar(press(filled(), 'tab').state)).not.toContain('r replay')
  expect(bar(press(filled(), 'c').state)).toContain('Copied evt_10')
  expect(bar(press(filled(), 'p').state)).toContain('p go on')
  expect(screenOf(press(filled(), 'p').state)[0]).toContain('PAUSED')
})

test('the filter leaves its rows to be seen while it is chosen', () => {
  const screen = screenOf(press(filled(5, { columns: 140, lines: 24 }), 'f', 'right').state)
  expect(screen.join('\n')).toMatch(/> type +‹ connection.active ›/)
  expect(screen.join('\n')).toContain('evt_5')
})
