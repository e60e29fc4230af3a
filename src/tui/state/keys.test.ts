import { describe, expect, test } from 'vitest'
import {
  delivery,
  emptyState,
  filled,
  later,
  press,
  resource,
  run,
  tab,
} from '../../../test/tui/sample-state.ts'
import { bodyOf, detailHeight } from './detail.ts'
import { keyBindings } from './keys.ts'
import { layoutOf } from './layout.ts'
import type { State } from './model.ts'
import { currentRow, deliveryRows, isFollowing, operationRows, windowOver } from './window.ts'

const current = (state: State) => currentRow(state, state.focusedList)?.id

describe('moving', () => {
  test('the newest row is followed until the cursor moves', () => {
    const state = filled()
    expect(current(state)).toBe(10)
    const { state: next } = run(state, [{ kind: 'deliveries', deliveries: [delivery(11)] }])
    expect(current(next)).toBe(11)
  })

  test.each(['up', 'k'])('%s goes one row up and stops following', (key) => {
    const { state } = press(filled(), key)
    expect(current(state)).toBe(9)
    const { state: next } = run(state, [{ kind: 'deliveries', deliveries: [delivery(11)] }])
    expect(current(next)).toBe(9)
    expect(isFollowing(next.deliveries)).toBe(false)
  })

  test.each(['down', 'j'])('%s goes one row down, and follows again at the end', (key) => {
    const { state } = press(filled(), 'up', 'up', key)
    expect(current(state)).toBe(9)
    expect(isFollowing(press(state, key).state.deliveries)).toBe(true)
  })

  test.each([
    ['g', 1],
    ['home', 1],
    ['G', 10],
    ['end', 10],
  ])('%s goes to row %i', (key, row) => {
    const { state } = press(filled(), 'up', 'up', 'up', key)
    expect(current(state)).toBe(row)
    expect(isFollowing(state.deliveries)).toBe(row === 10)
  })

  test('page-up and page-down move by what fits, less one row', () => {
    const { state } = press(filled(100), 'page-up')
    const first = Number(current(state))
    expect(first).toBeLessThan(95)
    expect(Number(current(press(state, 'page-up').state))).toBe(first - (100 - first))
    expect(current(press(state, 'page-down').state)).toBe(100)
  })

  test('new rows leave the window where it is', () => {
    const { state } = press(filled(100), 'up', 'up', 'up')
    const before = windowOver(deliveryRows(state), state.deliveries.cursor, 10)
    const { state: next } = run(state, [{ kind: 'deliveries', deliveries: [delivery(101), delivery(102)] }])
    const afterwards = windowOver(deliveryRows(next), next.deliveries.cursor, 10)
    expect(afterwards.rows.map(({ id }) => id)).toEqual(before.rows.map(({ id }) => id))
  })

  test.each(['tab', 'right', 'back-tab', 'left'])('%s turns to the other list', (key) => {
    const { state } = press(filled(), key)
    expect(state.focusedList).toBe('operations')
    expect(press(state, key).state.focusedList).toBe('deliveries')
  })

  test('keys do nothing, and do not throw, in an empty list', () => {
    const keys = [
      'up',
      'down',
      'g',
      'G',
      'page-up',
      'enter',
      'r',
      'R',
      'a',
      'c',
      'o',
      'n',
      'N',
      '1',
      '!',
      'escape',
    ]
    expect(press(emptyState(), ...keys).effects).toEqual([])
  })
})

