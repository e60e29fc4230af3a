/** Handles a key in each mode: browsing, searching, filtering, choosing a view, confirming, a link, and the help. */
import type { Step } from './events.ts'
import { helpLines } from './help.ts'
import { namedKeys, pressBound, quit } from './keys.ts'
import { FRAME_COLUMNS, layoutOf } from './layout.ts'
import { filterFields, nextChoice } from './matching.ts'
import { type Filter, type Mode, notify, type State } from './model.ts'
import { withList } from './moving.ts'
import { viewsMatching } from './palette.ts'
import { openView } from './resources.ts'

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
    case 'confirm':
      return inConfirmation(state, key, state.mode)
    case 'palette':
      return inPalette(state, key, state.mode)
    case 'link':
      return inLink(state, key, state.mode)
    case 'help':
      return inHelp(state, key, state.mode.top)
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
      return [
        withList({ ...state, mode: browse }, state.focusedList, { search: mode.before, cursor: mode.cursor }),
        [],
      ]
    case 'up':
    case 'down':
      return pressBound(state, key)
    case 'backspace':
      return typed(state, [...search].slice(0, -1).join(''))
    default:
      if (!isCharacter(key) || search.length >= MAX_SEARCH_CHARACTERS) return [state, []]
      return typed(state, search + key)
  }
}

/** The list shows only what contains the text, with the newest such row under the cursor. */
function typed(state: State, search: string): Step<State> {
  const cursor = state.focusedList === 'resources' ? { key: '', line: 0 } : undefined
  return [withList(state, state.focusedList, { search, cursor }), []]
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
  return [withList(state, state.focusedList, { filter }), []]
}

function inConfirmation(state: State, key: string, mode: Extract<Mode, { kind: 'confirm' }>): Step<State> {
  const { action, connectionId } = mode
  const isRefresh = action === 'refresh'
  if (key === 'y' || key === 'Y') {
    const doing = isRefresh ? `Refreshing ${connectionId}…` : `Making a link for ${connectionId}…`
    return [notify({ ...state, mode: browse }, doing, 'plain'), [{ kind: action, connectionId }]]
  }
  if (key === 'n' || key === 'N' || key === 'escape' || key === 'q') {
    const not = isRefresh ? 'Not refreshed' : 'No link made'
    return [notify({ ...state, mode: browse }, not, 'plain'), []]
  }
  return [state, []]
}

function inLink(state: State, key: string, { url }: Extract<Mode, { kind: 'link' }>): Step<State> {
  switch (key) {
    case 'c':
      return [notify(state, 'Copied the link', 'good'), [{ kind: 'copy', text: url }]]
    case 'o':
      return [notify(state, 'Opening the link', 'plain'), [{ kind: 'open', url }]]
    case 'escape':
    case 'enter':
    case 'q':
      return [{ ...state, mode: browse }, []]
    default:
      return [state, []]
  }
}

function inPalette(state: State, key: string, mode: Extract<Mode, { kind: 'palette' }>): Step<State> {
  const views = viewsMatching(mode.typed)
  const chosen = (by: number): Step<State> => {
    const choice = (mode.choice + by + views.length) % Math.max(1, views.length)
    return [{ ...state, mode: { ...mode, choice } }, []]
  }
  const retyped = (typed: string): Step<State> => [{ ...state, mode: { ...mode, typed, choice: 0 } }, []]
  switch (key) {
    case 'up':
    case 'back-tab':
      return chosen(-1)
    case 'down':
    case 'tab':
      return chosen(1)
    case 'escape':
      return [{ ...state, mode: browse }, []]
    case 'backspace':
      return mode.typed === ''
        ? [{ ...state, mode: browse }, []]
        : retyped([...mode.typed].slice(0, -1).join(''))
    case 'enter': {
      const view = views[mode.choice]
      return view === undefined ? [state, []] : openView({ ...state, mode: browse }, view.name)
    }
    default:
      return isCharacter(key) && mode.typed.length < MAX_SEARCH_CHARACTERS
        ? retyped(mode.typed + key)
        : [state, []]
  }
}

function inHelp(state: State, key: string, top: number): Step<State> {
  const { columns, overlay } = layoutOf(state)
  const height = Math.max(1, overlay - 2)
  const all = helpLines(columns - FRAME_COLUMNS).length
  const to = (line: number): Step<State> => [
    { ...state, mode: { kind: 'help', top: Math.min(Math.max(0, all - height), Math.max(0, line)) } },
    [],
  ]
  switch (key) {
    case 'up':
    case 'k':
      return to(top - 1)
    case 'down':
    case 'j':
      return to(top + 1)
    case 'page-up':
      return to(top - height)
    case 'page-down':
    case ' ':
      return to(top + height)
    case 'g':
    case 'home':
      return to(0)
    case 'G':
    case 'end':
      return to(all)
    default:
      return [{ ...state, mode: browse }, []]
  }
}

function isCharacter(key: string): boolean {
  return !named.has(key) && [...key].length === 1 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(key)
}
