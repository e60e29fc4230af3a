import { renderToString } from 'ink'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import {
  delivery,
  emptyState,
  filled,
  operation,
  press,
  resource,
  run,
  tab,
} from '../../../test/tui/sample-state.ts'
import type { State } from '../state/model.ts'
import { type ResourceKind, resourceKinds } from '../state/resource-row.ts'
import { Screen } from './screen.tsx'

/** The screen as the terminal would show it. */
function screenOf(state: State): string[] {
  return renderToString(<Screen state={state} onKey={() => {}} />, { columns: state.columns }).split('\n')
}

const sizes = [
  [20, 4],
  [40, 12],
  [60, 16],
  [80, 24],
  [120, 36],
  [200, 60],
] as const

const longName = 'Kreditgenossenschaft für sehr lange Namen, die niemand ganz lesen will '.repeat(2)

/** A view with rows of every kind. */
function viewed(kind: ResourceKind, change: Partial<State>): State {
  const cells = {
    ...{ name: longName, id: `id_${'0123456789'.repeat(3)}`, date: '2026-05-22', amount: '-1,234,567.89' },
    ...{ balance: '-238,411.90 USD', client: 'cli_demo', type: 'credit_card', mask: '•••• 4821' },
  }
  const rows = Array.from({ length: 50 }, (_, index) =>
    resource(kind, `row_${index}`, {
      cells: {
        ...cells,
        date: new Date(Date.UTC(2026, 4, 22) - index * 86_400_000).toISOString().slice(0, 10),
      },
      ...{ status: 'active', balance: 1000 - index * 7 },
    }),
  )
  const opened = press(filled(20, change), ':', ...kind.slice(0, 3), 'enter').state
  const list = { ...opened.resources, kind, rows, status: 'complete' as const }
  return { ...opened, resources: list }
}

const link = {
  ...{ kind: 'link' as const, connectionId: 'con_FDE_123' },
  ...{
    url: `https://link.example/${'0123456789abcdef'.repeat(12)}`,
    note: 'Valid until 2026-05-28T15:04:05.000Z.',
  },
}
const detail = {
  ...{
    kind: 'detail' as const,
    list: 'deliveries' as const,
    key: '20',
    notes: [[{ text: 'why '.repeat(60) }]],
  },
  tabs: [tab('Body', 100), tab('Headers', 3), tab('Answer', 3), tab('Attempts', 3)],
}