describe('the detail', () => {
  const loaded = (key: string, list: 'deliveries' | 'operations' = 'deliveries') => ({
    ...{ kind: 'detail' as const, list, key, notes: [] },
    tabs: [tab('Body', 100), tab('Headers', 5), tab('Answer', 1), tab('Attempts', 1)],
  })
  const wide = { columns: 120, lines: 36 }
  const open = () => {
    const { state, effects } = press(filled(), 'enter')
    expect(effects).toEqual([{ kind: 'load-detail', list: 'deliveries', key: '10', ask: true }])
    return run(state, [loaded('10')]).state
  }

  test('of 120 columns it shows the row under the cursor, unasked', () => {
    expect(filled(10).detail).toBeUndefined()
    const state = filled(10, wide)
    const { state: up, effects } = press(state, 'up')
    expect(effects).toEqual([{ kind: 'load-detail', list: 'deliveries', key: '9', ask: false }])
    expect(up.detail).toMatchObject({ list: 'deliveries', key: '9', focused: false })
    expect(layoutOf(up).detail?.beside).toBe(true)
    expect(press(up, 'back-tab').state.detail).toMatchObject({ list: 'operations', key: 'op_2' })
  })

  test('in a flood, the rows between are passed over, and the last one is read', () => {
    const course = run(
      later(filled(10, wide), 1000).state,
      Array.from({ length: 200 }, (_, index) => ({
        kind: 'deliveries' as const,
        deliveries: [delivery(11 + index)],
      })),
      1,
    )
    const readings = course.effects.filter(({ kind }) => kind === 'load-detail')
    expect(readings.length).toBeLessThan(5)
    const { state, effects } = later(course.state, 1000)
    expect(state.detail?.key).toBe('210')
    expect([...readings, ...effects].at(-1)).toMatchObject({ key: '210' })
  })

  test('an operation is read from the service only when it is opened', () => {
    const { state, effects } = press(filled(10, wide), 'back-tab')
    expect(effects).toEqual([{ kind: 'load-detail', list: 'operations', key: 'op_2', ask: false }])
    expect(press(state, 'enter').effects).toEqual([
      { kind: 'load-detail', list: 'operations', key: 'op_2', ask: true },
    ])
  })

  test.each(['escape', 'enter', 'q'])('enter opens it, %s closes it and does not quit', (key) => {
    expect(open().detail?.tabs?.[0]?.lines).toHaveLength(100)
    const { state, effects } = press(open(), key)
    expect(state.detail).toBeUndefined()
    expect(effects).toEqual([])
  })

  test('beside the lists, enter gives it the keys, and escape takes them back', () => {
    const focused = press(filled(10, wide), 'enter').state
    expect(focused.detail?.focused).toBe(true)
    expect(press(focused, 'escape').state.detail).toMatchObject({ key: '10', focused: false })
  })

  test('keys scroll it, not further than its last line at the bottom', () => {
    expect(press(open(), 'down', 'j', 'down', 'k').state.detail?.top).toBe(2)
    const { state } = press(open(), 'G')
    const height = detailHeight(state)
    expect(state.detail?.top).toBe(100 - height)
    expect(press(state, 'down', 'page-down').state.detail?.top).toBe(100 - height)
    expect(press(state, 'page-up').state.detail?.top).toBe(100 - 2 * height + 1)
    expect(press(state, 'g').state.detail?.top).toBe(0)
  })

  test('1 to 4 and the arrows choose the tab, which stays for the next delivery', () => {
    expect(press(open(), 'down', '2').state.detail).toMatchObject({ tab: 1, top: 0 })
    expect(press(open(), 'right', 'right', 'left').state.detail?.tab).toBe(1)
    expect(press(open(), 'left').state.detail?.tab).toBe(0)
    const beside = run(filled(10, wide), [loaded('10')]).state
    const next = press(beside, '4', 'up').state
    expect(run(next, [loaded('9')]).state.detail).toMatchObject({ key: '9', tab: 3 })
  })

  test('long lines are wrapped, and scrolled by what is seen', () => {
    const long = { name: 'Body', lines: [[{ text: 'word '.repeat(100) }], [{ text: 'end' }]] }
    const { state } = run(press(filled(), 'enter').state, [{ ...loaded('10'), tabs: [long] }])
    expect(bodyOf(state).length).toBeGreaterThan(5)
    const shown = bodyOf(state).map((line) => line.map(({ text }) => text).join(''))
    expect(shown.every((text) => text.length <= state.columns - 4)).toBe(true)
    expect(shown.join(' ').match(/word/g)).toHaveLength(100)
  })

  test('lines of another row that come late are not shown', () => {
    const { state } = run(press(filled(), 'enter').state, [loaded('3')])
    expect(state.detail?.tabs).toBeUndefined()
  })
})

