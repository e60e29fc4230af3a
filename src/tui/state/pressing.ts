/** What each key does, in each mode. */
import { askCopy, askOpen, askRefresh, askReplay, notify, quit, togglePause } from './asking.ts'
import type { Step } from './events.ts'
import { namedKeys } from './keys.ts'
import { filterFields, nextChoice } from './matching.ts'
import type { Filter, Mode, State } from './model.ts'
import {
  detailHeight,
  followDetail,
  moveBy,
  moveTo,
  moveToFound,
  openDetail,
  pageOf,
  scrollDetail,
  withList,
} from './moving.ts'
import { rowsOf } from './window.ts'

/** Longest search, in characters. */
const LONGEST_SEARCH = 80
const named: ReadonlySet<string> = new Set(namedKeys)
const browse: Mode = { kind: 'browse' }

export function press(state: State, key: string): Step<State> {
  if (key === 'interrupt') return [state, quit]
  switch (state.mode.kind) {
    case 'search':
      return inSearch(state, key, state.mode)
    case 'filter':
      return inFilter(state, key, state.mode)
    case 'confirm-refresh':
      return inConfirmation(state, key, state.mode.connectionId)
    case 'help':
      return key === 'q' ? [state, quit] : [{ ...state, mode: browse }, []]
    case 'browse':
      return state.detail?.focused ? inDetail(state, key) : inList(state, key)
  }
}

function inList(state: State, key: string): Step<State> {
  switch (key) {
    case 'up':
    case 'k':
      return moveBy(state, -1)
    case 'down':
    case 'j':
      return moveBy(state, 1)
    case 'page-up':
      return moveBy(state, -pageOf(state))
    case 'page-down':
      return moveBy(state, pageOf(state))
    case 'g':
    case 'home':
      return moveTo(state, 0, false)
    case 'G':
    case 'end':
      return moveTo(state, rowsOf(state, state.front).length - 1, true)
    case 'escape':
      return escapeList(state)
    default:
      return anywhere(state, key)
  }
}

function inDetail(state: State, key: string): Step<State> {
  const page = detailHeight(state) - 1
  switch (key) {
    case 'up':
    case 'k':
      return [scrollDetail(state, -1), []]
    case 'down':
    case 'j':
      return [scrollDetail(state, 1), []]
    case 'page-up':
      return [scrollDetail(state, -page), []]
    case 'page-down':
      return [scrollDetail(state, page), []]
    case 'g':
    case 'home':
      return [scrollDetail(state, -Infinity), []]
    case 'G':
    case 'end':
      return [scrollDetail(state, Infinity), []]
    case 'escape':
    case 'enter':
      return [{ ...state, detail: undefined }, []]
    default:
      return anywhere(state, key)
  }
}

/** Keys that mean the same whatever has them. */
function anywhere(state: State, key: string): Step<State> {
  switch (key) {
    case 'tab':
    case 'right':
    case 'l':
      return turn(state, 1)
    case 'back-tab':
    case 'left':
    case 'h':
      return turn(state, -1)
    case 'enter':
      return openDetail(state)
    case '/': {
      const { search, cursor } = state[state.front]
      const mode: Mode = { kind: 'search', before: search, cursor }
      return [withList({ ...state, mode }, state.front, { search: '' }), []]
    }
    case 'n':
      return moveToFound(state, 1, false)
    case 'N':
      return moveToFound(state, -1, false)
    case 'f':
      return [{ ...state, mode: { kind: 'filter', field: 0, before: state[state.front].filter } }, []]
    case 'r':
      return askReplay(state)
    case 'R':
      return askRefresh(state)
    case 'c':
      return askCopy(state)
    case 'o':
      return askOpen(state)
    case 'p':
      return [togglePause(state), []]
    case '?':
      return [{ ...state, mode: { kind: 'help' } }, []]
    case 'q':
      return [state, quit]
    default:
      return [state, []]
  }
}

/** The next of operations, deliveries and the open detail. */
function turn(state: State, by: 1 | -1): Step<State> {
  const { detail, front } = state
  const stops = detail === undefined ? 2 : 3
  const at = detail?.focused ? 2 : front === 'operations' ? 0 : 1
  const next = (at + by + stops) % stops
  if (next === 2 && detail !== undefined) return [{ ...state, detail: { ...detail, focused: true } }, []]
  const turned: State = {
    ...state,
    front: next === 0 ? 'operations' : 'deliveries',
    detail: detail && { ...detail, focused: false },
  }
  return followDetail(turned)
}

/** Esc takes away what lies nearest: the detail, the search, the filter. */
function escapeList(state: State): Step<State> {
  if (state.detail !== undefined) return [{ ...state, detail: undefined }, []]
  const { search, filter } = state[state.front]
  if (search !== '') return [withList(state, state.front, { search: '' }), []]
  if (Object.keys(filter).length > 0) return [withList(state, state.front, { filter: {} }), []]
  return [{ ...state, notice: undefined }, []]
}

function inSearch(state: State, key: string, mode: Extract<Mode, { kind: 'search' }>): Step<State> {
  const { search } = state[state.front]
  switch (key) {
    case 'enter':
      return [{ ...state, mode: browse }, []]
    case 'escape':
      return followDetail(
        withList({ ...state, mode: browse }, state.front, { search: mode.before, cursor: mode.cursor }),
      )
    case 'backspace':
      return typed(state, [...search].slice(0, -1).join(''))
    default:
      if (!isCharacter(key) || search.length >= LONGEST_SEARCH) return [state, []]
      return typed(state, search + key)
  }
}

/** Looks backwards from the newest, as what is searched for mostly just happened. */
function typed(state: State, search: string): Step<State> {
  return moveToFound(withList(state, state.front, { search }), -1, true)
}

function inFilter(state: State, key: string, mode: Extract<Mode, { kind: 'filter' }>): Step<State> {
  const fields = filterFields(state, state.front)
  const field = fields[mode.field]
  const { filter } = state[state.front]
  const choose = (by: number): Step<State> => {
    if (field === undefined) return [state, []]
    return filtered(state, { ...filter, [field.name]: nextChoice(field, filter[field.name], by) })
  }
  switch (key) {
    case 'up':
    case 'k':
    case 'back-tab':
      return [{ ...state, mode: { ...mode, field: (mode.field + fields.length - 1) % fields.length } }, []]
    case 'down':
    case 'j':
    case 'tab':
      return [{ ...state, mode: { ...mode, field: (mode.field + 1) % fields.length } }, []]
    case 'right':
    case 'l':
    case ' ':
      return choose(1)
    case 'left':
    case 'h':
      return choose(-1)
    case 'backspace':
    case 'x':
      return filtered(state, {})
    case 'enter':
    case 'f':
      return [{ ...state, mode: browse }, []]
    case 'escape':
      return filtered({ ...state, mode: browse }, mode.before)
    default:
      return [state, []]
  }
}

function filtered(state: State, filter: Filter): Step<State> {
  return followDetail(withList(state, state.front, { filter }))
}

function inConfirmation(state: State, key: string, connectionId: string): Step<State> {
  if (key === 'y' || key === 'Y') {
    const asked = notify({ ...state, mode: browse }, `Refreshing ${connectionId}…`, 'plain')
    return [asked, [{ kind: 'refresh', connectionId }]]
  }
  if (key === 'n' || key === 'N' || key === 'escape' || key === 'q') {
    return [notify({ ...state, mode: browse }, 'Not refreshed', 'plain'), []]
  }
  return [state, []]
}

/** One printable character. */
function isCharacter(key: string): boolean {
  return !named.has(key) && [...key].length === 1 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(key)
}