describe.each(sizes)('at %i columns and %i lines', (columns, lines) => {
  const size = { columns, lines }

  test.each<readonly [string, () => State]>([
    ['empty', () => emptyState(size)],
    ['full', () => filled(200, size)],
    ['detail', () => press(filled(20, size), 'enter').state],
    ['filter', () => press(filled(20, size), 'f').state],
    ['help', () => press(filled(20, size), '?').state],
    ['question', () => press(filled(20, size), 'R').state],
    ['palette', () => press(filled(20, size), ':').state],
    ['palette without a fitting view', () => press(filled(20, size), ':', 'x').state],
    ['question about a link', () => press(filled(20, size), 'a').state],
    ['link', () => run(filled(20, size), [link]).state],
    ['only what failed', () => press(filled(20, size), '!').state],
    ['tabs', () => run(press(filled(20, size), 'enter').state, [detail]).state],
    ...resourceKinds.map((kind) => [kind, () => viewed(kind, size)] as const),
    ['search', () => press(filled(20, size), '/', 'e', 'v').state],
  ])('%s: exactly as many lines as there are, none wider than the terminal', (_, make) => {
    const screen = screenOf(make())
    expect(screen).toHaveLength(lines)
    for (const line of screen) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
  })

  test('the status, the verdict and the selected row can be read without colours', () => {
    if (lines < 12) return
    const screen = screenOf(filled(3, size)).join('\n')
    expect(screen).toMatch(/> 15:04:08 {2}✓ conn.*→ 200/)
    const operations = screenOf({ ...filled(3, size), focusedList: 'operations' }).join('\n')
    expect(operations).toMatch(/✓ succeeded/)
    expect(operations).toMatch(/> .*✗ failed/)
  })

  test('what a yes may cost, and the keys of yes and no, are whole', () => {
    if (columns < 40) return
    const words = screenOf(press(filled(20, size), 'a').state)
      .join(' ')
      .replaceAll(/[│╭╮╰╯─\s]+/g, ' ')
    expect(words).toContain('What is shared may be billed.')
    expect(words).toContain('y yes n no')
  })

  test('ids of two sources that end alike are told apart', () => {
    if (columns < 60) return
    const { resources, ...state } = viewed('accounts', size)
    const rows = ['A', 'B'].map((source) =>
      resource('accounts', `acc_${source}`, {
        cells: {
          ...{
            name: longName,
            id: `acc_AGGREGATOR_${source}_100101`,
            client: 'cli_demo',
            type: 'credit_card',
          },
          ...{ balance: '-238,411.90 USD', mask: '•••• 4821' },
        },
      }),
    )
    const shown = screenOf({ ...state, resources: { ...resources, rows } }).map((line) =>
      line.slice(0, columns),
    )
    expect(shown.filter((line) => /_A_100101/.test(line))).not.toEqual([])
    expect(shown.filter((line) => /_B_100101/.test(line))).not.toEqual([])
  })

  test('an amount is never cut', () => {
    if (columns < 60) return
    expect(screenOf(viewed('accounts', size)).join('\n')).toContain('-238,411.90 USD')
    expect(screenOf(viewed('transactions', size)).join('\n')).toContain('-1,234,567.89')
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
  const state = filled(1000, { columns: 250, lines: 24 })
  const shown = screenOf(state).filter((line) => line.includes('→ 200'))
  expect(shown.length).toBeLessThan(24)
  expect(shown.at(-1)).toContain('evt_1000')
})

test('the header names environment, key, listener, target and counts', () => {
  const { state } = run(filled(3, { columns: 120, lines: 24 }), [
    {
      ...{ kind: 'listening', url: 'http://127.0.0.1:4020/', subscription: undefined },
      targets: ['http://localhost:3000/'],
    },
    {
      kind: 'deliveries',
      deliveries: [delivery(4, { verified: false, reason: 'timestamp_too_old', forward: undefined })],
    },
  ])
  const [first, second] = screenOf(state)
  expect(first).toBe('bankapi local sk_test_ab12… · http://127.0.0.1:4020/ → http://localhost:3000/')
  expect(second).toBe(
    '▁▁▁▁▁▁▁▁▁▁▁▁▁▁█ 4/min   2xx 100 %   p95 12 ms   0 running, 1 failed · 4 received, 1 refused, 0 not accepted',
  )
})

test('the header says what failed before what is fine, where there is no room for both', () => {
  const forward = { url: 'http://t/', status: 500, durationMs: 3400, error: undefined }
  const { state } = run(filled(3, { columns: 80, lines: 24 }), [
    { kind: 'deliveries', deliveries: [delivery(4, { forward })] },
  ])
  expect(screenOf(state)[1]).toBe('▁▁▁▁▁▁▁▁▁▁▁▁▁▁█ 4/min   2xx 75.0 %   p95 3.4 s   1 failed, 1 not accepted')
})

test('frames have round corners; the reason and the body of the selected row stand beside the lists', () => {
  const refused = delivery(4, { verified: false, reason: 'timestamp_too_old', forward: undefined })
  const { state } = run(filled(3, { columns: 120, lines: 36 }), [
    { kind: 'deliveries', deliveries: [refused] },
    {
      ...{ kind: 'detail', list: 'deliveries', key: '4' },
      notes: [
        [
          {
            text: 'The timestamp is 400 s old, and at most 300 s are accepted: see that both clocks are right.',
          },
        ],
      ],
      tabs: [
        { name: 'Body', lines: [[{ text: '{}' }]] },
        tab('Headers', 1),
        tab('Answer', 1),
        tab('Attempts', 1),
      ],
    },
  ])
  const screen = screenOf(state)
  expect(screen[2]).toMatch(/^╭─ Operations 2 of 2 ─+ following ─╮╭─ evt_4 ─+╮$/)
  expect(screen.at(-2)).toMatch(/^╰─+╯╰─+╯$/)
  const beside = screen.map((line) => line.slice(72)).join('\n')
  expect(beside).toContain('not verified: timestamp too old')
  expect(beside.replaceAll(/\s*│\n│\s*/g, ' ')).toContain(
    'at most 300 s are accepted: see that both clocks are right.',
  )
  expect(beside).toContain('1 Body  2 Headers  3 Answer  4 Attempts')
})

test('an empty list says which key fills it', () => {
  const lists = screenOf(emptyState({ columns: 100 })).join('\n')
  expect(lists).toContain('None yet: R on a connection (press :) starts one')
  expect(lists).toContain('None yet: l starts a listener here')
  const listening = {
    kind: 'listening' as const,
    url: 'http://127.0.0.1:1/',
    targets: [],
    subscription: undefined,
  }
  expect(screenOf(run(emptyState(), [listening]).state).join('\n')).toContain(
    'None yet: t has the service send a test event',
  )
  const searched = press(filled(), '/', 'x', 'y', 'z', 'enter').state
  expect(screenOf(searched).join('\n')).toContain('Nothing fits: Esc shows everything')
})

test('the title counts the hits of a search, and what is left out', () => {
  const state = press(filled(12), '/', 'e', 'v', 't', '_', '1', 'enter', 'up').state
  expect(screenOf(state).join('\n')).toContain('Deliveries /evt_1 3 of 4 · 12 in all')
  expect(screenOf(press(filled(12), '/', 'e', 'v', 't', '_', '1').state).at(-1)).toContain('4 found')
})

test('a running operation has a bar against its estimate', () => {
  const { state } = run(emptyState({ columns: 100 }), [
    { kind: 'operations', operations: [operation('op_1')] },
  ])
  const bar = (now: number) =>
    /[━─]{16}(?= {2})/.exec(screenOf({ ...state, now }).find((line) => line.includes('queued')) ?? '')?.[0]
  expect(bar(state.now)).toBe('─'.repeat(16))
  expect(bar(state.now + 60_000)).toBe('━'.repeat(8) + '─'.repeat(8))
  expect(bar(state.now + 500_000)).toBe('━'.repeat(16))
})

test('columns are as wide as what they hold: a short reason is not cut beside an empty column', () => {
  const short = operation('op_1', {
    subject: 'con_1',
    status: 'failed',
    outcome: 'mfa_required',
    completedAt: undefined,
  })
  const { state } = run(emptyState({ columns: 80 }), [{ kind: 'operations', operations: [short] }])
  expect(screenOf(state).join('\n')).toMatch(
    /✗ failed {2}account\.refresh {2}con_1 {2}- {5}mfa_required .*op_1/,
  )
})

test('the balance over time is drawn above the transactions, and left out where it is no sum of them', () => {
  const drawn = screenOf(viewed('transactions', { columns: 100, lines: 30 })).join('\n')
  expect(drawn).toMatch(/1,000\.00 [\u2800-\u28ff]+/)
  expect(drawn).toContain('2026-04-03 to 2026-05-22')
  const state = viewed('transactions', { columns: 100, lines: 30 })
  const rows = state.resources.rows.map((row) => ({ ...row, balance: undefined }))
  const without = screenOf({ ...state, resources: { ...state.resources, rows } }).join('\n')
  expect(without).not.toMatch(/[\u2801-\u28ff]/)
  expect(without).toContain('Its balance is not drawn')
})

test('live is said in words', () => {
  const about = { environment: 'live', live: true, keyPrefix: 'sk_live_ab12…', utc: true }
  expect(screenOf({ ...filled(1), about })[0]).toContain('LIVE: REAL DATA')
  const asked = screenOf(press({ ...filled(1), about }, 'R').state).join('\n')
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

test('what the target answered, or why it did not, stands in the row or beside it', () => {
  const forward = { url: 'http://t/', status: undefined, durationMs: 3, error: 'nothing listens there' }
  const { state } = run(emptyState({ columns: 160 }), [
    {
      kind: 'deliveries',
      deliveries: [
        delivery(1, { forward: { ...forward, status: 503, error: undefined } }),
        delivery(2, { forward }),
      ],
    },
  ])
  const screen = screenOf(state).join('\n')
  expect(screen).toContain('→ no answer')
  expect(screen).toContain('nothing listens there')
  expect(screen).toContain('✗ connection.active')
  expect(screen).toContain('→ 503')
  expect(screen).toContain('2 not accepted')
})

test('the status bar names the keys that work now, and what just happened', () => {
  const bar = (state: State) => screenOf(state).at(-1) ?? ''
  const wide = { columns: 200, lines: 24 }
  expect(bar(filled(10, wide))).toContain('r replay  R refresh  a reauthorize')
  expect(bar(press(filled(10, wide), 'back-tab').state)).toContain('R refresh')
  expect(bar(press(filled(10, wide), 'back-tab').state)).toContain('o open')
  expect(bar(press(filled(10, wide), 'back-tab').state)).not.toContain('r replay')
  expect(bar(press(filled(), 'enter').state)).toContain('q back')
  expect(bar(press(filled(), 'c').state)).toContain('Copied evt_10')
  expect(bar(press(filled(10, wide), 'p').state)).toContain('p go on')
  expect(screenOf(press(filled(), 'p').state)[0]).toContain('PAUSED')
})

test('the filter leaves its rows to be seen while it is chosen', () => {
  const screen = screenOf(press(filled(5, { columns: 200, lines: 24 }), 'f', 'right').state)
  expect(screen.join('\n')).toMatch(/> type +‹ connection.active ›/)
  expect(screen.join('\n')).toContain('evt_5')
})