describe('views', () => {
  const rows = [resource('accounts', 'acc_1', { connectionId: 'con_FDE_123' }), resource('accounts', 'acc_2')]
  const read = (state: State, of = rows): State =>
    run(state, [
      { kind: 'resources', reading: state.resources.reading, rows: of, done: 'complete', note: undefined },
    ]).state
  const accounts = () => read(press(filled(), ':', 'a', 'c', 'enter').state)

  test(': offers what fits what is typed, arrows choose, enter goes there', () => {
    const { state, effects } = press(filled(), ':', 'a', 'c', 'enter')
    expect(effects).toEqual([{ kind: 'load-resources', reading: 1, resource: 'accounts', of: undefined }])
    expect(state).toMatchObject({ focusedList: 'resources', mode: { kind: 'browse' } })
    expect(press(filled(), ':', 'down', 'down', 'enter').state.resources.kind).toBe('clients')
    expect(press(filled(), ':', 'o', 'p', 'enter').state.focusedList).toBe('operations')
    expect(press(filled(), ':', 'x', 'y', 'enter').state.mode.kind).toBe('palette')
    expect(press(filled(), ':', 'x', 'backspace', 'backspace').state.mode.kind).toBe('browse')
    expect(press(filled(), ':', 'escape').state).toMatchObject({
      focusedList: 'deliveries',
      mode: { kind: 'browse' },
    })
  })

  test('the first row is selected, and stays while more come', () => {
    expect(current(accounts())).toBe('acc_1')
    expect(current(read(press(accounts(), 'down').state, [resource('accounts', 'acc_0'), ...rows]))).toBe(
      'acc_2',
    )
  })

  test('enter goes deeper, escape and q back, to the lists at last', () => {
    const { state, effects } = press(accounts(), 'down', 'enter')
    const of = { clientId: 'cli_demo', connectionId: undefined, accountId: 'acc_2', name: 'The acc_2' }
    expect(effects).toEqual([{ kind: 'load-resources', reading: 2, resource: 'transactions', of }])
    for (const key of ['escape', 'q']) {
      const back = press(state, key)
      expect(back.state.resources).toMatchObject({ kind: 'accounts', rows })
      expect(current(back.state)).toBe('acc_2')
      // What may have changed meanwhile is read again.
      expect(back.effects).toMatchObject([{ kind: 'load-resources', resource: 'accounts' }])
      expect(press(back.state, key)).toMatchObject({ state: { focusedList: 'deliveries' }, effects: [] })
    }
  })

  test('clients, their connections, their accounts, their transactions', () => {
    let state = read(press(filled(), ':', 'c', 'l', 'enter').state, [resource('clients', 'cli_demo')])
    for (const [kind, row] of [
      ['connections', resource('connections', 'con_FDE_123', { connectionId: 'con_FDE_123' })],
      ['accounts', resource('accounts', 'acc_1')],
      ['transactions', resource('transactions', 'txn_1')],
    ] as const) {
      state = press(state, 'enter').state
      expect(state.resources.kind).toBe(kind)
      state = read(state, [row])
    }
    expect(press(state, 'enter').state.detail?.focused).toBe(true)
  })

  test('rows of a reading that was left come too late', () => {
    const { state } = press(accounts(), 'enter')
    const late = run(state, [
      { kind: 'resources', reading: 1, rows, done: 'complete', note: undefined },
    ]).state
    expect(late.resources.rows).toEqual([])
  })

  test('a verified webhook has the list read again, once for several', () => {
    const { state, effects } = run(accounts(), [
      { kind: 'deliveries', deliveries: [delivery(11), delivery(12)] },
      { kind: 'deliveries', deliveries: [delivery(13)] },
    ])
    expect(effects).toEqual([])
    const after = later(state, 2000)
    expect(after.effects).toEqual([
      { kind: 'load-resources', reading: 2, resource: 'accounts', of: undefined },
    ])
    expect(after.state.resources.rows).toEqual(rows)
    const forged = run(accounts(), [
      { kind: 'deliveries', deliveries: [delivery(11, { verified: false })] },
    ]).state
    expect(later(forged, 2000).effects).toEqual([])
  })

  test('transactions are those of an account: without one, the accounts are shown to choose from', () => {
    const { state } = press(filled(), ':', 't', 'r', 'enter')
    expect(state.resources.kind).toBe('accounts')
    expect(press(accounts(), ':', 't', 'r', 'enter').state.resources).toMatchObject({
      kind: 'transactions',
      of: { accountId: 'acc_1' },
    })
  })

  test('a failure leaves the rows that were there, and says why', () => {
    const again = press(press(accounts(), 'enter').state, 'escape').state
    const { reading } = again.resources
    const failed = run(again, [
      { kind: 'resources', reading, rows: [], done: 'failed', note: 'no answer' },
    ]).state
    expect(failed.resources).toMatchObject({ rows, note: 'no answer', status: 'failed' })
  })
})

