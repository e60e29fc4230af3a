import { describe, expect, test } from 'vitest'
import { delivery, emptyState, filled, press, run } from '../../../test/tui/sample-state.ts'
import { keyBindings } from './keys.ts'
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

  test.each(['tab', 'right', 'l', 'back-tab', 'left', 'h'])('%s turns to the other list', (key) => {
    const { state } = press(filled(), key)
    expect(state.focusedList).toBe('operations')
    expect(press(state, key).state.focusedList).toBe('deliveries')
  })

  test('keys do nothing, and do not throw, in an empty list', () => {
    const keys = ['up', 'down', 'g', 'G', 'page-up', 'enter', 'r', 'R', 'c', 'o', 'n', 'N', 'escape']
    expect(press(emptyState(), ...keys).effects).toEqual([])
  })
})

describe('the detail', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
  const open = () => {
    const { state, effects } = press(filled(), 'enter')
    expect(effects).toEqual([{ kind: 'load-detail', list: 'deliveries', key: '10' }])
    return run(state, [{ kind: 'detail', list: 'deliveries', key: '10', lines }]).state
  }

  test('enter opens it, escape and enter close it', () => {
    expect(open().detail?.lines).toHaveLength(100)
    expect(press(open(), 'escape').state.detail).toBeUndefined()
    expect(press(open(), 'enter').state.detail).toBeUndefined()
  })

  test('keys scroll it, not further than its last line at the bottom', () => {
    expect(press(open(), 'down', 'j', 'down', 'k').state.detail?.top).toBe(2)
    const { state } = press(open(), 'G')
    expect(state.detail?.top).toBe(100 - 20)
    expect(press(state, 'down', 'page-down').state.detail?.top).toBe(80)
    expect(press(state, 'page-up').state.detail?.top).toBe(80 - 19)
    expect(press(state, 'g').state.detail?.top).toBe(0)
  })

  test('tab leaves the keys to the lists, and the detail follows their cursor', () => {
    const { state, effects } = press(open(), 'tab', 'down')
    expect(state.focusedList).toBe('operations')
    expect(state.detail).toMatchObject({ list: 'operations', key: 'op_2', lines: undefined })
    expect(effects).toContainEqual({ kind: 'load-detail', list: 'operations', key: 'op_2' })
  })

  test('lines of another row that come late are not shown', () => {
    const { state } = run(press(filled(), 'enter').state, [
      { kind: 'detail', list: 'deliveries', key: '3', lines },
    ])
    expect(state.detail?.lines).toBeUndefined()
  })
})

describe('search', () => {
  const rows = () =>
    run(filled(4), [
      { kind: 'deliveries', deliveries: [delivery(5, { type: 'connection.failed' }), delivery(6)] },
    ]).state

  test('/ finds while it is typed, backwards from the newest; n and N go on and back', () => {
    const { state } = press(rows(), '/', 'F', 'A', 'I')
    expect(current(state)).toBe(5)
    const kept = press(state, 'enter', 'G', 'n')
    expect(current(kept.state)).toBe(5)
    const several = press(rows(), '/', 'e', 'v', 't', '_', 'enter', 'N').state
    expect(current(several)).toBe(5)
    expect(current(press(several, 'n').state)).toBe(6)
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
    expect(state.mode).toEqual({ kind: 'confirm-refresh', connectionId: 'con_FDE_123' })
    expect(press(state, key).effects).toEqual(effects)
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

  test('? shows every key, and any key but q closes it', () => {
    const { state } = press(filled(), '?')
    expect(state.mode.kind).toBe('help')
    expect(press(state, 'r')).toMatchObject({ state: { mode: { kind: 'browse' } }, effects: [] })
    expect(press(state, 'q').effects).toEqual([{ kind: 'quit' }])
    const named = keyBindings.map(({ help }) => help?.keys ?? '').join(' ')
    for (const key of 'jkgG/fRrcop?qnN') expect(named.split(' ')).toContain(key)
  })

  test('no key is bound twice', () => {
    const keys = keyBindings.flatMap((binding) => binding.keys)
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
  })

  test.each(['q', 'interrupt'])('%s quits', (key) => {
    expect(press(filled(), key).effects).toEqual([{ kind: 'quit' }])
    expect(press(filled(), 'enter', key).effects).toContainEqual({ kind: 'quit' })
  })

  test('Ctrl-C quits while something is typed or asked, too', () => {
    for (const key of ['/', 'f', 'R', '?']) {
      expect(press(filled(), key, 'interrupt').effects).toEqual([{ kind: 'quit' }])
    }
  })
})
