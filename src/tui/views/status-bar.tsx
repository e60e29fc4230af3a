import { keyBindings } from '../state/keys.ts'
import type { State } from '../state/model.ts'
import { Line, type Tone } from './line.tsx'
import { toWidth } from './text-width.ts'

/** The last line: a question, the search, the latest notice, or the keys that work now. */
export function StatusBar({ state, width }: { state: State; width: number }) {
  const { text, tone } = content(state)
  return <Line pieces={[{ text: toWidth(text, width), tone }]} />
}

function content(state: State): { text: string; tone: Tone } {
  const { mode, notice } = state
  switch (mode.kind) {
    case 'search':
      return { text: `/${state[state.focusedList].search}█  Enter keep  Esc back`, tone: 'strong' }
    case 'filter':
      return { text: '↑↓ field  ←→ value  x clear  Enter keep  Esc back', tone: 'plain' }
    case 'confirm-refresh': {
      const live = state.about.live ? ' LIVE' : ''
      return { text: `Refresh${live} ${mode.connectionId}? It uses the daily budget. y/n`, tone: 'warn' }
    }
    case 'help':
      return { text: 'any key closes  q quit', tone: 'plain' }
    case 'browse':
      break
  }
  if (notice !== undefined) {
    const tone = notice.tone === 'plain' ? 'strong' : notice.tone
    return { text: `${notice.tone === 'bad' ? '! ' : ''}${notice.text}`, tone }
  }
  return { text: keyBindings.flatMap(({ hint }) => hint?.(state) ?? []).join('  '), tone: 'plain' }
}