describe('search', () => {
  const rows = () =>
    run(filled(4), [
      { kind: 'deliveries', deliveries: [delivery(5, { type: 'connection.failed' }), delivery(6)] },
    ]).state

  const ids = (state: State) => deliveryRows(state).map(({ id }) => id)

  test('/ leaves what contains the text while it is typed, the newest selected; n and N go round', () => {
    const { state } = press(rows(), '/', 'F', 'A', 'I')
    expect(ids(state)).toEqual([5])
    expect(current(state)).toBe(5)
    expect(ids(press(state, 'backspace', 'backspace', 'backspace').state)).toHaveLength(6)
    const several = press(rows(), '/', 'a', 'c', 't', 'i', 'v', 'e', 'enter').state
    expect(ids(several)).toEqual([1, 2, 3, 4, 6])
    expect(current(press(several, 'N').state)).toBe(4)
    expect(current(press(several, 'n').state)).toBe(1)
  })

  test('the rows that came meanwhile are left out, too, when they do not contain it', () => {
    const { state } = press(rows(), '/', 'f', 'a', 'i', 'enter')
    const more = [delivery(7), delivery(8, { type: 'account.refresh.failed' })]
    expect(ids(run(state, [{ kind: 'deliveries', deliveries: more }]).state)).toEqual([5, 8])
  })

  test('letters that are keys elsewhere are typed', () => {
    const { state, effects } = press(rows(), '/', 'q', 'R', 'r', 'backspace')
    expect(effects).toEqual([])
    expect(state.deliveries.search).toBe('qR')
  })

  test('escape goes back to the row and the search of before', () => {
    const { state } = press(rows(), 'up', 'up', '/', '5', 'escape')
    expect(current(state)).toBe(4)
    expect(state.deliveries.search).toBe('')
  })

  test('a search is bounded, and takes no control characters', () => {
    const { state } = press(rows(), '/', ...Array.from({ length: 200 }, () => 'x'), '\u001b', '\u202e', '\n')
    expect(state.deliveries.search).toBe('x'.repeat(80))
  })

  test('escape in the list clears it, and then the filter', () => {
    const { state } = press(rows(), 'f', 'right', 'enter', '/', 'x', 'enter')
    const once = press(state, 'escape').state
    expect(once.deliveries.search).toBe('')
    expect(once.deliveries.filter.type).toBe('connection.active')
    expect(press(once, 'escape').state.deliveries.filter).toEqual({})
  })
})

describe('filter', () => {
  const rows = () =>
    run(filled(2), [
      {
        kind: 'deliveries',
        deliveries: [
          delivery(3, { type: 'connection.failed' }),
          delivery(4, { verified: false, reason: 'too_old', forward: undefined }),
          delivery(5, { forward: { url: 'http://t/', status: 500, durationMs: 1, error: undefined } }),
        ],
      },
    ]).state
  const shown = (state: State) => deliveryRows(state).map(({ id }) => id)

  test('by type: right and left go through the types that are there', () => {
    const { state } = press(rows(), 'f', 'right', 'right')
    expect(shown(state)).toEqual([3])
    expect(shown(press(state, 'right').state)).toEqual([1, 2, 3, 4, 5])
    expect(shown(press(state, 'left', 'left').state)).toEqual([1, 2, 3, 4, 5])
  })

  test('by what became of it, and by verdict', () => {
    expect(shown(press(rows(), 'f', 'down', 'left', 'enter').state)).toEqual([5])
    expect(shown(press(rows(), 'f', 'j', 'j', 'l', 'l', 'enter').state)).toEqual([4])
    expect(shown(press(rows(), 'f', 'up', ' ', ' ').state)).toEqual([4])
  })

  test('x and backspace clear it, escape brings back the one of before', () => {
    const { state } = press(rows(), 'f', 'right', 'right', 'enter')
    expect(shown(press(state, 'f', 'x', 'enter').state)).toEqual([1, 2, 3, 4, 5])
    expect(shown(press(state, 'f', 'backspace', 'enter').state)).toEqual([1, 2, 3, 4, 5])
    expect(shown(press(state, 'f', 'x', 'escape').state)).toEqual([3])
  })

  test('operations by status', () => {
    const { state } = press(filled(), 'tab', 'f', 'down', 'left')
    expect(operationRows(state).map(({ id }) => id)).toEqual(['op_2'])
  })
})

