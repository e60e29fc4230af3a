import { keyBindings } from '../state/keys.ts'
import type { State } from '../state/model.ts'
import { fitLine, type Piece } from '../state/pieces.ts'
import { rowsOf } from '../state/window.ts'
import { Line } from './line.tsx'

/** The last line: a question, the search, the latest notice, or the keys that work now. */
export function StatusBar({ state, width }: { state: State; width: number }) {
  return <Line pieces={fitLine(content(state), width)} />
}

function content(state: State): readonly Piece[] {
  const { mode, notice } = state
  switch (mode.kind) {
    case 'search': {
      const { search } = state[state.focusedList]
      const found = search === '' ? '  ' : `  ${rowsOf(state, state.focusedList).length} found  `
      return [
        { text: `/${search}█`, tone: 'strong' },
        { text: found, tone: 'accent' },
        ...keys('Enter keep', 'Esc back'),
      ]
    }
    case 'filter':
      return keys('↑↓ field', '←→ value', 'x clear', 'Enter keep', 'Esc back')
    case 'palette':
      return keys('↑↓ choose', 'Enter go', 'Esc back')
    case 'link':
      if (notice === undefined) return keys('c copy', 'o open', 'Esc close')
      break
    case 'confirm':
      return keys('y yes', 'n no', 'Esc back')
    case 'help':
      return keys('↑↓ scroll', 'q close')
    case 'browse':
      break
  }
  if (notice !== undefined) {
    const tone = notice.tone === 'plain' ? 'strong' : notice.tone
    return [{ text: `${notice.tone === 'bad' ? '! ' : ''}${notice.text}`, tone }]
  }
  const hints = keyBindings.flatMap(({ hint }) => hint?.(state) ?? [])
  return keys(...hints)
}

/** `? help  q quit`, the keys in the accent. */
function keys(...hints: readonly string[]): readonly Piece[] {
  return hints.flatMap((hint, index): Piece[] => {
    const space = hint.indexOf(' ')
    return [
      { text: `${index === 0 ? '' : '  '}${hint.slice(0, space)}`, tone: 'accent' },
      { text: hint.slice(space), tone: 'dim' },
    ]
  })
}
