/** Handles a key in each mode: browsing, searching, filtering, confirming, and the help. */
import type { Step } from './events.ts'
import { namedKeys, pressBound, quit } from './keys.ts'
import { filterFields, nextChoice } from './matching.ts'
import { type Filter, type Mode, notify, type State } from './model.ts'
import { followDetail, moveToMatch, withList } from './moving.ts'

const MAX_SEARCH_CHARACTERS = 80
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
      return pressBound(state, key)
  }
}

function inSearch(state: State, key: string, mode: Extract<Mode, { kind: 'search' }>): Step<State> {
  const { search } = state[state.focusedList]
  switch (key) {
    case 'enter':
      return [{ ...state, mode: browse }, []]
    case 'escape':
      return followDetail(
        withList({ ...state, mode: browse }, state.focusedList, { search: mode.before, cursor: mode.cursor }),
      )
    case 'backspace':
      return typed(state, [...search].slice(0, -1).join(''))
    default:
      if (!isCharacter(key) || search.length >= MAX_SEARCH_CHARACTERS) return [state, []]
      return typed(state, search + key)
  }
}

/** Searches backwards from the newest, because people mostly search for recent events. */
function typed(state: State, search: string): Step<State> {
  return moveToMatch(withList(state, state.focusedList, { search }), -1, true)
}

function inFilter(state: State, key: string, mode: Extract<Mode, { kind: 'filter' }>): Step<State> {
  const fields = filterFields(state, state.focusedList)
  const field = fields[mode.field]
  const { filter } = state[state.focusedList]
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
  return followDetail(withList(state, state.focusedList, { filter }))
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

function isCharacter(key: string): boolean {
  return !named.has(key) && [...key].length === 1 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(key)
}