describe('! shows only what failed', () => {
  test('of deliveries and of operations; again, everything', () => {
    const bad = [
      delivery(11, { verified: false, forward: undefined }),
      delivery(12, { forward: { url: 'http://t/', status: 500, durationMs: 1, error: undefined } }),
      delivery(13, { settled: false, forward: undefined }),
    ]
    const { state } = press(run(filled(), [{ kind: 'deliveries', deliveries: bad }]).state, '!')
    expect(deliveryRows(state).map(({ id }) => id)).toEqual([11, 12])
    expect(deliveryRows(press(state, '!').state)).toHaveLength(12)
    expect(deliveryRows(press(state, 'escape').state)).toHaveLength(12)
    expect(operationRows(press(filled(), 'tab', '!').state).map(({ id }) => id)).toEqual(['op_2'])
  })
})

describe('acting', () => {
  test('r sends the selected delivery to the target again, once while it is under way', () => {
    const { state, effects } = press(filled(), 'r', 'r')
    expect(effects).toEqual([{ kind: 'replay', id: 10 }])
    const { state: done } = run(state, [{ kind: 'replayed', id: 10, text: '200', ok: true }])
    expect(press(done, 'r').effects).toEqual([{ kind: 'replay', id: 10 }])
  })

  test('r does not send what did not verify, nor an operation', () => {
    const refused = run(filled(), [
      { kind: 'deliveries', deliveries: [delivery(11, { verified: false })] },
    ]).state
    expect(press(refused, 'r').effects).toEqual([])
    expect(press(refused, 'r').state.notice?.tone).toBe('bad')
    expect(press(filled(), 'tab', 'r').effects).toEqual([])
  })

  test.each([
    ['y', [{ kind: 'refresh', connectionId: 'con_FDE_123' }]],
    ['Y', [{ kind: 'refresh', connectionId: 'con_FDE_123' }]],
    ['n', []],
    ['N', []],
    ['escape', []],
    ['q', []],
    ['enter', []],
  ] as const)('R asks before it refreshes: %s', (key, effects) => {
    const { state, effects: asked } = press(filled(), 'R')
    expect(asked).toEqual([])
    expect(state.mode).toEqual({ kind: 'confirm', action: 'refresh', connectionId: 'con_FDE_123' })
    expect(press(state, key).effects).toEqual(effects)
  })

  test('a asks before it makes a link, then shows and copies it', () => {
    const { state, effects } = press(filled(), 'a')
    expect(effects).toEqual([])
    expect(press(state, 'n').effects).toEqual([])
    expect(press(state, 'enter').effects).toEqual([])
    const asked = press(state, 'y')
    expect(asked.effects).toEqual([{ kind: 'reauthorize', connectionId: 'con_FDE_123' }])
    const url = 'https://link.example/abc'
    const made = run(asked.state, [{ kind: 'link', connectionId: 'con_FDE_123', url, note: 'valid' }])
    expect(made.effects).toEqual([{ kind: 'copy', text: url }])
    expect(made.state.mode).toMatchObject({ kind: 'link', url })
    expect(press(made.state, 'c').effects).toEqual([{ kind: 'copy', text: url }])
    expect(press(made.state, 'o').effects).toEqual([{ kind: 'open', url }])
    for (const key of ['q', 'escape', 'enter']) {
      expect(press(made.state, key)).toMatchObject({ state: { mode: { kind: 'browse' } }, effects: [] })
    }
  })

  test('t asks for a test event, of the subscription of this listener if there is one', () => {
    expect(press(filled(), 't').effects).toEqual([{ kind: 'send-test', subscription: undefined }])
    const listening = {
      kind: 'listening' as const,
      url: 'http://127.0.0.1:1/',
      targets: [],
      subscription: 'whk_1',
    }
    const { state } = run(filled(), [listening])
    expect(press(state, 't').effects).toEqual([{ kind: 'send-test', subscription: 'whk_1' }])
  })

  test('l starts one listener, and says why none started', () => {
    expect(press(filled(), 'l').effects).toEqual([{ kind: 'listen' }])
    const starting = run(filled(), [{ kind: 'listener-starting' }]).state
    expect(press(starting, 'l').effects).toEqual([])
    const failed = run(starting, [{ kind: 'not-listening', text: 'Not listening: no secret' }]).state
    expect(failed.notice).toMatchObject({ text: 'Not listening: no secret', tone: 'bad' })
    expect(press(failed, 'l').effects).toEqual([{ kind: 'listen' }])
  })

  test('R refuses a placeholder id and what an unverified delivery says', () => {
    const placeholder = 'con_0b1f9f3e-5c7b-4b8e-9a43-1d2c3b4a5f60'
    for (const change of [{ mentions: [placeholder] }, { verified: false }]) {
      const { state } = run(filled(), [{ kind: 'deliveries', deliveries: [delivery(11, change)] }])
      expect(press(state, 'R').state.mode.kind).toBe('browse')
    }
  })

  test('c copies the id of the event or operation', () => {
    expect(press(filled(), 'c').effects).toEqual([{ kind: 'copy', text: 'evt_10' }])
    expect(press(filled(), 'tab', 'c').effects).toEqual([{ kind: 'copy', text: 'op_2' }])
  })

  test('o opens the doc_url of the error', () => {
    const url = 'https://docs.example/refresh_timed_out'
    expect(press(filled(), 'tab', 'o').effects).toEqual([{ kind: 'open', url }])
    expect(press(filled(), 'o').effects).toEqual([])
  })

  test('p keeps the screen still, and counts what came since', () => {
    const { state } = run(press(filled(), 'p').state, [{ kind: 'deliveries', deliveries: [delivery(11)] }])
    expect(current(state)).toBe(10)
    expect(state.paused?.missed).toBe(1)
    expect(current(press(state, 'p').state)).toBe(11)
  })

  test('? shows every key, scrolls, and is closed by any other key before q quits', () => {
    const low = press(filled(10, { columns: 60, lines: 16 }), '?').state
    expect(low.mode).toEqual({ kind: 'help', top: 0 })
    expect(press(low, 'up').state.mode).toEqual({ kind: 'help', top: 0 })
    expect(press(low, 'down', 'j', 'k').state.mode).toEqual({ kind: 'help', top: 1 })
    const end = press(low, 'G').state
    expect(end.mode).toEqual(press(end, 'page-down').state.mode)
    expect(end.mode).not.toEqual(press(end, 'page-up').state.mode)
    for (const key of ['r', 'q', '?', 'escape']) {
      expect(press(low, key)).toMatchObject({ state: { mode: { kind: 'browse' } }, effects: [] })
    }
    const named = keyBindings.map(({ help }) => help?.keys ?? '').join(' ')
    for (const key of 'jkgG/fRrcop?qnN:tla!1234') expect(named.split(' ')).toContain(key)
  })

  test('no key is bound twice', () => {
    const keys = keyBindings.flatMap((binding) => binding.keys)
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
  })

  test.each(['q', 'interrupt'])('%s quits', (key) => {
    expect(press(filled(), key).effects).toEqual([{ kind: 'quit' }])
    expect(press(filled(), 'enter', 'escape', key).effects).toContainEqual({ kind: 'quit' })
  })

  test('Ctrl-C quits while something is typed or asked, too', () => {
    for (const key of ['/', 'f', 'R', '?', ':', 'a', 'enter']) {
      expect(press(filled(), key, 'interrupt').effects).toContainEqual({ kind: 'quit' })
    }
  })
})
